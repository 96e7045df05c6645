#include "ingest/document/json.h"

#include <gmock/gmock.h>

#include <string>

namespace hangstack::ingest {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& bytes) {
  const auto document = read_json(bytes);
  return document ? "no error" : document.error().message;
}

TEST(Json, ReadsEveryKindOfValue) {
  const auto document =
      read_json(R"({"n":null,"t":true,"i":-3,"d":1.5,"s":"word","l":[1,[2]],"big":18446744073709551615})");
  ASSERT_TRUE(document) << document.error().message;
  const Value root = document->root();
  EXPECT_EQ(root.size(), 7U);
  EXPECT_EQ(root.find("n")->kind(), ValueKind::null);
  EXPECT_EQ(root.find("t")->boolean(), true);
  EXPECT_EQ(root.find("i")->integer(), -3);
  EXPECT_EQ(root.find("d")->real(), 1.5);
  EXPECT_EQ(root.find("s")->text(), "word");
  EXPECT_EQ(root.find("l")->element(1).element(0).integer(), 2);
  EXPECT_FALSE(root.find("big")->integer());
}

TEST(Json, OfAKeyThatIsThereTwiceTheLastCounts) {
  const auto document = read_json(R"({"a":1,"a":2})");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().find("a")->integer(), 2);
}

TEST(Json, AnErrorNamesItsLine) {
  EXPECT_THAT(error_of("{\n\"a\": 1,\n\"b\": oops}"), HasSubstr("at line 3"));
  EXPECT_THAT(error_of("{\"a\": 1} x"), HasSubstr("it is no JSON"));
}

TEST(Json, CutOffIsSaid) {
  const std::string whole = R"({"a":[1,{"b":"c"}]})";
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("ends within")) << size;
}

TEST(Json, DepthIsBounded) { EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("nested more than 64 deep")); }

}  // namespace
}  // namespace hangstack::ingest
