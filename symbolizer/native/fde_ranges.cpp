#include "symbolizer/native/fde_ranges.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace hangstack::symbolizer {

namespace {

// Pointer encodings (LSB 5.0, section 10.5.1).
constexpr std::uint8_t kOmit = 0xff;
constexpr std::uint8_t kDataRelSdata4 = 0x3b;
constexpr std::uint8_t kUdata4 = 0x03;
constexpr std::size_t kMaxEntries = 4'000'000;

/// Reads little-endian values of a bounded run of bytes; `ok` turns false at the first read beyond it.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::uint64_t address) : bytes_(bytes), address_(address) {}

  template <typename T>
  T take() {
    T value{};
    if (bytes_.size() - at_ < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::uint64_t take_uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return value;
  }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      ok_ = false;
    } else {
      at_ += count;
    }
  }
  std::string_view take_string() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    at_ += end + 1;
    return rest.substr(0, end);
  }
  /// A pointer in one of the encodings that compilers emit for x86-64; anything else is a failure.
  std::uint64_t take_encoded(std::uint8_t encoding, bool relative_allowed) {
    const std::uint64_t here = address_ + at_;
    std::uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c: value = take<std::uint64_t>(); break;
      case 0x03: value = take<std::uint32_t>(); break;
      case 0x0b: value = static_cast<std::uint64_t>(std::int64_t{take<std::int32_t>()}); break;
      case 0x02: value = take<std::uint16_t>(); break;
      case 0x0a: value = static_cast<std::uint64_t>(std::int64_t{take<std::int16_t>()}); break;
      default: ok_ = false;
    }
    if (!relative_allowed) return value;
    switch (encoding & 0x70) {
      case 0x00: return value;
      case 0x10: return value + here;
      default: ok_ = false; return value;
    }
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::uint64_t address() const { return address_ + at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] Cursor sub(std::uint64_t count) const { return {bytes_.subspan(at_, count), address()}; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t address_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// The body of an entry: what follows its length.
std::optional<Cursor> take_entry(Cursor& cursor, bool& is_64) {
  std::uint64_t length = cursor.take<std::uint32_t>();
  is_64 = length == 0xffffffff;
  if (is_64) length = cursor.take<std::uint64_t>();
  if (!cursor.ok() || length == 0 || length > cursor.left()) return std::nullopt;
  Cursor body = cursor.sub(length);
  cursor.skip(length);
  return body;
}

/// The encoding of code pointers in FDEs of this CIE.
std::uint8_t pointer_encoding(Cursor cie) {
  bool is_64 = false;
  auto body = take_entry(cie, is_64);
  if (!body) return kOmit;
  body->skip(is_64 ? 8 : 4);
  const auto version = body->take<std::uint8_t>();
  const std::string_view augmentation = body->take_string();
  if (version >= 4) body->skip(2);
  body->take_uleb();
  body->take_uleb();
  if (version == 1) {
    body->skip(1);
  } else {
    body->take_uleb();
  }
  if (!augmentation.starts_with('z')) return body->ok() ? 0x00 : kOmit;
  body->take_uleb();
  std::uint8_t encoding = 0x00;
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') {
      encoding = body->take<std::uint8_t>();
    } else if (c == 'L') {
      body->skip(1);
    } else if (c == 'P') {
      body->take_encoded(body->take<std::uint8_t>(), false);
    } else if (c != 'S' && c != 'B') {
      break;
    }
  }
  return body->ok() ? encoding : kOmit;
}

std::optional<AddressRange> range_of(std::uint64_t start, std::uint64_t length) {
  if (length == 0 || start + length < start) return std::nullopt;
  return AddressRange{model::ModuleAddress{start}, model::ModuleAddress{start + length}};
}

/// The range of the .eh_frame FDE at `address`.
std::optional<AddressRange> fde_range(const ElfFile& file, std::uint64_t address) {
  Cursor cursor(file.bytes_from(model::ModuleAddress{address}), address);
  bool is_64 = false;
  auto body = take_entry(cursor, is_64);
  if (!body || is_64) return std::nullopt;
  const std::uint64_t pointer_at = body->address();
  const auto back = body->take<std::uint32_t>();
  if (!body->ok() || back == 0) return std::nullopt;
  const std::uint64_t cie = pointer_at - back;
  const auto encoding = pointer_encoding({file.bytes_from(model::ModuleAddress{cie}), cie});
  if (encoding == kOmit) return std::nullopt;
  const std::uint64_t start = body->take_encoded(encoding, true);
  const std::uint64_t length = body->take_encoded(encoding & 0x0f, false);
  return body->ok() ? range_of(start, length) : std::nullopt;
}

std::optional<AddressRange> debug_frame_range(Cursor body, bool is_64) {
  const std::uint64_t id = is_64 ? body.take<std::uint64_t>() : body.take<std::uint32_t>();
  if (id == (is_64 ? ~std::uint64_t{0} : 0xffffffffU)) return std::nullopt;
  const auto start = body.take<std::uint64_t>();
  const auto length = body.take<std::uint64_t>();
  return body.ok() ? range_of(start, length) : std::nullopt;
}

}  // namespace

std::optional<FdeRanges::SearchResult> FdeRanges::by_header(const AddressRange& header,
                                                            model::ModuleAddress address) const {
  Cursor cursor(file_->bytes_from(header.start), header.start.value);
  const auto version = cursor.take<std::uint8_t>();
  const auto frame_encoding = cursor.take<std::uint8_t>();
  const auto count_encoding = cursor.take<std::uint8_t>();
  const auto table_encoding = cursor.take<std::uint8_t>();
  cursor.take_encoded(frame_encoding, true);
  std::uint64_t count = cursor.take<std::uint32_t>();
  if (!cursor.ok() || version != 1 || count_encoding != kUdata4 || table_encoding != kDataRelSdata4) {
    return std::nullopt;
  }
  count = std::min<std::uint64_t>(count, cursor.left() / 8);
  const auto field = [&](std::uint64_t index, std::uint64_t skip) {
    Cursor entry = cursor;
    entry.skip(index * 8 + skip);
    return header.start.value + static_cast<std::uint64_t>(std::int64_t{entry.take<std::int32_t>()});
  };
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (field(middle, 0) <= address.value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return SearchResult{};
  return SearchResult{fde_range(*file_, field(low - 1, 4))};
}

void FdeRanges::read_all() {
  if (read_) return;
  read_ = true;
  const bool eh = kind_ == FrameSection::eh_frame;
  const auto section = file_->section_bytes(eh ? ".eh_frame" : ".debug_frame");
  if (!section) return;
  Cursor cursor(section->bytes, section->address);
  while (cursor.ok() && cursor.left() > 4 && ranges_.size() < kMaxEntries) {
    const std::uint64_t entry = cursor.address();
    bool is_64 = false;
    const auto body = take_entry(cursor, is_64);
    if (!body) break;
    const auto range = eh ? fde_range(*file_, entry) : debug_frame_range(*body, is_64);
    if (range) ranges_.push_back(*range);
  }
  std::ranges::sort(ranges_, {}, &AddressRange::start);
}

std::optional<AddressRange> FdeRanges::at(model::ModuleAddress address) {
  if (file_ == nullptr) return std::nullopt;
  const auto header = file_->eh_frame_header();
  if (kind_ == FrameSection::eh_frame && header) {
    // With a search table a miss means "none" (LLVM PR 167849): the section is not scanned.
    if (const auto found = by_header(*header, address))
      return found->range && found->range->contains(address) ? found->range : std::nullopt;
  }
  read_all();
  auto next = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::start);
  if (next == ranges_.begin() || !std::prev(next)->contains(address)) return std::nullopt;
  return *std::prev(next);
}

}  // namespace hangstack::symbolizer
