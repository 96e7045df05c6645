#include "sampler/stream.h"

#include <gtest/gtest.h>

#include <chrono>

#include "sampler/capture_bytes.h"
#include "sampler/collection.h"
#include "tests/support/captures.h"

namespace hangstack::sampler {
namespace {

Message thread_message(std::int32_t tid, double stopped_us = 0) {
  model::ThreadCapture thread;
  thread.tid = tid;
  thread.stopped_us = stopped_us;
  thread.method = model::CaptureMethod::looked;
  thread.memory = {{model::RemoteAddress{0x1000}, tests::bytes_of("stack")}};
  return {MessageKind::thread, Stage::thread, tid, bytes_of(thread)};
}

std::string listed_threads(std::initializer_list<std::int32_t> tids) {
  model::ProcessCapture capture;
  capture.pid = 7;
  for (const std::int32_t tid : tids) capture.threads.emplace_back().tid = tid;
  return encode_message({MessageKind::threads, Stage::evidence, 0, bytes_of(capture)});
}

TEST(MessageParser, TakesMessagesInPieces) {
  const std::string bytes =
      encode_message(thread_message(5)) + encode_message({MessageKind::done, Stage::finish, 0, {}});
  MessageParser parser;
  std::vector<Message> messages;
  for (const char byte : bytes) {
    ASSERT_TRUE(parser.feed({&byte, 1}));
    while (auto message = parser.next()) messages.push_back(std::move(*message));
  }
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].tid, 5);
  EXPECT_TRUE(thread_from(messages[0].body));
  EXPECT_EQ(messages[1].kind, MessageKind::done);
}

TEST(MessageParser, RefusesWhatIsNoMessage) {
  for (std::size_t at = 0; at < 4; ++at) {
    std::string bytes = encode_message(thread_message(5));
    bytes[at] = '\x7f';
    MessageParser parser;
    EXPECT_FALSE(parser.feed(bytes)) << at;
    EXPECT_FALSE(parser.next());
    EXPECT_FALSE(parser.feed("more"));
  }
}

TEST(MessageParser, RefusesSizesThatNobodyHas) {
  for (const std::size_t at : {12U, 15U}) {
    std::string bytes = encode_message(thread_message(5));
    bytes[at] = '\x70';
    MessageParser parser;
    EXPECT_FALSE(parser.feed(bytes)) << at;
  }
}

TEST(CaptureBytes, BringEveryFieldBack) {
  const model::ProcessCapture capture = tests::sample_capture();
  EXPECT_EQ(process_from(bytes_of(capture)).value(), capture);
  EXPECT_EQ(thread_from(bytes_of(capture.threads[0])).value(), capture.threads[0]);
}

TEST(CaptureBytes, AreRefusedWhenCutOrFollowedByMore) {
  const std::string bytes = bytes_of(tests::sample_capture());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(process_from(bytes.substr(0, size))) << size;
  EXPECT_FALSE(process_from(bytes + '\0'));
}

TEST(CaptureBytes, SurviveEveryChangedByte) {
  const std::string good = bytes_of(tests::sample_capture());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int change : {0x01, 0x55, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const auto read = process_from(bytes);
      EXPECT_TRUE(read || read.error().code == model::ErrorCode::malformed_input);
    }
  }
}

TEST(MessageParser, SurvivesEveryChangedByte) {
  const std::string good = encode_message(thread_message(5)) + encode_message(thread_message(6));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    Collection collection({7, {}}, {});
    collection.begin_child();
    collection.feed(listed_threads({5, 6}));
    collection.feed(bytes);
    EXPECT_TRUE(collection.take(Cut::none)) << at;
  }
}

class OneTarget : public ::testing::Test {
 protected:
  OneTarget() : collection_({7, {}}, {}) { collection_.begin_child(); }
  void feed_stage(Stage stage, std::int32_t tid = 0) {
    collection_.feed(encode_message({MessageKind::stage, stage, tid, {}}));
  }
  Collection collection_;
};

TEST_F(OneTarget, AThreadThatBlockedIsLeftOutByTheNextChild) {
  collection_.feed(listed_threads({7, 8}));
  feed_stage(Stage::thread, 7);
  collection_.child_lost({}, true);
  ASSERT_TRUE(collection_.wants_another_child());
  EXPECT_TRUE(collection_.plan().finished.contains(7));
  collection_.begin_child();
  collection_.feed(listed_threads({8}));
  collection_.feed(encode_message(thread_message(8)));
  collection_.feed(encode_message({MessageKind::done, Stage::finish, 0, {}}));
  EXPECT_FALSE(collection_.wants_another_child());
  const auto capture = collection_.take(Cut::none);
  ASSERT_TRUE(capture);
  ASSERT_EQ(capture->threads.size(), 2U);
  ASSERT_EQ(capture->threads[0].problems.size(), 1U);
  EXPECT_EQ(capture->threads[0].problems[0].code, model::ErrorCode::timed_out);
  EXPECT_TRUE(capture->threads[1].problems.empty());
}

TEST_F(OneTarget, AStepThatBlockedIsLeftOutByTheNextChild) {
  collection_.feed(listed_threads({7}));
  feed_stage(Stage::mappings);
  collection_.child_lost({}, true);
  EXPECT_TRUE(collection_.wants_another_child());
  EXPECT_TRUE(collection_.plan().skip.contains(Stage::mappings));
  EXPECT_TRUE(collection_.plan().finished.empty());
}

TEST_F(OneTarget, ThreadsThatWereNotReachedSaySo) {
  collection_.feed(listed_threads({7, 8}));
  collection_.feed(encode_message(thread_message(7)));
  const auto capture = collection_.take(Cut::out_of_time);
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->threads[0].problems.empty());
  ASSERT_EQ(capture->threads[1].problems.size(), 1U);
  EXPECT_EQ(capture->threads[1].problems[0].code, model::ErrorCode::timed_out);
}

TEST_F(OneTarget, ThatGaveNothingIsAFailureWithASentence) {
  collection_.child_lost({.signal = 11}, false);
  const auto capture = collection_.take(Cut::none);
  ASSERT_FALSE(capture);
  EXPECT_NE(capture.error().error.message.find("signal 11"), std::string::npos);
}

TEST_F(OneTarget, PausesOfALostChildAreKept) {
  collection_.feed(listed_threads({7}));
  collection_.feed(encode_message(thread_message(7, 40)));
  collection_.child_lost({.status = 2}, false);
  const auto capture = collection_.take(Cut::none);
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->stopped_us, 40);
  EXPECT_NE(capture->problems.back().error.message.find("status 2"), std::string::npos);
}

TEST_F(OneTarget, EndlessTroubleEnds) {
  collection_.feed(listed_threads({7}));
  int children = 1;
  for (; children < 100; ++children) {
    feed_stage(Stage::thread, 1000 + children);
    collection_.child_lost({.signal = 9}, false);
    if (!collection_.wants_another_child()) break;
    collection_.begin_child();
  }
  EXPECT_LT(children, 100);
}

}  // namespace
}  // namespace hangstack::sampler
