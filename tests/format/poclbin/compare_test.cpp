#include <gmock/gmock.h>

#include "base/data/bytes.hpp"
#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Differences diff_with(const std::function<void(Archive&)>& change, std::uint32_t version = 9) {
  Archive other = full_archive(version);
  change(other);
  return diff(full_archive(version), other);
}

TEST(PoclbinCompare, an_archive_does_not_differ_from_itself) {
  for (const auto version : all_versions()) {
    const auto found = diff_with([](Archive&) {}, version);
    EXPECT_THAT(found.code, IsEmpty());
    EXPECT_THAT(found.other, IsEmpty());
  }
}

TEST(PoclbinCompare, bitcode_hash_and_order_are_not_code) {
  const auto found = diff_with([](Archive& a) {
    a.root[0][0].content = as_bytes("other");
    a.build_hash = "AA/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG";
    std::swap(a.kernels[0], a.kernels[1]);
  });
  EXPECT_TRUE(found.same_code());
  EXPECT_THAT(found.other,
              ElementsAre("the build hashes differ (AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG and "
                          "AA/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG)",
                          "/program.bc differs (4 and 5 bytes)"));
  EXPECT_THAT(diff_with([](Archive& a) { std::swap(a.kernels[0], a.kernels[1]); }).other,
              ElementsAre("the order of the records differs"));
  EXPECT_THAT(diff_with([](Archive& a) { a.kernels[0].attributes = "x"; }).other,
              ElementsAre("kernel twice: what queries answer differs"));
}

TEST(PoclbinCompare, files_and_launch_facts_are_code) {
  const std::vector<std::pair<std::function<void(Archive&)>, const char*>> cases = {
      {[](Archive& a) { a.device_id = 1; },
       "the device ids differ (0x45ae85fb563b2126 and 0x0000000000000001)"},
      {[](Archive& a) { a.kernels[0].files.pop_back(); },
       "/twice/0-0-0/twice.so is in the first only"},
      {[](Archive& a) {
         a.kernels[1].files = {{"/none/0-0-0/none.so", {}}};
       },
       "/none/0-0-0/none.so is in the second only"},
      {[](Archive& a) { a.kernels[0].files[0].content = as_bytes("edoc"); },
       "/twice/64-1-1-goffs0-smallgrid/twice.so differs (4 and 4 bytes)"},
      {[](Archive& a) { a.kernels.pop_back(); }, "kernel none is in the first only"},
      {[](Archive& a) { a.kernels[0].arguments.pop_back(); },
       "kernel twice: the numbers of arguments differ"},
      {[](Archive& a) { a.kernels[0].arguments[0].type_size = 4; },
       "kernel twice: the arguments differ"},
      {[](Archive& a) { a.kernels[0].local_sizes[0] = 1; },
       "kernel twice: the automatic local sizes differ"},
      {[](Archive& a) { a.kernels[0].required_size[0] = 1; },
       "kernel twice: the required work-group sizes differ"},
  };
  for (const auto& [change, line] : cases) {
    EXPECT_THAT(diff_with(change).code, ElementsAre(line));
    Archive other = full_archive(9);
    change(other);
    // The id is of the code and not of the device that it is for.
    EXPECT_EQ(code_id(other) == code_id(full_archive(9)), other.device_id == 1) << line;
  }
}

TEST(PoclbinCompare, one_program_has_one_id_in_every_version) {
  const Archive archive = small_archive();
  for (const auto version : all_versions()) {
    const auto converted = convert(archive, version);
    ASSERT_TRUE(converted);
    const Archive other = *parse(converted->bytes);
    EXPECT_EQ(code_id(other), code_id(archive)) << version;
    EXPECT_TRUE(diff(archive, other).same_code()) << version;
  }
}

TEST(PoclbinCompare, archives_of_the_wiki_are_compared_by_files) {
  wiki::Archive first, second;
  first.base = "a";
  first.files = {{"program.bc", as_bytes("1")}, {"k/64-1-1/k.so", as_bytes("code")}};
  second = first;
  EXPECT_THAT(diff(first, second).other, IsEmpty());
  second.base = "b";
  second.files[0].content = as_bytes("2");
  EXPECT_TRUE(diff(first, second).same_code());
  EXPECT_THAT(diff(first, second).other,
              ElementsAre("the bases differ (a and b)", "program.bc differs (1 and 1 bytes)"));
  second.files[1].content = as_bytes("edoc");
  EXPECT_THAT(diff(first, second).code, ElementsAre("k/64-1-1/k.so differs (4 and 4 bytes)"));
}

TEST(PoclbinCompare, real_archives_of_one_source_share_code_and_others_do_not) {
  KILN_NEED_FIXTURES();
  const Bytes generic = fixture("saxpy-generic.poclbin.gz"),
              flags = fixture("saxpy-flags.poclbin.gz");
  const Bytes small = fixture("saxpy-64.poclbin.gz"), large = fixture("saxpy-128.poclbin.gz");
  // These options change nothing in this kernel's code, only the header and the bitcode.
  EXPECT_TRUE(diff(*parse(generic), *parse(flags)).same_code());
  EXPECT_THAT(diff(*parse(generic), *parse(flags)).other,
              Contains("the flags differ (0x400000000 and 0x400000001)"));
  EXPECT_FALSE(diff(*parse(generic), *parse(small)).same_code());
  EXPECT_THAT(diff(*parse(small), *parse(large)).code,
              ElementsAre("/saxpy/64-1-1-goffs0-smallgrid/saxpy.so is in the first only",
                          "/saxpy/128-1-1-goffs0-smallgrid/saxpy.so is in the second only"));
  const auto merged = merge(small, large);
  const Bytes both = fixture("saxpy-64-128.poclbin.gz");
  EXPECT_TRUE(diff(*parse(*merged), *parse(both)).same_code());
}

}  // namespace
}  // namespace kiln::poclbin::testing
