#pragma once
// report.css and report.js, which cmake/embed_pages.py makes part of the program.

#include <string_view>

namespace hangstack::report {

struct EmbeddedFile {
  std::string_view text;
  std::string_view hash;  ///< "sha256-..." as a Content-Security-Policy names it (CSP level 3, 2.3.1)
};

EmbeddedFile html_style();
EmbeddedFile html_script();

}  // namespace hangstack::report
