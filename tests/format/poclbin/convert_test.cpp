#include <fmt/format.h>
#include <gmock/gmock.h>

#include <deque>

#include "base/data/bytes.hpp"
#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PoclbinConvert, every_version_becomes_every_other) {
  for (const auto from : all_versions())
    for (const auto to : all_versions()) {
      Archive archive = full_archive(from);
      archive.kernels[0].arguments.back().type_size = 4;
      const auto converted = convert(archive, to);
      ASSERT_TRUE(converted) << converted.error().message();
      const auto read = parse(converted->bytes);
      ASSERT_TRUE(read) << from << " to " << to << ": " << read.error().message();
      EXPECT_EQ(read->version, to);
      EXPECT_EQ(read->kernels[0].files, archive.kernels[0].files);
      EXPECT_EQ(read->kernels[0].local_sizes, archive.kernels[0].local_sizes);
      EXPECT_EQ(read->build_hash, archive.build_hash);
    }
}

TEST(PoclbinConvert, to_its_own_version_nothing_changes) {
  for (const auto version : all_versions()) {
    const auto same = convert(full_archive(version), version);
    ASSERT_TRUE(same);
    EXPECT_TRUE(same->bytes == write(full_archive(version)));
    EXPECT_THAT(same->lost, IsEmpty());
    EXPECT_THAT(same->notes, IsEmpty());
  }
}

TEST(PoclbinConvert, there_and_back_gives_the_same_bytes_where_nothing_is_lost) {
  const Bytes bytes = write(small_archive());
  for (const auto version : {10u, 11u, 12u}) {
    const auto there = convert(small_archive(), version);
    ASSERT_TRUE(there);
    EXPECT_THAT(there->lost, IsEmpty());
    const auto back = convert(*parse(there->bytes), 9);
    ASSERT_TRUE(back);
    EXPECT_THAT(back->lost, IsEmpty());
    EXPECT_TRUE(back->bytes == bytes) << version;
  }
}

TEST(PoclbinConvert, it_says_what_is_lost) {
  const auto lost = [](std::uint32_t from, std::uint32_t to) {
    return convert(full_archive(from), to)->lost;
  };
  EXPECT_THAT(lost(12, 11), ElementsAre("kernel twice: the required sub-group size"));
  EXPECT_THAT(lost(11, 10), ElementsAre("kernel twice: the sub-group sizes",
                                        "kernel twice: the work-group limits"));
  EXPECT_THAT(lost(10, 9), ElementsAre("the size of program-scope variables, 24 bytes"));
  EXPECT_THAT(lost(9, 8), ElementsAre("the file /notes/of/another/driver"));
  EXPECT_THAT(lost(7, 6), ElementsAre("kernel twice: the attributes"));
  EXPECT_THAT(lost(6, 5), ElementsAre("kernel twice: the required work-group size"));
  EXPECT_THAT(lost(5, 4), ElementsAre("the binary type, 4"));
  EXPECT_THAT(lost(3, 2), ElementsAre("that denormals are flushed"));
  EXPECT_THAT(lost(2, 1), ElementsAre("the file /program.bc"));
  for (const auto version : {2u, 3u, 4u, 5u, 7u, 8u, 9u, 10u, 11u})
    EXPECT_THAT(lost(version, version + 1), IsEmpty()) << version;
}

TEST(PoclbinConvert, it_says_that_older_versions_have_all_metadata) {
  Archive archive = full_archive(7);
  archive.kernels[0].attributes = {};
  archive.kernels[0].metadata_flags = 3;
  EXPECT_THAT(convert(archive, 6)->lost, ElementsAre("kernel twice: which metadata there are"));
}

TEST(PoclbinConvert, it_says_what_it_assumes) {
  EXPECT_THAT(convert(full_archive(4), 5)->notes,
              ElementsAre("the binary type is assumed to be 4, executable"));
  EXPECT_THAT(convert(full_archive(8), 7)->notes, Contains(HasSubstr("content of program.bc")));
  EXPECT_THAT(convert(full_archive(7), 6)->notes, Contains(HasSubstr("named X-Y-Z, and 1 have")));
  EXPECT_THAT(convert(full_archive(9), 11)->notes, IsEmpty());
}

TEST(PoclbinConvert, a_root_file_stands_in_where_the_version_demands_one) {
  for (const auto version : {2u, 8u, 9u}) {
    const auto converted = convert(*parse(convert(small_archive(), 1)->bytes), version);
    ASSERT_TRUE(converted) << converted.error().message();
    const auto read = parse(converted->bytes);
    ASSERT_EQ(read->root.size(), 1u);
    EXPECT_EQ(read->root[0][0].path, "/no-program.bc");
    const auto back = convert(*read, 1);
    EXPECT_THAT(back->lost, Not(Contains(HasSubstr("file"))));
  }
}

TEST(PoclbinConvert, the_initialiser_of_program_scope_variables_has_an_entry_of_its_own) {
  const auto nine = convert(full_archive(10), 9);
  ASSERT_EQ(parse(nine->bytes)->root.size(), 1u);
  EXPECT_EQ(parse(nine->bytes)->root[0].size(), 3u);
  const auto ten = convert(*parse(nine->bytes), 10);
  ASSERT_EQ(parse(ten->bytes)->root.size(), 2u);
  EXPECT_EQ(parse(ten->bytes)->root[1][0].path, "/pocl.gvar.init/0-0-0/pocl.gvar.init.so");
}

TEST(PoclbinConvert, what_cannot_be_held_is_refused) {
  EXPECT_THAT(convert(full_archive(6), 7).error().message(),
              HasSubstr("kernel twice, argument n: version 7 cannot hold a size of 4294967296"));
  EXPECT_THAT(convert(full_archive(9), 13).error().message(), HasSubstr("expected 1 to 12"));
  EXPECT_FALSE(convert(full_archive(9), 0));
  Archive clipped = full_archive(11);
  const std::string name(300, 'k');
  clipped.kernels[1].name = name;
  EXPECT_THAT(convert(clipped, 9).error().message(),
              HasSubstr("version 9 cannot hold this archive: "));
}

TEST(PoclbinConvert, to_the_wikis_layout_files_stay_and_all_else_is_lost) {
  const Archive archive = full_archive(9);
  const auto converted = convert_to_wiki(archive);
  const auto read = wiki::parse(converted.bytes);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->base, archive.build_hash);
  ASSERT_EQ(read->files.size(), 4u);
  EXPECT_EQ(read->files[2].path, "twice/64-1-1-goffs0-smallgrid/twice.so");
  EXPECT_THAT(converted.lost,
              ElementsAre("the device id, 0x45ae85fb563b2126", "the format version, 9",
                          "the flags, 0x400000001", "kernel twice: arguments, sizes, attributes",
                          "kernel none: arguments, sizes, attributes"));
}

TEST(PoclbinConvert, from_the_wikis_layout_and_back_with_the_metadata_of_the_first) {
  for (const auto version : all_versions()) {
    const Archive archive = full_archive(version);
    const auto there = convert_to_wiki(archive);
    const auto back = convert_from_wiki(*wiki::parse(there.bytes), archive, version);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_TRUE(back->bytes == write(archive)) << version;
    EXPECT_THAT(back->notes, IsEmpty());
  }
}

TEST(PoclbinConvert, other_contents_from_the_wikis_layout_get_another_hash) {
  const Archive archive = full_archive(9);
  const auto there = convert_to_wiki(archive);
  wiki::Archive model = *wiki::parse(there.bytes);
  model.files[2].content = as_bytes("edoc");
  const auto back = convert_from_wiki(model, archive, 9);
  ASSERT_TRUE(back);
  EXPECT_NE(parse(back->bytes)->build_hash, archive.build_hash);
  EXPECT_THAT(back->notes, ElementsAre(HasSubstr("the build hash is new")));
  model = *wiki::parse(there.bytes);
  model.base = "elsewhere";
  EXPECT_NE(parse(convert_from_wiki(model, archive, 9)->bytes)->build_hash, archive.build_hash);
}

TEST(PoclbinConvert, a_base_that_ends_in_a_kernel_is_part_of_its_paths) {
  wiki::Archive model;
  model.base = "ABCD/twice";
  model.files = {{"8-1-1/twice.so", as_bytes("code")}};
  const auto converted = convert_from_wiki(model, full_archive(9), 9);
  ASSERT_TRUE(converted) << converted.error().message();
  EXPECT_EQ(parse(converted->bytes)->kernels[0].files[0].path, "/twice/8-1-1/twice.so");
}

TEST(PoclbinConvert, a_file_of_no_kernel_is_refused) {
  wiki::Archive model;
  model.files = {{"other/0-0-0/other.so", as_bytes("code")}};
  EXPECT_EQ(convert_from_wiki(model, full_archive(9), 9).error().message(),
            "the file other/0-0-0/other.so is of no kernel that the metadata have");
  model.files = {{"stray.txt", {}}};
  EXPECT_FALSE(convert_from_wiki(model, full_archive(9), 9));
}

TEST(PoclbinConvert, real_archives_go_through_every_version) {
  KILN_NEED_FIXTURES();
  for (const auto& name : fixture_names("", ".poclbin.gz")) {
    const Bytes bytes = fixture(name);
    for (const auto version : {10u, 11u, 12u}) {
      const auto there = convert(*parse(bytes), version);
      ASSERT_TRUE(there);
      const auto back = convert(*parse(there->bytes), 9);
      ASSERT_TRUE(back);
      EXPECT_TRUE(back->bytes == bytes) << name << " through " << version;
    }
    const auto wiki = convert_to_wiki(*parse(bytes));
    const auto back = convert_from_wiki(*wiki::parse(wiki.bytes), *parse(bytes), 9);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_TRUE(back->bytes == bytes) << name;
    for (const auto version : {1u, 2u, 6u, 7u, 8u}) EXPECT_TRUE(convert(*parse(bytes), version));
  }
}

}  // namespace
}  // namespace kiln::poclbin::testing
