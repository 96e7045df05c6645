#include "symbolizer/python/version.h"

#include <gtest/gtest.h>

namespace hangstack::symbolizer {
namespace {

TEST(PythonVersion, HexHasFiveParts) {
  EXPECT_EQ(version_text(*version_from_hex(0x030c01f0)), "3.12.1");
  EXPECT_EQ(version_text(*version_from_hex(0x030d00c2)), "3.13.0rc2");
  EXPECT_EQ(version_text(*version_from_hex(0x030f00a7)), "3.15.0a7");
  EXPECT_EQ(version_from_hex(0x030c0100), std::nullopt);  // no such level
  EXPECT_EQ(version_from_hex(0x020712f0), std::nullopt);
}

TEST(PythonVersion, TextOfPatchlevelHeader) {
  EXPECT_EQ(version_text(*version_from_text("3.8.18")), "3.8.18");
  EXPECT_EQ(version_text(*version_from_text("3.11.0rc1")), "3.11.0rc1");
  EXPECT_EQ(version_text(*version_from_text("3.12.1+")), "3.12.1");
  for (const char* wrong : {"", "3", "3.8", "3.8.", "3.8.x", "3.8.1 ", "3.8.1rc", "x3.8.1", "3.-8.1"}) {
    EXPECT_EQ(version_from_text(wrong), std::nullopt) << wrong;
  }
}

TEST(PythonVersion, PathsOfInterpretersAndLibraries) {
  EXPECT_EQ(version_text(*version_from_path("/usr/bin/python3.9")), "3.9");
  EXPECT_EQ(version_text(*version_from_path("/opt/lib/libpython3.10.so.1.0")), "3.10");
  EXPECT_EQ(version_text(*version_from_path("/opt/bin/python3.13t")), "3.13t");
  for (const char* wrong : {"/usr/bin/python3", "/usr/bin/python", "/opt/python3.9/bin/trainer", "libpython", ""}) {
    EXPECT_EQ(version_from_path(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace hangstack::symbolizer
