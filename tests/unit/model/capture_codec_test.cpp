#include "model/capture_codec.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/captures.h"

namespace hangstack::model {
namespace {

using tests::sample_capture;

TEST(CaptureCodec, RoundTripKeepsEveryField) {
  const ProcessCapture capture = sample_capture();
  const EncodedCapture encoded = encode_capture(capture);
  const auto decoded = decode_capture(encoded.json, encoded.memory);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(*decoded, capture);
}

TEST(CaptureCodec, EveryTruncationIsAnErrorNotACrash) {
  const EncodedCapture encoded = encode_capture(sample_capture());
  for (std::size_t n = 0; n < encoded.json.size(); n += 7) {
    EXPECT_FALSE(decode_capture(std::string_view(encoded.json).substr(0, n), encoded.memory).has_value()) << n;
  }
  EXPECT_FALSE(decode_capture(encoded.json, std::string_view(encoded.memory).substr(1)).has_value());
}

TEST(CaptureCodec, AnotherSchemaIsRefusedByName) {
  std::string json = encode_capture(sample_capture()).json;
  json.replace(json.find("hangstack-capture/1"), 19, "hangstack-capture/9");
  const auto decoded = decode_capture(json, "");
  ASSERT_FALSE(decoded.has_value());
  EXPECT_NE(decoded.error().message.find("hangstack-capture/9"), std::string::npos);
}

TEST(CaptureCodec, ADeepSchemaIsRefusedAndNotPrinted) {
  const std::string deep(200'000, '[');
  const auto capture = decode_capture(R"({"schema":)" + deep + std::string(deep.size(), ']') + "}", "");
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().code, ErrorCode::malformed_input);
  EXPECT_LT(capture.error().message.size(), 200U);
}

TEST(CaptureCodec, FilesAreReadableByTheOwnerOnly) {
  const auto folder = std::filesystem::temp_directory_path() / ("hangstack-codec-" + std::to_string(::getpid()));
  const ProcessCapture capture = sample_capture();
  ASSERT_TRUE(save_capture(capture, folder).has_value());
  struct stat info{};
  ASSERT_EQ(::stat((folder / "memory.bin").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(load_capture(folder).value(), capture);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hangstack::model
