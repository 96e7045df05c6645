#pragma once
// Facts of all modules as JSON text ("hangstack-facts/1"), to replay captures where the ELF files are not.

#include <string>
#include <string_view>

#include "model/error.h"
#include "symbolizer/native/module_cache.h"

namespace hangstack::symbolizer {

/// Modules that were never asked anything are left out.
std::string encode_facts(const ModuleCache& cache);

/// `malformed_input` for anything that `encode_facts` does not write; nothing is taken over then.
model::Expected<void> decode_facts(std::string_view json, ModuleCache& cache);

}  // namespace hangstack::symbolizer
