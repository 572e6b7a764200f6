#include "base/os/extract_tree.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class Extraction : public ::testing::Test {
 protected:
  Extraction() {
    fs::create_directory(target_);
    fs::create_directory(outside_);
    value_or_throw(write_file(outside_ / "file", as_bytes("before")));
  }

  ExtractTree open(ExtractTree::Limits limits = {}) {
    return value_or_throw(ExtractTree::open(target_, limits));
  }
  std::string text(const fs::path& path) { return value_or_throw(read_text(path)); }
  std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create());
  fs::path target_ = folder_.path() / "target", outside_ = folder_.path() / "outside";
};

TEST_F(Extraction, files_and_their_folders_appear_below_the_target) {
  auto tree = open();
  EXPECT_TRUE(tree.write("a/b/c", as_bytes("one")));
  EXPECT_TRUE(tree.write("top", as_bytes("")));
  EXPECT_EQ(text(target_ / "a/b/c"), "one");
  EXPECT_EQ(text(target_ / "top"), "");
  EXPECT_EQ(tree.files(), 2u);
  EXPECT_EQ(tree.bytes(), 3u);
  EXPECT_EQ(entries(target_), 2u) << "a file written aside was left";
}

TEST_F(Extraction, a_target_that_is_absent_is_made) {
  fs::remove(target_);
  EXPECT_TRUE(open().write("x", as_bytes("y")));
  EXPECT_EQ(text(target_ / "x"), "y");
}

TEST_F(Extraction, what_stands_there_is_replaced) {
  EXPECT_TRUE(open().write("a", as_bytes("one")));
  EXPECT_TRUE(open().write("a", as_bytes("two")));
  EXPECT_EQ(text(target_ / "a"), "two");
}

TEST_F(Extraction, unsafe_paths_are_refused) {
  auto tree = open();
  const std::string long_name(256, 'x');
  std::string deep = "x";
  for (int i = 0; i < 64; ++i) deep += "/x";
  for (const std::string& path :
       {std::string(), std::string("/etc/x"), std::string(".."), std::string("../x"),
        std::string("a/../../x"), std::string("a/.."), std::string("./a"), std::string("a//b"),
        std::string("a/"), std::string("a\\b"), std::string("a\nb"), std::string("a\0b", 3),
        std::string("\x7f"), long_name, deep}) {
    const auto written = tree.write(path, as_bytes("evil"));
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code(), Errc::refused);
  }
  EXPECT_EQ(entries(target_), 0u);
  EXPECT_EQ(entries(folder_.path()), 2u);
}

TEST_F(Extraction, a_link_to_a_folder_is_not_entered) {
  fs::create_directory_symlink(outside_, target_ / "a");
  const auto written = open().write("a/file", as_bytes("evil"));
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message().find("a link or a file"), std::string::npos);
  EXPECT_EQ(text(outside_ / "file"), "before");
}

TEST_F(Extraction, a_link_deep_in_the_tree_is_not_entered) {
  fs::create_directories(target_ / "a/b");
  fs::create_directory_symlink(outside_, target_ / "a/b/c");
  EXPECT_FALSE(open().write("a/b/c/new", as_bytes("evil")));
  EXPECT_EQ(entries(outside_), 1u);
}

TEST_F(Extraction, a_link_in_the_files_place_is_replaced_not_followed) {
  fs::create_symlink(outside_ / "file", target_ / "a");
  EXPECT_TRUE(open().write("a", as_bytes("new")));
  EXPECT_EQ(text(outside_ / "file"), "before");
  EXPECT_EQ(text(target_ / "a"), "new");
  EXPECT_FALSE(fs::is_symlink(target_ / "a"));
}

TEST_F(Extraction, a_link_planted_between_two_files_leads_nowhere) {
  auto tree = open();
  EXPECT_TRUE(tree.write("a/one", as_bytes("1")));
  fs::remove_all(target_ / "a");
  fs::create_directory_symlink(outside_, target_ / "a");
  EXPECT_FALSE(tree.write("a/file", as_bytes("evil")));
  EXPECT_EQ(text(outside_ / "file"), "before");
}

TEST_F(Extraction, a_file_where_a_folder_is_needed_and_the_other_way_are_errors) {
  auto tree = open();
  EXPECT_TRUE(tree.write("a", as_bytes("1")));
  EXPECT_FALSE(tree.write("a/b", as_bytes("2")));
  EXPECT_TRUE(tree.write("c/d", as_bytes("3")));
  EXPECT_FALSE(tree.write("c", as_bytes("4")));
  EXPECT_EQ(entries(target_), 2u) << "a file written aside was left";
}

TEST_F(Extraction, limits_hold_for_files_and_bytes) {
  auto tree = open({.files = 2, .bytes = 10});
  EXPECT_TRUE(tree.write("a", as_bytes("123456789")));
  EXPECT_FALSE(tree.write("b", as_bytes("12")));
  EXPECT_FALSE(fs::exists(target_ / "b"));
  EXPECT_TRUE(tree.write("c", as_bytes("1")));
  EXPECT_FALSE(tree.write("d", as_bytes("")));
}

TEST_F(Extraction, a_target_that_is_a_file_is_an_error) {
  EXPECT_FALSE(ExtractTree::open(outside_ / "file"));
  EXPECT_FALSE(ExtractTree::open(folder_.path() / "absent/below"));
}

}  // namespace
}  // namespace kiln
