#include <gtest/gtest.h>

#include <cstdlib>

#include "store/support.hpp"

namespace kiln {
namespace {

/// The answer under these variables (null: unset); HOME is put back.
StoreLocation location_with(const char* own, const char* cache, const char* home) {
  const auto set = [](const char* name, const char* value) {
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  };
  const std::string before = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  set("KILN_STORE", own);
  set("XDG_CACHE_HOME", cache);
  set("HOME", home);
  auto location = default_store_location();
  set("KILN_STORE", nullptr);
  set("XDG_CACHE_HOME", nullptr);
  set("HOME", before.empty() ? nullptr : before.c_str());
  return location;
}

TEST(StoreLocation, the_own_variable_wins) {
  const auto location = location_with("some/folder", "/cache", "/home/u");
  EXPECT_EQ(location.folder, "some/folder");
  EXPECT_EQ(location.origin, "KILN_STORE");
}

TEST(StoreLocation, off_is_no_folder) {
  const auto location = location_with("off", "/cache", "/home/u");
  EXPECT_EQ(location.folder, "");
  EXPECT_EQ(location.origin, "KILN_STORE");
}

TEST(StoreLocation, an_empty_variable_counts_as_unset) {
  EXPECT_EQ(location_with("", "/cache", "/home/u").folder, "/cache/kiln");
  EXPECT_EQ(location_with("", "", "/home/u").folder, "/home/u/.cache/kiln");
}

TEST(StoreLocation, relative_cache_and_home_folders_are_ignored) {
  EXPECT_EQ(location_with(nullptr, "cache", "/home/u").origin, "HOME");
  const auto location = location_with(nullptr, "cache", "home");
  EXPECT_EQ(location.folder, "");
  EXPECT_EQ(location.origin, "no home folder");
}

}  // namespace
}  // namespace kiln
