#include <fmt/core.h>

#include "report/printable.h"
#include "report/text/sections.h"
#include "report/text/stacks.h"
#include "report/words/cut.h"
#include "report/words/threads.h"

namespace hangstack::report {
namespace {

void print_processes(Page& page, const model::Report& report) {
  Table table({"rank", "host", "pid", "ns pid", "role", "python", "state", "command"});
  for (const model::ProcessSnapshot* process : last_samples(report)) {
    const model::ProcessSnapshot& p = *process;
    if (!p.dump.empty()) continue;
    std::string state(1, p.kernel_state);
    if (p.tracer_pid != 0) state += fmt::format(" traced by {} {}", printable(p.tracer_name), p.tracer_pid);
    table.row({p.identity.rank ? std::to_string(*p.identity.rank) : "-", cut_end(printable(p.host), 20),
               std::to_string(p.pid), std::to_string(p.ns_pid), std::string(model::role_name(p.identity.role)),
               p.pythons.empty() ? "-" : cut_end(printable(p.pythons.front().version), 10),
               cut_end(printable(state), 30), short_command(p.command_line)});
  }
  page.gap();
  page.line(page.paint(Paint::heading, "PROCESSES READ"));
  table.print(page, 2, 7);
}

}  // namespace

void stacks_section(Page& page, const model::Report& report, const TextOptions& options) {
  if (options.full && report.sampling.samples > 0) print_processes(page, report);
  const auto classes = stack_classes(last_samples(report), !(options.full && options.all_threads));
  if (classes.empty()) return;
  page.gap();
  page.line(
      page.paint(Paint::heading, options.full ? "STACKS, innermost frame first" : "THREADS, outermost frame first"));
  for (const auto& stack : classes) {
    page.gap();
    const model::Thread& thread = *stack.members.front().thread;
    print_stack_heading(page, stack);
    if (options.full) {
      print_frames(page, thread);
    } else {
      print_chain(page, thread);
    }
  }
}

}  // namespace hangstack::report
