// A list of communicators made of arbitrary bytes: the list and each communicator end.

#include <span>
#include <vector>

#include "symbolizer/records/communicators.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/repeated_memory.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size < 9 || size > 32768) return 0;
  tests::RepeatedMemory memory(std::as_bytes(std::span(data, size)).subspan(1));
  symbolizer::NcclPlace place;
  place.list = model::RemoteAddress{static_cast<std::uint64_t>(data[0]) * 8};
  place.count = model::RemoteAddress{place.list.value + 8};
  place.members = {
      {"startMagic", {0, 8}},       {"endMagic", {128, 8}},       {"commHash", {8, 8}},   {"rank", {16, 4}},
      {"nRanks", {20, 4}},          {"cudaDev", {24, 4}},         {"busId", {32, 8}},     {"seqNumber", {40, 40}},
      {"asyncResult", {80, 4}},     {"initState", {84, 4}},       {"abortFlag", {88, 8}}, {"destroyFlag", {96, 4}},
      {"finalizeCalled", {100, 1}}, {"config.commName", {104, 8}}};
  (void)symbolizer::read_communicators(std::vector{place}, memory);
  return 0;
}
