#include "base/lifetime.hpp"

#include <gtest/gtest.h>

namespace kiln {
namespace {

struct Counted {
  explicit Counted(int& ends) : ends_(ends) {}
  ~Counted() { ++ends_; }
  int& ends_;
};

TEST(NeverDestroyed, holds_its_object_itself_and_never_ends_it) {
  int ends = 0;
  {
    const NeverDestroyed<Counted> kept(ends);
    const auto* const begin = reinterpret_cast<const char*>(&kept);
    const auto* const object = reinterpret_cast<const char*>(&*kept);
    EXPECT_GE(object, begin);
    EXPECT_LE(object + sizeof(Counted), begin + sizeof kept);
    EXPECT_EQ(&kept->ends_, &ends);
  }
  EXPECT_EQ(ends, 0);
}

}  // namespace
}  // namespace kiln
