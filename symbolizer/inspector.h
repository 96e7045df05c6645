#pragma once
// What reads along with the sampler, over a cache of modules: the symbolizer's own (in a child process, its copy), so
// that no file is searched twice.

#include <memory>

#include "model/inspector.h"
#include "symbolizer/native/module_cache.h"
#include "symbolizer/symbolizer.h"

namespace hangstack::symbolizer {

/// Of everything that the options ask for. `cache` is borrowed, here and below.
std::unique_ptr<model::Inspector> make_inspector(const SymbolizerOptions& options, ModuleCache& cache);

/// Its parts.
std::unique_ptr<model::Inspector> make_lock_inspector();
std::unique_ptr<model::Inspector> make_python_inspector(ModuleCache& cache);
std::unique_ptr<model::Inspector> make_records_inspector(ModuleCache& cache);

}  // namespace hangstack::symbolizer
