#include "symbolizer/native/process_modules.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "model/segment_reader.h"
#include "tests/support/self_capture.h"

extern "C" __attribute__((noinline, visibility("default"))) int hangstack_test_function(int x) {
  asm volatile("nop; nop; nop; nop");
  return x + 1;
}
extern "C" {
__attribute__((visibility("default"))) int hangstack_test_datum[12] = {1};
}

namespace hangstack::symbolizer {
namespace {

using model::ModuleAddress;
using model::RemoteAddress;

RemoteAddress address_of(const void* p) { return RemoteAddress{reinterpret_cast<std::uint64_t>(p)}; }
const void* code() { return reinterpret_cast<const void*>(&hangstack_test_function); }

struct Self {
  model::ProcessCapture capture = tests::capture_of_self();
  model::SegmentReader memory = model::SegmentReader::of_process(capture);
  ModuleCache cache;
  ProcessModules modules{capture, cache, memory};
};

TEST(ProcessModules, FindsTheFunctionOfAnAddress) {
  Self self;
  const auto place = self.modules.find(address_of(code()) + 3);
  ASSERT_TRUE(place);
  const auto symbol = place->module->find_symbol("hangstack_test_function");
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->address.value + 3, place->address.value);
  EXPECT_EQ(place->load_bias + place->address.value, address_of(code()).value + 3);
  const auto range = place->module->function_range(place->address);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->start, symbol->address);
  EXPECT_EQ(range->size(), symbol->size);
}

TEST(ProcessModules, NamesManyAddressesInOnePass) {
  Self self;
  const auto place = self.modules.find(address_of(code()));
  ASSERT_TRUE(place);
  const std::vector<ModuleAddress> wanted{place->address, ModuleAddress{place->address.value + 2}, ModuleAddress{1}};
  place->module->resolve_names(wanted);
  ASSERT_NE(place->module->name_at(wanted[0]), nullptr);
  EXPECT_EQ(place->module->name_at(wanted[1])->raw, "hangstack_test_function");
  EXPECT_EQ(place->module->name_at(wanted[2]), nullptr);
}

TEST(ProcessModules, DataSymbolsHaveAddressAndSize) {
  Self self;
  const auto place = self.modules.find(address_of(code()));
  const auto datum = place->module->find_symbol("hangstack_test_datum");
  ASSERT_TRUE(datum);
  EXPECT_EQ(datum->size, sizeof hangstack_test_datum);
  EXPECT_EQ(datum->address.value + place->load_bias, address_of(hangstack_test_datum).value);
  int first = 0;
  EXPECT_EQ(place->module->read(datum->address, std::as_writable_bytes(std::span(&first, 1))), sizeof first);
  EXPECT_EQ(first, 1);
}

TEST(ProcessModules, ACopyThatIsMerelyReadIsNotTheLoadedOne) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&strtod), &info), 0);
  const int fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  void* copy = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  ASSERT_NE(copy, MAP_FAILED);
  close(fd);
  Self self;
  munmap(copy, 4096);
  const auto place = self.modules.find(address_of(reinterpret_cast<const void*>(&strtod)));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->load_bias, reinterpret_cast<std::uint64_t>(info.dli_fbase));
  for (const auto& file : self.capture.files) {
    if (&self.modules.module_of(file) != place->module) continue;
    const auto copies = self.modules.copies_of(file);
    ASSERT_EQ(copies.size(), 2U);
    for (const LoadedModule& c : copies) EXPECT_EQ(c.executable, c.load_bias == place->load_bias);
  }
}

TEST(ProcessModules, AnonymousMemoryHasNoModule) {
  Self self;
  int on_stack = 0;
  EXPECT_FALSE(self.modules.find(address_of(&on_stack)));
  EXPECT_NE(self.modules.mapping_at(address_of(&on_stack)), nullptr);
  EXPECT_FALSE(self.modules.find(RemoteAddress{8}));
  EXPECT_EQ(self.modules.mapping_at(RemoteAddress{8}), nullptr);
}

TEST(Module, AReplacedFileIsNotUsed) {
  Self self;
  model::MappedFile file = self.capture.files.front();
  file.build_id = "00112233445566778899aabbccddeeff00112233";
  Module& module = self.cache.module_of(file);
  EXPECT_FALSE(module.available());
  EXPECT_NE(module.unavailable_because().find("was replaced"), std::string::npos);
  EXPECT_FALSE(module.find_symbol("main"));
}

}  // namespace
}  // namespace hangstack::symbolizer
