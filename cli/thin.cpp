#include "cli/thin.h"

#include "model/served_bytes.h"

namespace hangstack::cli {
namespace {

// The rest of a small object, for a later version that reads another field of it.
constexpr std::size_t kAroundBytes = 64;

}  // namespace

model::Expected<void> save_thinned(SavedSession saved, symbolizer::SymbolizerOptions options,
                                   const std::filesystem::path& folder) {
  model::ServedBytes served;
  options.served = &served;
  symbolizer::Symbolizer symbolizer(options);
  if (auto loaded = symbolizer.load_facts(saved.facts_json); !loaded) return loaded;
  for (auto& sample : saved.session.samples) {
    for (SampledProcess& process : sample) {
      symbolizer.symbolize(process.capture);
      served.clear_rest(process.capture, kAroundBytes);
    }
  }
  return save_session(saved.session, saved.facts_json, folder);
}

}  // namespace hangstack::cli
