#pragma once
// "rank=0 world=2" in lines of the tests' notations.

#include <map>
#include <sstream>
#include <string>

namespace hangstack::tests {

using Keys = std::map<std::string, std::string>;

/// The words left in `words`, each KEY=VALUE; `reject` does not return, and is given `line` for any other word.
inline Keys keys_of(std::istringstream& words, const std::string& line, void (*reject)(const std::string&)) {
  Keys keys;
  for (std::string word; words >> word;) {
    const auto at = word.find('=');
    if (at == std::string::npos) reject(line);
    keys[word.substr(0, at)] = word.substr(at + 1);
  }
  return keys;
}

}  // namespace hangstack::tests
