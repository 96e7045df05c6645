#include "ingest/document/pickle.h"

#include <gmock/gmock.h>

#include <string>

namespace hangstack::ingest {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

const std::string kBegin = "\x80\x02"s;

std::string error_of(const std::string& bytes) {
  const auto document = read_pickle(bytes);
  return document ? "no error" : document.error().message;
}

std::string text(const std::string& content) { return "X"s + static_cast<char>(content.size()) + "\0\0\0"s + content; }

TEST(Pickle, ReadsADictionaryOfEveryKindOfValue) {
  const auto document = read_pickle(kBegin + "}(" + text("n") + "N" + text("t") + "\x88" + text("f") + "\x89" +
                                    text("i") + "K\xff" + text("l") + "](K\x01M\x02\x01" + "e" + text("d") +
                                    "G\x3f\xf8\0\0\0\0\0\0"s + text("s") + text("word") + "u.");
  ASSERT_TRUE(document) << document.error().message;
  const Value root = document->root();
  ASSERT_EQ(root.kind(), ValueKind::dictionary);
  EXPECT_EQ(root.size(), 7U);
  EXPECT_EQ(root.find("n")->kind(), ValueKind::null);
  EXPECT_EQ(root.find("t")->boolean(), true);
  EXPECT_EQ(root.find("f")->boolean(), false);
  EXPECT_EQ(root.find("i")->integer(), 255);
  EXPECT_EQ(root.find("l")->size(), 2U);
  EXPECT_EQ(root.find("l")->element(1).integer(), 258);
  EXPECT_EQ(root.find("d")->real(), 1.5);
  EXPECT_EQ(root.find("s")->text(), "word");
  EXPECT_FALSE(root.find("x"));
}

TEST(Pickle, IntegersKeepTheirSign) {
  const auto document =
      read_pickle(kBegin + "](J\xff\xff\xff\xff\x8a\x01\x80\x8a\x00\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"s + "e.");
  ASSERT_TRUE(document) << document.error().message;
  const Value list = document->root();
  EXPECT_EQ(list.element(0).integer(), -1);
  EXPECT_EQ(list.element(1).integer(), -128);
  EXPECT_EQ(list.element(2).integer(), 0);
  EXPECT_EQ(list.element(3).integer(), INT64_MAX);
}

TEST(Pickle, TuplesAreLists) {
  const auto document = read_pickle(kBegin + "](K\x01K\x02\x86K\x01\x85K\x01K\x02K\x03\x87(K\x01K\x02t)e.");
  ASSERT_TRUE(document) << document.error().message;
  const Value list = document->root();
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list.element(0).size(), 2U);
  EXPECT_EQ(list.element(1).size(), 1U);
  EXPECT_EQ(list.element(2).element(2).integer(), 3);
  EXPECT_EQ(list.element(3).element(1).integer(), 2);
  EXPECT_EQ(list.element(4).size(), 0U);
}

TEST(Pickle, SharedTextsAreReadAgain) {
  const auto document =
      read_pickle(kBegin + "](" + text("a") + "q\0h\0j\0\0\0\0"s + text("b") + "r\1\0\0\0h\1"s + "e.");
  ASSERT_TRUE(document) << document.error().message;
  const Value list = document->root();
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list.element(2).text(), "a");
  EXPECT_EQ(list.element(4).text(), "b");
}

TEST(Pickle, WhatWouldRunSomethingIsRefusedByNameAndPlace) {
  EXPECT_THAT(error_of(kBegin + "cos\nsystem\n" + text("true") + "\x85R."),
              testing::AllOf(HasSubstr("at byte 2"), HasSubstr("GLOBAL"), HasSubstr("nothing was run")));
  for (const char opcode : "Rbio\x81\x92\x93PQ\x82\x83\x84"s)
    EXPECT_THAT(error_of(kBegin + "](" + opcode), HasSubstr("would make Python run something")) << int{opcode};
}

TEST(Pickle, EveryOtherOpcodeIsRefused) {
  const std::string known = "\x80.(N\x88\x89JKM\x8aGX]e)t\x85\x86\x87}uqrhj"s;
  for (int code = 0; code < 256; ++code) {
    const auto opcode = static_cast<char>(code);
    if (known.find(opcode) != std::string::npos && opcode != '\x80') continue;
    EXPECT_THAT(error_of(kBegin + opcode + std::string(16, '\0')),
                testing::AnyOf(HasSubstr("is none that"), HasSubstr("would make Python run")))
        << code;
  }
}

TEST(Pickle, OtherProtocolsAreRefused) {
  EXPECT_THAT(error_of("\x80\x04}."), HasSubstr("protocol 4"));
  EXPECT_THAT(error_of("(dp0\n."), HasSubstr("does not begin as a pickle"));
  EXPECT_FALSE(looks_like_pickle("{}"));
  EXPECT_TRUE(looks_like_pickle("\x80\x02."));
}

TEST(Pickle, CutOffAnywhereIsSaidNotReadBeyond) {
  const std::string whole =
      kBegin + "}(" + text("k") + "q\0](K\x01J\x01\x02\x03\x04\x8a\x02\x01\x02"s + "G\0\0\0\0\0\0\0\0"s + "eu.";
  ASSERT_TRUE(read_pickle(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("ends within the pickle")) << size;
}

TEST(Pickle, StackAndMarksAreChecked) {
  EXPECT_THAT(error_of(kBegin + "e."), HasSubstr("without its beginning"));
  EXPECT_THAT(error_of(kBegin + "(e."), HasSubstr("no list or dictionary"));
  EXPECT_THAT(error_of(kBegin + "K\x01(e."), HasSubstr("no list or dictionary"));
  EXPECT_THAT(error_of(kBegin + "]((e."), HasSubstr("no list or dictionary"));
  EXPECT_THAT(error_of(kBegin + "}(K\x01u."), HasSubstr("without a value"));
  EXPECT_THAT(error_of(kBegin + "K\x01(\x85."), HasSubstr("without its elements"));
  EXPECT_THAT(error_of(kBegin + "."), HasSubstr("without one whole object"));
  EXPECT_THAT(error_of(kBegin + "NN."), HasSubstr("without one whole object"));
  EXPECT_THAT(error_of(kBegin + "N.N"), HasSubstr("1 bytes follow"));
  EXPECT_THAT(error_of(kBegin + "q\0."s), HasSubstr("nothing is there"));
  EXPECT_THAT(error_of(kBegin + "h\0."s), HasSubstr("number 0"));
  EXPECT_THAT(error_of(kBegin + "Nq\x05."), HasSubstr("number 5, and not 0"));
}

TEST(Pickle, ListsThatHoldThemselvesAreRefused) {
  EXPECT_THAT(error_of(kBegin + "]q\0(h\0e."s), HasSubstr("changed after it was shared"));
}

TEST(Pickle, SharedListsDoNotGrowByBeingShared) {
  // Each list holds the one before twice: written out it would be 2^50 values.
  std::string bytes = kBegin + "](K\x01" + "eq\0"s;
  for (char i = 0; i < 50; ++i) bytes += "](h"s + i + "h" + i + "eq" + static_cast<char>(i + 1);
  bytes += "t.";
  // The lists stay on the stack; a mark below them makes them one tuple.
  bytes.insert(2, "(");
  const auto document = read_pickle(bytes);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->root().size(), 51U);
}

TEST(Pickle, DepthIsBounded) {
  std::string marks = kBegin;
  for (int i = 0; i < 1000; ++i) marks += "](";
  EXPECT_THAT(error_of(marks), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of(kBegin + "N" + std::string(1000, '\x85') + "."), HasSubstr("more than 64 levels"));
}

TEST(Pickle, SizesAreBounded) {
  EXPECT_THAT(error_of(kBegin + "X\xff\xff\xff\xff"), HasSubstr("ends within"));
  EXPECT_THAT(error_of(kBegin + "\x8a\x09" + std::string(9, 'x')), HasSubstr("an integer of 9 bytes"));
  EXPECT_THAT(error_of(kBegin + std::string(1'100'000, 'N')), HasSubstr("wait for their list"));
}

}  // namespace
}  // namespace hangstack::ingest
