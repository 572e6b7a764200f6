#include "kiln/version.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Version, of_the_headers_is_that_of_the_library) {
  EXPECT_EQ(version(),
            fmt::format("{}.{}.{}", KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH));
}

TEST(Version, numbers_are_ordered_as_versions_are) {
  static_assert(KILN_VERSION_OF(0, 2, 0) > KILN_VERSION_OF(0, 1, 999));
  static_assert(KILN_VERSION_OF(1, 0, 0) > KILN_VERSION_OF(0, 999, 999));
#if KILN_VERSION < KILN_VERSION_OF(0, 2, 0)
  FAIL() << "the preprocessor reads them otherwise";
#endif
  EXPECT_EQ(KILN_VERSION / 1000000, KILN_VERSION_MAJOR);
}

}  // namespace
}  // namespace kiln
