#include "model/capture_codec.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "model/capture_json.h"
#include "model/private_file.h"

namespace hangstack::model {
namespace {

constexpr auto kSchema = "hangstack-capture/1";

/// nlohmann's only way to say that a key is missing or of the wrong type is an exception: it ends here.
template <typename T, typename Decode>
Expected<T> fenced(std::string_view json, Decode decode) {
  try {
    return decode(nlohmann::json::parse(json));
  } catch (const nlohmann::json::exception& e) {
    return failure(ErrorCode::malformed_input, fmt::format("not a capture: {}", e.what()),
                   "give the folder that --capture wrote");
  } catch (const std::out_of_range& e) {
    return failure(ErrorCode::malformed_input, fmt::format("not a capture: {}", e.what()),
                   "give the folder that --capture wrote, with its memory.bin");
  }
}

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

EncodedCapture encode_capture(const ProcessCapture& capture) {
  EncodedCapture encoded;
  nlohmann::json json = capture_to_json(capture, encoded.memory);
  json["schema"] = kSchema;
  encoded.json = dump(json);
  return encoded;
}

Expected<ProcessCapture> decode_capture(std::string_view json, std::string_view memory) {
  return fenced<ProcessCapture>(json, [&](const nlohmann::json& j) -> Expected<ProcessCapture> {
    if (const auto& schema = j.at("schema"); schema != kSchema) {
      return failure(ErrorCode::malformed_input,
                     fmt::format("a capture of schema {}, not {}",
                                 schema.is_string() ? schema.get_ref<const std::string&>() : "(no text)", kSchema),
                     "replay it with the hangstack that wrote it");
    }
    return capture_from_json(j, memory);
  });
}

Expected<void> save_capture(const ProcessCapture& capture, const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return failure(ErrorCode::unavailable, fmt::format("cannot create {}: {}", folder.string(), code.message()),
                   "name a folder that you may write");
  }
  ::chmod(folder.c_str(), 0700);
  const EncodedCapture encoded = encode_capture(capture);
  return write_private_file(folder / "capture.json", encoded.json).and_then([&] {
    return write_private_file(folder / "memory.bin", encoded.memory);
  });
}

Expected<ProcessCapture> load_capture(const std::filesystem::path& folder) {
  return read_kept_file(folder / "capture.json").and_then([&](const std::string& json) {
    return read_kept_file(folder / "memory.bin").and_then([&](const std::string& memory) {
      return decode_capture(json, memory).map_error([&](Error error) {
        error.message = fmt::format("{}: {}", (folder / "capture.json").string(), error.message);
        return error;
      });
    });
  });
}

}  // namespace hangstack::model
