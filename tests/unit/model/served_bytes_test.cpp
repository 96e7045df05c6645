#include "model/served_bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "model/segment_reader.h"

namespace hangstack::model {
namespace {

std::vector<std::byte> bytes(const std::string& text) {
  std::vector<std::byte> list;
  for (const char c : text) list.push_back(static_cast<std::byte>(c));
  return list;
}

std::string text(const MemorySegment& segment) {
  std::string all;
  for (const std::byte b : segment.bytes) all += b == std::byte{0} ? '.' : static_cast<char>(b);
  return all;
}

ProcessCapture capture() {
  ProcessCapture process;
  process.memory = {{RemoteAddress{100}, bytes("abcdefgh")}, {RemoteAddress{200}, bytes("never")}};
  process.threads.resize(1);
  process.threads[0].memory = {{RemoteAddress{104}, bytes("EF")}};
  return process;
}

void read(SegmentReader& reader, std::uint64_t address, std::size_t size) {
  std::array<std::byte, 16> into{};
  reader.read_up_to(RemoteAddress{address}, std::span(into).first(size));
}

TEST(ServedBytes, WhatWasNotReadIsZeroed) {
  ProcessCapture process = capture();
  ServedBytes served;
  SegmentReader reader = SegmentReader::of_process(process, &served);
  read(reader, 105, 2);
  read(reader, 101, 2);
  read(reader, 102, 2);
  read(reader, 300, 8);
  served.clear_rest(process);
  EXPECT_EQ(text(process.memory[0]), ".bcd.fg.");
  EXPECT_EQ(text(process.memory[1]), ".....");
  EXPECT_EQ(text(process.threads[0].memory[0]), "..");
}

TEST(ServedBytes, OfOverlappingSegmentsTheOneThatServedIsKept) {
  ProcessCapture process = capture();
  ServedBytes served;
  SegmentReader reader = SegmentReader::of_thread(process, process.threads[0], &served);
  read(reader, 103, 2);
  served.clear_rest(process);
  EXPECT_EQ(text(process.memory[0]), "...d....");
  EXPECT_EQ(text(process.threads[0].memory[0]), "E.");
}

TEST(ServedBytes, NeighboursStayIfAskedFor) {
  ProcessCapture process = capture();
  ServedBytes served;
  SegmentReader reader = SegmentReader::of_process(process, &served);
  read(reader, 104, 1);
  read(reader, 204, 1);
  served.clear_rest(process, 2);
  EXPECT_EQ(text(process.memory[0]), "..cdefg.");
  EXPECT_EQ(text(process.memory[1]), "..ver");
}

TEST(ServedBytes, ALongPieceThatBeganEarlierStillCovers) {
  ProcessCapture process = capture();
  ServedBytes served;
  SegmentReader reader = SegmentReader::of_process(process, &served);
  read(reader, 100, 7);
  read(reader, 101, 1);
  served.clear_rest(process);
  EXPECT_EQ(text(process.memory[0]), "abcdefg.");
}

}  // namespace
}  // namespace hangstack::model
