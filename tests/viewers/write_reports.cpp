// Writes the reports of tests/unit/report, and one with hostile names, as files: write_reports FOLDER

#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/report.h"
#include "tests/support/hostile_report.h"
#include "tests/unit/report/cases.h"

namespace {

using namespace hangstack;

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

void write_all(const std::filesystem::path& folder, const std::string& name, const model::Report& report) {
  write(folder / (name + ".html"), report::write_html(report));
  write(folder / (name + ".dot"), report::write_dot(report));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_reports FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  for (const auto& one : tests::all_cases()) write_all(folder, one.name, one.report);
  int number = 0;
  for (const char* text :
       {"</script><script>document.title = 'owned'</script>", "<img src=x onerror=\"document.title='owned'\">",
        "\" onmouseover=\"document.title='owned'\" x=\"", "<!--<script>", "&lt;&#60; \\N\\l\\", "\"];n1->n1["})
    write_all(folder, "named_" + std::to_string(number++), tests::report_named(text));
  return 0;
}
