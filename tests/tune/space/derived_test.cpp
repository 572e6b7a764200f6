#include <gmock/gmock.h>

#include "../support.hpp"
#include "tune/space/search_space.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::space;

expr::Expression parsed(std::string_view text) {
  return expr::Expression::parse(text, expr::Dialect::python3).value();
}

constexpr DeviceBounds kDevice{1024, {1024, 1024, 64}, 49152};

struct Derived : ::testing::Test {
  SearchSpace made = space({"TS=8,16,64", "WPT=1,2,4"});
  expr::Scope sizes;
  DerivedValues derived{{parsed("M"), parsed("N / WPT")},
                        {parsed("TS"), parsed("TS / WPT")},
                        parsed("TS * TS * 4 * 2")};
  Derived() {
    sizes.set("M", 512);
    sizes.set("N", 256);
  }
  ConfigurationId at(std::uint16_t ts, std::uint16_t wpt) {
    return made.find(Positions{ts, wpt}).value();
  }
};

TEST_F(Derived, are_evaluated_for_one_configuration) {
  const auto needs = needs_of(derived, made, at(1, 1), sizes).value();
  EXPECT_EQ(needs.global_size, (std::vector<std::size_t>{512, 128}));
  EXPECT_EQ(needs.local_size, (std::vector<std::size_t>{16, 8}));
  EXPECT_EQ(needs.local_memory, 2048u);
  EXPECT_EQ(refusal(needs, kDevice), std::nullopt);
}

TEST_F(Derived, say_what_is_no_size) {
  derived.local_size[1] = parsed("TS / 3");
  EXPECT_THAT(message_of(needs_of(derived, made, at(0, 0), sizes)),
              HasSubstr("local size 'TS / 3': found 2.66"));
  derived.local_size[1] = parsed("WPT - 1");
  EXPECT_THAT(message_of(needs_of(derived, made, at(0, 0), sizes)),
              HasSubstr("found 0, expected an integer from 1 up"));
  derived.global_size[0] = parsed("K");
  EXPECT_THAT(message_of(needs_of(derived, made, at(0, 0), sizes)),
              HasSubstr("global size 'K': column 1: unknown name"));
}

TEST_F(Derived, are_refused_where_a_device_cannot_run_them) {
  const auto why = [&](Needs needs) { return refusal(needs, kDevice).value_or(""); };
  EXPECT_THAT(why({{64, 64}, {64, 64}, 0}), HasSubstr("a work-group of 4096 work-items"));
  EXPECT_THAT(why({{2048}, {2048}, 0}), HasSubstr("2048 work-items in dimension 0"));
  EXPECT_THAT(why({{1, 1, 128}, {1, 1, 128}, 0}), HasSubstr("in dimension 2"));
  EXPECT_THAT(why({{100}, {64}, 0}), HasSubstr("no multiple of the local size 64"));
  EXPECT_THAT(why({{64}, {64}, 50000}), HasSubstr("50000 bytes of local memory"));
}

}  // namespace
}  // namespace kiln::tune
