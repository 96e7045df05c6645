#pragma once
// All modules of a run, by build-id: one object for all ranks and samples.

#include <map>
#include <memory>
#include <string>

#include "symbolizer/native/module.h"

namespace hangstack::symbolizer {

class ModuleCache {
 public:
  /// The module of a mapped file; created at the first call, then offered each further place to open it from.
  Module& module_of(const model::MappedFile& file);

  /// The module of an image in memory, shared by its build-id if it has one.
  Module& module_of_image(const std::string& path, std::vector<std::byte> image);

  /// By key (module_key).
  [[nodiscard]] const std::map<std::string, std::unique_ptr<Module>>& modules() const { return modules_; }

  /// Facts of an earlier run for the module with this key.
  void set_facts(const std::string& key, ModuleFacts facts);

 private:
  Module& at(const std::string& key);

  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace hangstack::symbolizer
