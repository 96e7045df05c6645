#include "ingest/document/document.h"

#include <gmock/gmock.h>

#include <vector>

namespace hangstack::ingest {
namespace {

using testing::HasSubstr;

TEST(Document, ItsSizeIsBounded) {
  Document document;
  auto node = document.add_integer(1);
  while (node) node = document.add_integer(1);
  EXPECT_THAT(node.error().message, HasSubstr("more than 4194304 values"));
}

TEST(Document, ReferencesAreCounted) {
  Document document;
  const auto list = document.add_list();
  const std::vector<Document::Node> nodes(1U << 20, Document::null_node());
  auto done = document.extend(*list, nodes);
  for (int i = 0; i < 20 && done; ++i) done = document.extend(*list, nodes);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("references"));
}

TEST(Document, TextIsBounded) {
  Document document;
  const std::string text(16U << 20, 'x');
  auto node = document.add_text(text);
  for (int i = 0; i < 4 && node; ++i) node = document.add_text(text);
  ASSERT_FALSE(node);
  EXPECT_THAT(node.error().message, HasSubstr("bytes of text"));
}

}  // namespace
}  // namespace hangstack::ingest
