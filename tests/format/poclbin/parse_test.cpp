#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "format/allocations.hpp"
#include "format/poclbin/archives.hpp"

namespace kiln::poclbin::testing {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string refusal_with(std::size_t at, T value) {
  Bytes bytes = write(small_archive());
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return refusal(bytes);
}

std::string refusal_of(const std::function<void(Archive&)>& change, std::uint32_t version = 9) {
  Archive archive = full_archive(version);
  change(archive);
  return refusal(write(archive));
}

std::string refusal_of_path(std::string_view path) {
  return refusal_of([&](Archive& a) { a.kernels[0].files.push_back({path, as_bytes("x")}); });
}

TEST(PoclbinParse, a_written_model_is_read_back) {
  for (const std::uint32_t version : all_versions()) {
    const Archive archive = full_archive(version);
    const Bytes bytes = write(archive);
    const auto read = parse(bytes);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(*read == archive);
  }
}

TEST(PoclbinParse, the_model_views_the_bytes) {
  const Bytes bytes = write(small_archive());
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive);
  const std::byte* content = archive->root[0][0].content.data();
  EXPECT_GE(content, bytes.data());
  EXPECT_LT(content, bytes.data() + bytes.size());
}

TEST(PoclbinParse, errors_name_byte_field_and_finding) {
  EXPECT_EQ(refusal_with(Offset::version, std::uint32_t{13}),
            "program archive, byte 16, version: found 13, expected 1 to 12");
  EXPECT_EQ(
      refusal_with(Offset::kernel_count, std::uint32_t{0xffffffff}),
      "program archive, byte 20, kernels: 4294967295 items of at least 68 bytes each, but only 247 "
      "bytes are left");
  EXPECT_EQ(refusal_with(Offset::root, std::uint64_t{1} << 63),
            "program archive, byte 85, root entry: needs 9223372036854775808 bytes, only 186 "
            "are left");
  EXPECT_EQ(refusal_with(Offset::hash + 40, 'A'),
            "program archive, byte 76, build hash: expected a NUL after 40 characters");
  EXPECT_EQ(refusal_with(Offset::kernel, std::uint64_t{0}),
            "program archive, byte 108, struct_size: 0 is below the 68 bytes of the smallest "
            "record");
}

TEST(PoclbinParse, a_corrupt_archive_is_told_from_an_unsupported_one) {
  Bytes bytes = write(small_archive());
  bytes[Offset::version] = std::byte{13};
  EXPECT_EQ(parse(bytes).error().code(), Errc::unsupported);
  bytes[Offset::version] = std::byte{9};
  bytes[0] = std::byte{'P'};
  EXPECT_EQ(parse(bytes).error().code(), Errc::corrupt);
}

TEST(PoclbinParse, unknown_flags_and_binary_types_are_refused) {
  const std::uint64_t executable = std::uint64_t{4} << 32;
  EXPECT_THAT(refusal_with(Offset::flags, executable | 2),
              HasSubstr("unknown bit"));  // from 10 on only
  EXPECT_THAT(refusal_with(Offset::flags, executable | 1u << 31), HasSubstr("unknown bit"));
  for (const std::uint64_t type : {0, 3, 5, 256})
    EXPECT_THAT(refusal_with(Offset::flags, type << 32), HasSubstr("binary type")) << type;
  for (const std::uint64_t type : {1, 2, 4})
    EXPECT_EQ(refusal_with(Offset::flags, type << 32), "accepted") << type;
}

TEST(PoclbinParse, a_version_9_archive_has_just_one_root_entry) {
  EXPECT_THAT(refusal_with(Offset::root_count, std::uint32_t{0}),
              HasSubstr("version 9 has 1 to 1"));
  EXPECT_THAT(refusal_with(Offset::root_count, std::uint32_t{2}),
              HasSubstr("version 9 has 1 to 1"));
}

TEST(PoclbinParse, a_version_11_archive_has_at_most_two_root_entries) {
  EXPECT_EQ(refusal_of([](Archive& a) { a.root.clear(); }, 11), "accepted");
  EXPECT_THAT(refusal_of(
                  [](Archive& a) {
                    a.root.push_back({{"/third", {}}});
                  },
                  11),
              HasSubstr("version 11 has 0 to 2"));
  EXPECT_THAT(refusal_of([](Archive& a) { a.root[1].clear(); }, 11), HasSubstr("0 bytes"));
}

TEST(PoclbinParse, unknown_kernel_flags_are_refused) {
  const auto set_bit = [](unsigned bit) {
    return [bit](Archive& a) { a.kernels[1].metadata_flags |= std::uint64_t{1} << bit; };
  };
  EXPECT_THAT(refusal_of(set_bit(5), 9), HasSubstr("unknown bit"));
  EXPECT_THAT(refusal_of(set_bit(33), 9), HasSubstr("unknown bit"));
  EXPECT_THAT(refusal_of(set_bit(35), 11), HasSubstr("unknown bit"));
}

TEST(PoclbinParse, sizes_that_do_not_meet_are_refused) {
  EXPECT_THAT(refusal_with(Offset::kernel + 8, std::uint64_t{1}), HasSubstr("binaries_size"));
  EXPECT_THAT(refusal_with(Offset::kernel + 16, std::uint32_t{7}), HasSubstr("arginfo_size"));
  EXPECT_THAT(refusal_with(Offset::root, std::uint64_t{24}), HasSubstr("are left"));
}

TEST(PoclbinParse, paths_that_leave_the_kernels_folder_are_refused) {
  for (const char* path : {"/../../../escaped", "/twice/../../x", "-sibling", "//etc/escaped",
                           "/twice/a/../b.so", "/twice/./b.so", "/twice/a//b.so", "/twice/a/",
                           "\\..\\x", "/twice/a\\b.so", "/twice/\x1b[2J", "/twice/a\xff.so"})
    EXPECT_THAT(refusal_of_path(path), HasSubstr("file path: found ")) << path;
  EXPECT_THAT(refusal_of_path(std::string_view("/twice/a\0b", 10)), HasSubstr("control character"));
  EXPECT_THAT(refusal_of_path(std::string(5000, 'a').insert(0, "/")), HasSubstr("768 bytes"));
  for (const char* path : {"/other/0-0-0/other.so", "/twic/a.so", "/twice", "/twice2/a.so"})
    EXPECT_THAT(refusal_of_path(path), HasSubstr("not in the folder of kernel twice")) << path;
  EXPECT_EQ(refusal_of_path("/twice/1-1-1/größe.so"), "accepted");
}

TEST(PoclbinParse, a_path_twice_or_below_a_file_is_refused) {
  EXPECT_THAT(refusal_of_path("/twice/0-0-0/twice.so"), HasSubstr("is there twice"));
  EXPECT_THAT(refusal_of_path("/twice/0-0-0"), HasSubstr("needs a folder where"));
  EXPECT_THAT(refusal_of_path("/twice/0-0-0/twice.so/x"), HasSubstr("needs a folder where"));
  EXPECT_EQ(refusal_of_path("/twice/0-0-0-x/twice.so"), "accepted");
  EXPECT_THAT(refusal_of([](Archive& a) {
                a.root[0].push_back({"/twice", {}});
              }),
              HasSubstr("needs a folder where /twice is a file"));
}

TEST(PoclbinParse, a_kernel_name_is_one_safe_component_and_there_once) {
  const auto named = [](std::string_view name) {
    return refusal_of([name](Archive& a) { a.kernels[1].name = name; });
  };
  for (const std::string_view bad : {"../../x", "..", "", "a/b", "a\\b", "a\nb"})
    EXPECT_THAT(named(bad), HasSubstr("kernel name: found")) << bad;
  EXPECT_THAT(named(std::string_view("a\0b", 3)), HasSubstr("control character"));
  EXPECT_THAT(named("twice"), HasSubstr("twice is there twice"));
  EXPECT_EQ(named("_Z3addPfS_"), "accepted");
}

TEST(PoclbinParse, a_clipped_folder_is_one_of_its_kernel_in_version_11_only) {
  const std::string name(300, 'k');
  const std::string path =
      fmt::format("/{}.{}/0-0-0/k.so", name.substr(0, 20), std::string(40, 'A'));
  const auto change = [&](Archive& a) {
    a.kernels[1].name = name;
    a.kernels[1].files = {{path, as_bytes("x")}};
  };
  EXPECT_EQ(refusal_of(change, 11), "accepted");
  EXPECT_THAT(refusal_of(change, 9), HasSubstr("kernel name"));
}

TEST(PoclbinParse, flags_are_those_of_the_version) {
  const auto flags = [](std::uint32_t version, std::uint64_t value) {
    return refusal_of([=](Archive& a) { a.flags = value; }, version);
  };
  EXPECT_THAT(flags(4, 2), HasSubstr("unknown bit"));  // the binary type came with 5
  EXPECT_EQ(flags(4, 1), "accepted");
  EXPECT_THAT(flags(5, 1), HasSubstr("binary type is 0"));
  for (const std::uint32_t version : {5u, 8u}) EXPECT_EQ(flags(version, 2 << 1), "accepted");
  EXPECT_THAT(flags(8, std::uint64_t{4} << 32), HasSubstr("binary type"));
  EXPECT_THAT(flags(9, 4 << 1), HasSubstr("unknown bit"));
}

TEST(PoclbinParse, only_version_12_has_a_required_sub_group_size) {
  const auto change = [](Archive& a) {
    a.kernels[1].metadata_flags |= std::uint64_t{8} << 32;
    a.kernels[1].required_sub_group = 16;
  };
  EXPECT_EQ(refusal_of(change, 12), "accepted");
  EXPECT_THAT(refusal_of(change, 11), HasSubstr("unknown bit"));
}

TEST(PoclbinParse, versions_2_to_8_have_one_root_file_and_version_1_none) {
  for (const std::uint32_t version : {2u, 8u}) {
    EXPECT_THAT(refusal_of([](Archive& a) { a.root.clear(); }, version), HasSubstr("empty path"));
    EXPECT_NE(refusal_of(
                  [](Archive& a) {
                    a.root.push_back({{"/more", {}}});
                  },
                  version),
              "accepted");
  }
  EXPECT_NE(refusal_of([](Archive& a) { a.root.push_back({{"/program.bc", {}}}); }, 1), "accepted");
}

TEST(PoclbinParse, a_long_kernel_name_is_looked_through_to_its_end) {
  const std::string name = std::string(300, 'k') + "/..";
  EXPECT_THAT(refusal_of([&](Archive& a) { a.kernels[1].name = name; }, 11), HasSubstr("a slash"));
}

TEST(PoclbinParse, an_optional_block_without_its_flag_is_refused) {
  EXPECT_NE(refusal_of([](Archive& a) { a.kernels[0].metadata_flags = 31; }, 11), "accepted");
  EXPECT_NE(refusal_of([](Archive& a) { a.kernels[0].sub_groups.reset(); }, 11), "accepted");
}

TEST(PoclbinParse, a_hash_of_another_length_is_written_as_something_that_is_refused) {
  for (const char* hash : {"", "AB/C", "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEF"})
    EXPECT_THAT(refusal_of([hash](Archive& a) { a.build_hash = hash; }), HasSubstr("build hash"));
}

using kiln::testing::allocated_bytes;

/// Many kernels with many variants each, all files of one size.
class LargeArchive {
 public:
  LargeArchive(int kernels, int variants, std::size_t blob) : content_(blob, 'x') {
    Archive archive = small_archive();
    archive.kernels.clear();
    for (int k = 0; k < kernels; ++k) {
      const auto& name = keep(fmt::format("kernel_{}", k));
      Kernel kernel = small_archive().kernels[0];
      kernel.name = name;
      kernel.files.clear();
      for (int v = 1; v <= variants; ++v)
        kernel.files.push_back(
            {keep(fmt::format("/{0}/{1}-1-1-goffs0/{0}.so", name, v)), as_bytes(content_)});
      archive.kernels.push_back(kernel);
    }
    bytes_ = write(archive);
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  const std::string& keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string content_;
  std::deque<std::string> texts_;
  Bytes bytes_;
};

TEST(PoclbinVerify, it_counts_what_it_saw) {
  const auto verified = verify(LargeArchive(3, 4, 100).bytes());
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_EQ(verified->form, Form::real);
  EXPECT_EQ(verified->version, 9u);
  EXPECT_EQ(verified->kernels, 3u);
  EXPECT_EQ(verified->files, 13u);
  EXPECT_EQ(verified->content_bytes, 1204u);
}

// Every byte that was given out counts, also what was given back.
TEST(PoclbinVerify, memory_goes_with_the_records_and_not_with_their_contents) {
  for (const std::size_t blob : {std::size_t{0}, std::size_t{10'000}}) {
    const LargeArchive archive(200, 12, blob);
    const std::size_t before = allocated_bytes();
    ASSERT_TRUE(verify(archive.bytes()));
    const std::size_t records = 200 * 13 + 1;
    EXPECT_LE(allocated_bytes() - before, 64 * 1024 + 64 * records) << blob;
  }
}

TEST(PoclbinVerify, a_model_takes_less_than_twice_its_file) {
  const LargeArchive archive(50, 4, 500);
  const std::size_t before = allocated_bytes();
  ASSERT_TRUE(parse(archive.bytes()));
  EXPECT_LE(allocated_bytes() - before, 2 * archive.bytes().size());
}

TEST(PoclbinVerify, a_claimed_count_takes_no_memory) {
  Bytes bytes = LargeArchive(2, 2, 100'000).bytes();
  const std::uint32_t many = 5000;  // would fit into the bytes left
  std::memcpy(bytes.data() + 20, &many, sizeof many);
  const std::size_t before = allocated_bytes();
  EXPECT_FALSE(parse(bytes));
  EXPECT_LE(allocated_bytes() - before, 8192u);
}

}  // namespace
}  // namespace kiln::poclbin::testing
