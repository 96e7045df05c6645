#pragma once
// One memory over another.

#include "model/memory_reader.h"

namespace hangstack::symbolizer {

/// Asks `upper` first and `lower` for what it lacks. Unlike model::SegmentReader::of_thread, the index of the lower
/// one, the process's memory, is made once and shared by all threads. Borrows both.
class LayeredReader : public model::MemoryReader {
 public:
  LayeredReader(model::MemoryReader& upper, model::MemoryReader& lower) : upper_(upper), lower_(lower) {}

  void read_batch(std::span<model::ReadRequest> requests) override {
    for (model::ReadRequest& request : requests) {
      request.got = 0;
      for (std::size_t before = 0; request.got < request.into.size(); before = request.got) {
        for (model::MemoryReader* reader : {&upper_, &lower_}) {
          request.got += reader->read_up_to(request.address + request.got, request.into.subspan(request.got));
        }
        if (request.got == before) break;
      }
    }
  }

 private:
  model::MemoryReader& upper_;
  model::MemoryReader& lower_;
};

}  // namespace hangstack::symbolizer
