#include <fmt/format.h>
#include <unistd.h>

#include "cli/poclbin/support.hpp"

// Inputs, outputs and folders that are not what they should be.
namespace {

namespace fs = std::filesystem;
using kiln::as_text;
using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

class PoclbinHostile : public kiln::testing::PoclbinTest {
 protected:
  PoclbinHostile() { write_archive("a.poclbin", archive()); }

  /// Every sub-command that reads an archive, reading that one.
  std::vector<std::vector<std::string>> readers(const std::string& file) const {
    std::vector<std::vector<std::string>> all;
    for (std::vector<std::string> words : std::initializer_list<std::vector<std::string>>{
             {"info", file},
             {"ls", file},
             {"verify", file},
             {"diff", "a.poclbin", file},
             {"diff", file, "a.poclbin"},
             {"merge", "a.poclbin", file, "-o", "out"},
             {"extract", file, "-C", "out"},
             {"strip", "--program-bc", file, "-o", "out"},
             {"convert", "--to", "9", file, "-o", "out"},
             {"check-device", file},
             {"create", ".", "--metadata-from", file, "-o", "out"}}) {
      words.insert(words.begin(), "poclbin");
      all.push_back(words);
    }
    return all;
  }

  /// Whether as_plain_user really runs without root's rights.
  bool can_be_plain_user() {
    fs::permissions(folder(), fs::perms(0755));
    return ::geteuid() != 0 || bash(plain_user + " true").exit_code == 0;
  }
  ::kiln::ProcessResult as_plain_user(const std::string& words) {
    return bash((::geteuid() == 0 ? plain_user : "exec") + " $KILN poclbin " + words);
  }
  const std::string plain_user = "setpriv --reuid 65534 --regid 65534 --clear-groups";

  void expect_all_refuse(const std::string& file, int code, const std::string& part) {
    const std::size_t before = entries();
    for (const auto& words : readers(file)) {
      SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
      expect_refusal(kiln(words), code, part);
    }
    EXPECT_EQ(entries(), before);
  }
};

TEST_F(PoclbinHostile, an_empty_file_is_no_archive) {
  write("empty", "");
  expect_all_refuse("empty", 2, "empty: program archive, byte 0, magic");
}

TEST_F(PoclbinHostile, a_folder_and_an_absent_file_are_no_archives) {
  fs::create_directory(folder() / "folder");
  expect_all_refuse("folder", 2, "folder");
  expect_all_refuse("absent", 2, "absent: No such file");
}

TEST_F(PoclbinHostile, a_sparse_file_of_5_gb_is_refused_unread) {
  write("sparse", "");
  fs::resize_file(folder() / "sparse", std::uintmax_t{5} << 30);
  expect_all_refuse("sparse", 2, "sparse");
}

TEST_F(PoclbinHostile, a_file_without_permission_is_named) {
  if (!can_be_plain_user()) GTEST_SKIP() << "this user may read everything";
  fs::permissions(folder() / "a.poclbin", fs::perms::none);
  expect_refusal(as_plain_user("verify a.poclbin"), 1, "a.poclbin: Permission denied");
}

TEST_F(PoclbinHostile, a_folder_without_permission_keeps_its_files) {
  if (!can_be_plain_user()) GTEST_SKIP() << "this user may write everywhere";
  fs::create_directory(folder() / "closed");
  write("closed/b", "before");
  fs::permissions(folder() / "closed", fs::perms::owner_read | fs::perms::owner_exec |
                                           fs::perms::others_read | fs::perms::others_exec);
  expect_refusal(as_plain_user("convert --to 11 a.poclbin -o closed/b"), 1, "Permission denied");
  EXPECT_EQ(as_text(read("closed/b")), "before");
  expect_refusal(as_plain_user("extract -q a.poclbin -C closed"), 1, "Permission denied");
}

TEST_F(PoclbinHostile, a_pipe_is_read_to_its_end) {
  const auto result = bash("cat a.poclbin | $KILN poclbin verify -");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("/dev/stdin: ok; "));
  EXPECT_EQ(bash("$KILN poclbin verify <(cat a.poclbin)").exit_code, 0);
  EXPECT_EQ(bash("$KILN poclbin diff <(cat a.poclbin) a.poclbin").exit_code, 0);
  EXPECT_EQ(bash("cat a.poclbin | $KILN poclbin strip --program-bc -").exit_code, 2);
}

// The limit on file sizes takes the place of a full disk: both make a write fail half-way.
TEST_F(PoclbinHostile, a_write_that_fails_leaves_everything_as_it_was) {
  auto large = archive();
  const std::string code(1 << 20, 'x');
  large.kernels[0].files.push_back({"/twice/8-1-1/twice.so", kiln::as_bytes(code)});
  write_archive("large.poclbin", large);
  write("kept", "before");
  const std::size_t before = entries();
  const std::string limit = "trap '' XFSZ; ulimit -f 64; ";
  for (const char* words :
       {"merge large.poclbin -o kept", "convert --to 11 large.poclbin -o kept",
        "strip --program-bc large.poclbin -o kept", "strip --program-bc large.poclbin"}) {
    const auto result = bash(fmt::format("{} $KILN poclbin {}", limit, words));
    EXPECT_EQ(result.exit_code, 1) << words << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("File too large")) << words;
  }
  EXPECT_EQ(as_text(read("kept")), "before");
  EXPECT_TRUE(read("large.poclbin") == kiln::poclbin::write(large));
  EXPECT_EQ(entries(), before);
}

TEST_F(PoclbinHostile, extraction_that_fails_leaves_no_half_file) {
  auto large = archive();
  const std::string code(1 << 20, 'x');
  large.kernels[0].files.push_back({"/twice/8-1-1/twice.so", kiln::as_bytes(code)});
  write_archive("large.poclbin", large);
  const auto result =
      bash("trap '' XFSZ; ulimit -f 64; $KILN poclbin extract -q large.poclbin -C out");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_TRUE(fs::is_empty(folder() / "out/twice/8-1-1"));
}

TEST_F(PoclbinHostile, an_output_that_is_no_file_is_written_and_not_replaced) {
  fs::create_directory(folder() / "folder");
  expect_refusal(kiln({"poclbin", "convert", "--to", "9", "a.poclbin", "-o", "folder"}), 2,
                 "folder");
  expect_refusal(kiln({"poclbin", "convert", "--to", "9", "a.poclbin", "-o", "/dev/full"}), 1,
                 "No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(
      bash("$KILN poclbin convert --to 9 a.poclbin -o /dev/stdout | cmp - a.poclbin").exit_code, 0);
  EXPECT_EQ(bash("$KILN poclbin strip --program-bc <(cat a.poclbin)").exit_code, 2);
}

TEST_F(PoclbinHostile, nothing_is_extracted_through_planted_links) {
  fs::create_directories(folder() / "out");
  fs::create_directories(folder() / "elsewhere/0-0-0");
  fs::create_directory_symlink(folder() / "elsewhere", folder() / "out/twice");
  expect_refusal(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}), 1, "a link");
  EXPECT_TRUE(fs::is_empty(folder() / "elsewhere/0-0-0"));
  fs::remove(folder() / "out/twice");
  // A link in a file's own place is replaced, and what it led to stays.
  write("victim", "untouched");
  fs::remove(folder() / "out/program.bc");
  fs::create_symlink(folder() / "victim", folder() / "out/program.bc");
  EXPECT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}).exit_code, 0);
  EXPECT_EQ(as_text(read("victim")), "untouched");
  EXPECT_FALSE(fs::is_symlink(folder() / "out/program.bc"));
}

TEST_F(PoclbinHostile, limits_are_checked_before_anything_is_written) {
  expect_refusal(kiln({"poclbin", "extract", "a.poclbin", "-C", "out", "--max-files", "3"}), 1,
                 "3 files and the description are more than --max-files 3");
  expect_refusal(kiln({"poclbin", "extract", "a.poclbin", "-C", "out", "--max-bytes", "9"}), 1,
                 "more than --max-bytes 9");
  EXPECT_FALSE(fs::exists(folder() / "out"));
  EXPECT_EQ(
      kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out", "--max-files", "4"}).exit_code,
      0);
}

TEST_F(PoclbinHostile, a_file_with_the_descriptions_name_is_refused) {
  auto made = archive();
  made.root[0].push_back({"/poclbin.json", {}});
  write_archive("b.poclbin", made);
  expect_refusal(kiln({"poclbin", "extract", "b.poclbin", "-C", "out"}), 2,
                 "holds a file poclbin.json");
}

TEST_F(PoclbinHostile, create_follows_no_links) {
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}).exit_code, 0);
  fs::create_symlink("/etc/hostname", folder() / "out/twice/secret");
  expect_refusal(kiln({"poclbin", "create", "out", "-o", "b"}), 2, "neither a file nor a folder");
}

TEST_F(PoclbinHostile, create_refuses_files_without_a_place) {
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "a.poclbin", "-C", "out"}).exit_code, 0);
  write("out/twice/bad\nname", "x");
  const auto result = kiln({"poclbin", "create", "out", "-o", "b"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("out does not make a sound archive: program archive, byte"));
  EXPECT_FALSE(fs::exists(folder() / "b"));
}

}  // namespace
