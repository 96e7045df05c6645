#include <fmt/core.h>

#include <map>
#include <tuple>

#include "report/exports/stack_labels.h"
#include "report/json/json_writer.h"
#include "report/printable.h"
#include "report/words/stack_classes.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;

struct SharedFrame {
  std::string name;
  std::string file;
  int line = 0;

  friend auto operator<=>(const SharedFrame&, const SharedFrame&) = default;
};

struct Profile {
  std::string name;
  std::vector<std::vector<std::size_t>> samples;  ///< frames by number, outermost first
};

class Frames {
 public:
  std::size_t number_of(SharedFrame frame) {
    const auto [at, fresh] = numbers_.try_emplace(std::move(frame), all_.size());
    if (fresh) all_.push_back(&at->first);
    return at->second;
  }
  [[nodiscard]] const std::vector<const SharedFrame*>& all() const { return all_; }

 private:
  std::map<SharedFrame, std::size_t> numbers_;
  std::vector<const SharedFrame*> all_;  ///< keys of a map stay where they are
};

SharedFrame shared_frame(const model::Frame& frame) {
  const std::string& place = frame.file.empty() ? frame.module : frame.file;
  return {stack_label(frame), printable(place), frame.file.empty() ? 0 : frame.line};
}

void write_frames(JsonWriter& json, const Frames& frames) {
  json.key("shared");
  json.begin_object();
  json.key("frames");
  json.begin_array();
  for (const SharedFrame* frame : frames.all()) {
    json.begin_object(Layout::one_line);
    json.member("name", frame->name);
    if (!frame->file.empty()) json.member("file", frame->file);
    if (frame->line > 0) json.member("line", frame->line);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_profile(JsonWriter& json, const Profile& profile) {
  json.begin_object();
  json.member("type", "sampled");
  json.member("name", profile.name);
  json.member("unit", "none");
  json.member("startValue", 0);
  json.member("endValue", profile.samples.size());
  json.key("samples");
  json.begin_array();
  for (const auto& sample : profile.samples) {
    json.begin_array(Layout::one_line);
    for (const std::size_t frame : sample) json.value(frame);
    json.end_array();
  }
  json.end_array();
  json.key("weights");
  json.begin_array(Layout::one_line);
  for (std::size_t i = 0; i < profile.samples.size(); ++i) json.value(1);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string write_speedscope(const model::Report& report, const StackOptions& options) {
  const ProcessIndex index(report);
  Frames frames;
  std::vector<Profile> profiles;
  for (const model::ProcessSnapshot* process : last_samples(report)) {
    Profile profile{process_label(*process, index, report.jobs.size() > 1), {}};
    for (const model::Thread* thread : exported_threads(*process, options)) {
      // The thread is its stack's outermost frame: threads stay apart, and are named.
      auto& sample = profile.samples.emplace_back(1, frames.number_of({"[" + thread_label(*thread) + "]", "", 0}));
      for (const model::Frame* frame : exported_frames(*thread, options))
        sample.push_back(frames.number_of(shared_frame(*frame)));
    }
    if (!profile.samples.empty()) profiles.push_back(std::move(profile));
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("exporter", "hangstack-report/speedscope " + printable(report.tool_version));
  json.member("name", report.jobs.empty() ? std::string("hangstack") : headline(report.jobs.front(), false));
  json.member("activeProfileIndex", 0);
  write_frames(json, frames);
  json.key("profiles");
  json.begin_array();
  for (const Profile& profile : profiles) write_profile(json, profile);
  json.end_array();
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace hangstack::report
