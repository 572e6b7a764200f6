#include "format/poclbin/path.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kiln::poclbin {
namespace {

TEST(PoclbinPath, ordinary_paths_pass) {
  for (const char* path : {"/program.bc", "/saxpy/0-0-0/saxpy.so", "/a", "/..a/b..", "/.hidden"})
    EXPECT_EQ(path_problem(path), nullptr) << path;
}

TEST(PoclbinPath, components_are_bounded_as_file_systems_bound_them) {
  EXPECT_EQ(component_problem(std::string(255, 'a')), nullptr);
  EXPECT_NE(component_problem(std::string(256, 'a')), nullptr);
  std::string path;
  while (path.size() < longest_path) path += "/abc";
  EXPECT_EQ(path_problem(path), nullptr);
  EXPECT_NE(path_problem(path + "/a"), nullptr);
}

TEST(PoclbinPath, printable_utf8_passes_and_all_else_beyond_ascii_does_not) {
  for (const char* good : {"gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe6\xa0\xb8", "\xf0\x9f\x94\xa5", "\xc2\xa0"})
    EXPECT_EQ(component_problem(good), nullptr) << good;
  for (const char* bad : {"\x80", "\xc2", "\xc2\x85", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3(", "\xe6\xa0", "\xff"})
    EXPECT_NE(component_problem(bad), nullptr) << bad;
}

TEST(PoclbinPath, control_characters_do_not_pass) {
  for (int c = 0; c < 128; ++c) {
    const std::string name = std::string("a") + static_cast<char>(c) + "b";
    const bool bad = c < 0x20 || c == 0x7f || c == '/' || c == '\\';
    EXPECT_EQ(component_problem(name) != nullptr, bad) << c;
  }
}

TEST(PoclbinPath, the_first_component_is_the_kernels_folder) {
  EXPECT_EQ(first_component("/saxpy/0-0-0/saxpy.so"), "saxpy");
  EXPECT_EQ(first_component("/program.bc"), "program.bc");
  EXPECT_EQ(first_component(""), "");
}

TEST(PoclbinPath, clipped_names_belong_to_their_kernel) {
  const std::string digest(40, 'F');
  EXPECT_TRUE(is_folder_of("saxpy", "saxpy", false));
  EXPECT_TRUE(is_folder_of("sax." + digest, "saxpy", true));
  EXPECT_FALSE(is_folder_of("sax." + digest, "saxpy", false));
  EXPECT_FALSE(is_folder_of("say." + digest, "saxpy", true));
  EXPECT_FALSE(is_folder_of("." + digest, "saxpy", true));
  EXPECT_FALSE(is_folder_of("sax.." + digest.substr(1), "saxpy", true));
}

TEST(PoclbinPath, a_relative_path_follows_the_same_rules_without_the_slash) {
  for (const char* path : {"a", "a/b.so", "64-1-1/größe.so"})
    EXPECT_EQ(relative_path_problem(path), nullptr) << path;
  for (const char* path : {"", "/a", "a//b", "a/", "..", "a/../b", "./a", "a\\b", "a\nb"})
    EXPECT_NE(relative_path_problem(path), nullptr) << path;
}

}  // namespace
}  // namespace kiln::poclbin
