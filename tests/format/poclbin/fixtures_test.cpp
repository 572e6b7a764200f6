#include <fmt/format.h>
#include <gmock/gmock.h>

#include "format/poclbin/archives.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::testing {
namespace {

/// The archive parses, and writing it gives the same bytes.
void expect_same_after_writing(const std::string& name) {
  const Bytes bytes = fixture(name);
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive) << name << ": " << archive.error().message();
  EXPECT_TRUE(write(*archive) == bytes) << name;
}

TEST(PoclbinFixtures, real_archives_are_written_back_to_the_byte) {
  KILN_NEED_FIXTURES();
  const auto names = fixture_names("", ".poclbin.gz");
  EXPECT_EQ(names.size(), 8u);
  for (const auto& name : names) expect_same_after_writing(name);
}

TEST(PoclbinFixtures, invented_archives_of_every_version_are_written_back_to_the_byte) {
  KILN_NEED_FIXTURES();
  const auto names = fixture_names("synthetic", ".poclbin");
  EXPECT_EQ(names.size(), 12u);
  for (const auto& name : names) expect_same_after_writing(name);
  for (const auto version : all_versions())
    EXPECT_EQ(parse(fixture(fmt::format("synthetic/v{:02}.poclbin", version)))->version, version);
}

TEST(PoclbinFixtures, invented_archives_hold_what_their_maker_says) {
  KILN_NEED_FIXTURES();
  for (const auto version : all_versions()) {
    const Bytes bytes = fixture(fmt::format("synthetic/v{:02}.poclbin", version));
    const auto archive = parse(bytes);
    ASSERT_TRUE(archive) << archive.error().message();
    EXPECT_EQ(archive->root.size(), version == 1 ? 0u : version < 10 ? 1u : 2u);
    EXPECT_EQ(archive->program_scope_bytes.value_or(0), version < 10 ? 0u : 24u);
    const Kernel* add = archive->find("add");
    ASSERT_NE(add, nullptr);
    EXPECT_EQ(add->local_sizes, (std::vector<std::uint64_t>{16, 4}));
    ASSERT_EQ(add->arguments.size(), 3u);
    EXPECT_EQ(add->arguments[0].type_size, 4u);
    EXPECT_EQ(add->arguments[2].is_local, version < 7 ? 1 : 0);
    EXPECT_EQ(add->work_group.has_value(), version >= 11);
    EXPECT_EQ(add->required_sub_group, version == 12 ? std::optional(8u) : std::nullopt);
    const auto size = archive->find("none")->required_size;
    EXPECT_EQ(size[0], version < 6 ? 0u : 8u);
  }
}

TEST(PoclbinFixtures, archives_of_the_wiki_page_are_written_back_to_the_byte) {
  KILN_NEED_FIXTURES();
  for (const char* name : {"wiki-v1-one-file.poclbin", "wiki-v1-three-files.poclbin"}) {
    const Bytes bytes = fixture(name);
    const auto archive = wiki::parse(bytes);
    ASSERT_TRUE(archive) << archive.error().message();
    EXPECT_TRUE(wiki::write(*archive) == bytes) << name;
    EXPECT_EQ(form_of(bytes), Form::wiki);
    EXPECT_THAT(refusal(bytes), ::testing::HasSubstr("wiki"));
  }
}

TEST(PoclbinFixtures, what_parses_also_verifies) {
  KILN_NEED_FIXTURES();
  for (const char* folder : {"", "synthetic", "hostile"})
    for (const auto& name : fixture_names(folder, folder[0] == 0 ? ".poclbin.gz" : ".poclbin")) {
      const Bytes bytes = fixture(name);
      const auto verified = verify(bytes);
      EXPECT_EQ(verified.has_value(), refusal(bytes) == "accepted") << name;
      if (verified) continue;
      EXPECT_TRUE(verified.error().message().starts_with("program archive, byte ")) << name;
    }
}

// 12 differs in its device id only, and the device is not known to a parser; 20 is well formed and
// has no kernel.
TEST(PoclbinFixtures, hostile_archives_are_refused_with_an_offset) {
  KILN_NEED_FIXTURES();
  const auto names = fixture_names("hostile", ".poclbin");
  EXPECT_EQ(names.size(), 57u);
  for (const auto& name : names) {
    const bool sound = name.find("/00-") != name.npos || name.find("/12-") != name.npos ||
                       name.find("/20-") != name.npos;
    const std::string reason = refusal(fixture(name));
    EXPECT_EQ(reason == "accepted", sound) << name << ": " << reason;
    if (sound) continue;
    EXPECT_TRUE(reason.starts_with("program archive, byte ")) << name << ": " << reason;
  }
}

TEST(PoclbinFixtures, another_device_shows_in_the_model) {
  KILN_NEED_FIXTURES();
  const Bytes control = fixture("hostile/00-control.poclbin");
  const Bytes other = fixture("hostile/12-other-device.poclbin");
  EXPECT_NE(parse(control)->device_id, parse(other)->device_id);
  const std::uint64_t id = parse(control)->device_id;
  EXPECT_TRUE(verify(control, id));
  EXPECT_EQ(verify(other, id).error().message(),
            "program archive, byte 8, device id: found 0x02ee5be95d307b0d, expected "
            "0x02ee5be95d307b0c");
}

TEST(PoclbinFixtures, the_saxpy_archive_reads_as_documented) {
  KILN_NEED_FIXTURES();
  const Bytes bytes = fixture("saxpy-64-128.poclbin.gz");
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->version, 9u);
  EXPECT_EQ(archive->device_id, device_id("pthread-x86_64-pc-linux-gnu-skylake-avx512"));
  EXPECT_EQ(archive->build_hash, "MH/AKKBEEODOOECDDEMDAHPBFOJFAEPJPBAMBMMJ");
  const Kernel* saxpy = archive->find("saxpy");
  ASSERT_NE(saxpy, nullptr);
  EXPECT_EQ(archive->find("sax"), nullptr);
  ASSERT_EQ(saxpy->arguments.size(), 4u);
  EXPECT_EQ(saxpy->arguments[1].name, "x");
  EXPECT_EQ(saxpy->arguments[1].type_name, "float*");
  EXPECT_EQ(saxpy->arguments[1].type_qualifier, 3u);
  EXPECT_EQ(saxpy->metadata_flags, 31u);
  EXPECT_EQ(saxpy->files.size(), 3u);
  const std::vector<Variant> expected = {{.local = {64, 1, 1}}, {.local = {128, 1, 1}}};
  EXPECT_EQ(variants(*saxpy), expected);
}

TEST(PoclbinFixtures, a_required_size_and_locals_are_read) {
  KILN_NEED_FIXTURES();
  const Bytes bytes = fixture("pair-generic.poclbin.gz");
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive);
  const Kernel* sum = archive->find("group_sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->required_size, (std::array<std::uint64_t, 3>{64, 1, 1}));
  EXPECT_EQ(sum->local_sizes, std::vector<std::uint64_t>{4});
  EXPECT_NE(sum->attributes.find("reqd_work_group_size"), std::string_view::npos);
  EXPECT_TRUE(variants(*sum).empty());
}

TEST(PoclbinFixtures, merging_two_launches_gives_the_files_of_both) {
  KILN_NEED_FIXTURES();
  const auto merged = merge(fixture("saxpy-64.poclbin.gz"), fixture("saxpy-128.poclbin.gz"));
  ASSERT_TRUE(merged) << merged.error().message();
  const Bytes both = fixture("saxpy-64-128.poclbin.gz");
  auto expected = listing(*parse(both)), found = listing(*parse(*merged));
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    // program.bc holds the name of a temporary file, so its content is another one.
    if (found[i].starts_with("/program.bc")) continue;
    EXPECT_EQ(found[i], expected[i]);
  }
}

TEST(PoclbinFixtures, merging_different_programs_is_refused) {
  KILN_NEED_FIXTURES();
  const auto merged = merge(fixture("saxpy-64.poclbin.gz"), fixture("pair-generic.poclbin.gz"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code(), Errc::refused);
}

TEST(PoclbinFixtures, every_object_of_the_real_archives_is_one_of_its_kernel) {
  KILN_NEED_FIXTURES();
  std::size_t objects = 0;
  for (const auto& name : fixture_names("", ".poclbin.gz")) {
    const Bytes bytes = fixture(name);
    const auto archive = parse(bytes);
    ASSERT_TRUE(archive);
    for (const Kernel& kernel : archive->kernels)
      for (const File& file : kernel.files) {
        ++objects;
        const auto checked = check_object(file.content, kernel.name);
        EXPECT_TRUE(checked) << name << file.path << ": " << checked.error().message();
        EXPECT_FALSE(check_object(file.content, "another"));
      }
  }
  EXPECT_GE(objects, 15u);
}

}  // namespace
}  // namespace kiln::poclbin::testing
