#pragma once
// Captures in, stacks with names out. Pure: opens ELF files by the paths in the capture, touches no process.

#include <memory>
#include <string>

#include "model/capture.h"
#include "model/inspector.h"
#include "model/served_bytes.h"
#include "model/snapshot.h"

namespace hangstack::symbolizer {

struct SymbolizerOptions {
  bool native = true;
  bool python = true;
  bool records = true;                   ///< PyTorch's flight recorder, NCCL's communicators
  bool lines = true;                     ///< source lines and inlined functions from DWARF
  model::ServedBytes* served = nullptr;  ///< borrowed; told of all memory of captures that `symbolize` reads
};

/// Holds every cache (ELF files, call frame rows, symbols by build-id and offset): use one object for all ranks and
/// all samples, so that each is paid for once. Not for use by two threads at a time.
class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// Never fails: what could not be unwound or named says why, per stack and per frame.
  model::ProcessSnapshot symbolize(const model::ProcessCapture& capture);

  /// Reads along with the sampler all that `symbolize` will want of a live process (see model/inspector.h): the vDSO,
  /// stacks behind alternate signal stacks, Python's frames; records only if `records` says so too. Called in the child
  /// process that reads one target: what this symbolizer knows of ELF files already is not searched again. Borrows it.
  std::unique_ptr<model::Inspector> make_inspector(bool records);

  /// What was asked of ELF files so far (call frame rows, symbols, lines, by build-id), as JSON: with it a capture can
  /// be replayed where the files are not.
  [[nodiscard]] std::string facts_json() const;

  /// Facts to use for files that cannot be opened here or have another build-id. `malformed_input` for foreign bytes.
  model::Expected<void> load_facts(const std::string& json);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hangstack::symbolizer
