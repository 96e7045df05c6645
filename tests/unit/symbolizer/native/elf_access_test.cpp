// Files that change, or are something else, while they are read.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/mapped_image.h"
#include "symbolizer/native/module_source.h"
#include "symbolizer/native/regular_file.h"
#include "symbolizer/native/section_probe.h"

namespace hangstack::symbolizer {
namespace {

/// A copy of this test's own program, taken away in the destructor.
class Copy {
 public:
  Copy() {
    std::string name = std::filesystem::temp_directory_path() / "hangstack-elf-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "program";
    std::filesystem::copy_file("/proc/self/exe", path_);
  }
  ~Copy() { std::filesystem::remove_all(folder_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  void shrink_to(std::uintmax_t bytes) const { std::filesystem::resize_file(path_, bytes); }
  [[nodiscard]] model::MappedFile mapped() const {
    struct stat status{};
    ::stat(path_.c_str(), &status);
    return {"/program", "", status.st_ino, "", false, {path_}};
  }

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST(MappedImage, PagesThatTheFileLostReadAsZeros) {
  const Copy copy;
  const auto file = RegularFile::open(copy.path());
  ASSERT_TRUE(file);
  const auto image = MappedImage::of(file->descriptor());
  ASSERT_NE(image, nullptr);
  ASSERT_GT(image->bytes().size(), 16384U);
  copy.shrink_to(8192);
  EXPECT_EQ(image->bytes()[1], std::byte{'E'});
  EXPECT_FALSE(image->has_lost_pages());
  EXPECT_TRUE(std::ranges::all_of(image->bytes().subspan(8192), [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_TRUE(image->has_lost_pages());
  EXPECT_EQ(image->bytes()[1], std::byte{'E'});
}

TEST(MappedImage, AnEmptyFileIsNone) {
  const Copy copy;
  copy.shrink_to(0);
  const auto file = RegularFile::open(copy.path());
  ASSERT_TRUE(file);
  EXPECT_EQ(MappedImage::of(file->descriptor()), nullptr);
}

TEST(MappedImage, OtherBusErrorsStillEndTheProgram) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer takes SIGBUS and ends the program by itself";
#endif
  const Copy copy;
  const auto file = RegularFile::open(copy.path());
  const auto image = MappedImage::of(file->descriptor());
  EXPECT_EXIT(
      {
        ::raise(SIGBUS);
        ::raise(SIGBUS);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST(ElfFile, IsNotLostWithAFileThatShrinks) {
  const Copy copy;
  auto opened = ElfFile::open_path(copy.path());
  ASSERT_TRUE(opened);
  const model::ModuleAddress code = (*opened)->section(".text")->start;
  ModuleSource source(std::move(*opened));
  copy.shrink_to(4096);
  EXPECT_FALSE(source.find_symbol("main"));
  EXPECT_FALSE(source.row(code));
  const std::array wanted{code};
  EXPECT_TRUE(source.names(wanted).empty());
  EXPECT_TRUE(source.source(code).empty());
}

TEST(RegularFile, AFifoIsNotWaitedFor) {
  const Copy copy;
  const std::string fifo = copy.folder() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(RegularFile::open(fifo).error().code, model::ErrorCode::bad_elf);
  EXPECT_EQ(RegularFile::open(copy.folder() / "none").error().code, model::ErrorCode::not_found);
}

TEST(SectionProbe, KnowsWhatAFileLacks) {
  const Copy copy;
  EXPECT_TRUE(lacks_section(copy.mapped(), ".PyRuntime"));
  EXPECT_FALSE(lacks_section(copy.mapped(), ".text"));
}

TEST(SectionProbe, IsNotSureOfAnotherFileOrABrokenOne) {
  const Copy copy;
  model::MappedFile file = copy.mapped();
  file.inode += 1;
  EXPECT_FALSE(lacks_section(file, ".PyRuntime"));
  file = copy.mapped();
  file.open_paths = {copy.folder() / "none"};
  EXPECT_FALSE(lacks_section(file, ".PyRuntime"));
  copy.shrink_to(4096);  // without section headers
  EXPECT_FALSE(lacks_section(copy.mapped(), ".PyRuntime"));
}

}  // namespace
}  // namespace hangstack::symbolizer
