#include <gmock/gmock.h>

#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::HasSubstr;

TEST(PoclbinRelease, each_release_reads_its_own_versions) {
  const auto range = [](const char* text) { return versions_of_release(text); };
  EXPECT_EQ(range("OpenCL 1.2 pocl 0.14, LLVM 4.0"), (VersionRange{1, 1}));
  EXPECT_EQ(range("OpenCL 1.2 pocl 1.1 None+Asserts"), (VersionRange{6, 6}));
  EXPECT_EQ(range("OpenCL 2.0 pocl 1.7"), (VersionRange{6, 7}));
  EXPECT_EQ(range("OpenCL 2.0 pocl 3.0"), (VersionRange{8, 8}));
  EXPECT_EQ(range("OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts"), (VersionRange{9, 9}));
  EXPECT_EQ(range("OpenCL 3.0 PoCL 4.0"), (VersionRange{9, 11}));
  EXPECT_EQ(range("OpenCL 3.0 PoCL 7.1  Linux"), (VersionRange{9, 11}));
  EXPECT_EQ(range("OpenCL 3.0 PoCL 7.2-RC1"), (VersionRange{9, 12}));
  EXPECT_EQ(range("OpenCL 3.0 PoCL 10.0"), (VersionRange{9, 12}));
  for (const char* text : {"", "OpenCL 3.0 CUDA 12.4", "PoCL x", "PoCL 3", "pocl 0.13"})
    EXPECT_EQ(range(text), std::nullopt) << text;
}

TEST(PoclbinRelease, a_refusal_shows_both_sides) {
  const Archive archive = small_archive();
  EXPECT_EQ(device_refusal(archive, "pthread-example", "OpenCL 3.0 PoCL 3.1"), "");
  EXPECT_EQ(device_refusal(archive, "pthread-example", ""), "");
  EXPECT_EQ(device_refusal(archive, "pthread-other", ""),
            "the device is 'pthread-other', id 0x7c3d17d4edb2a19a; the archive was made for a "
            "device of id 0x45ae85fb563b2126");
  EXPECT_THAT(device_refusal(archive, "", ""), HasSubstr("not PoCL's"));
}

TEST(PoclbinRelease, a_version_that_the_release_would_misread_is_refused) {
  const auto refusal = [](std::uint32_t version) {
    return device_refusal(full_archive(version), "pthread-example", "OpenCL 3.0 PoCL 3.1+debian");
  };
  EXPECT_THAT(refusal(8), HasSubstr("format version 8; this PoCL reads 9 and later"));
  EXPECT_EQ(refusal(9), "");
  EXPECT_THAT(refusal(11), HasSubstr("knows none above 9, and misreads them"));
}

}  // namespace
}  // namespace kiln::poclbin::testing
