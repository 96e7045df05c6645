#include "symbolizer/native/module_cache.h"

#include "symbolizer/native/elf_file.h"

namespace hangstack::symbolizer {

Module& ModuleCache::at(const std::string& key) {
  auto& module = modules_[key];
  if (!module) module = std::make_unique<Module>(key);
  return *module;
}

Module& ModuleCache::module_of(const model::MappedFile& file) {
  Module& module = at(module_key(file));
  module.offer(file);
  return module;
}

Module& ModuleCache::module_of_image(const std::string& path, std::vector<std::byte> image) {
  std::string key = path;
  if (auto probe = ElfFile::from_image(image, path); probe && !(*probe)->build_id().empty()) {
    key = (*probe)->build_id();
  }
  Module& module = at(key);
  module.offer_image(std::move(image), path);
  return module;
}

void ModuleCache::set_facts(const std::string& key, ModuleFacts facts) { at(key).set_facts(std::move(facts)); }

}  // namespace hangstack::symbolizer
