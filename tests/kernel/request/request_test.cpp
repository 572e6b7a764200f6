// How macros reach the driver: as options, which drivers split at blanks and unquote differently,
// or as lines of the source.
#include "kernel/request/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string options_of(const std::string& value) {
  return value_or_throw(build_options({{"X", value}}, {}));
}

TEST(BuildOptions, have_no_blanks_that_c_does_not_need) {
  for (const auto& [value, option] :
       {std::pair{"16 * 16", "16*16"}, {"( a + b ) / 2", "(a+b)/2"}, {" 4 ", "4"}, {"", ""}})
    EXPECT_EQ(options_of(value), "-DX=" + std::string(option) + " -cl-kernel-arg-info");
}

TEST(BuildOptions, keep_no_value_whose_blanks_have_a_meaning) {
  for (const char* value : {"unsigned int", "a + +b", "1e - 3", "0xE - 1", "\"a b\"", "'a'"})
    EXPECT_FALSE(build_options({{"X", value}}, {})) << value;
}

TEST(SetSource, defines_such_values_before_the_text) {
  const auto source = value_or_throw(from_text("kernel void k() {}\n", "k.cl"));
  Request request;
  value_or_throw(set_source(request, source,
                            {{"T", "unsigned int"}, {"N", "2 * 3"}, {"D", "1e - 3"}}, {"-w"}));
  EXPECT_EQ(request.options, "-DN=2*3 -w -cl-kernel-arg-info");
  EXPECT_EQ(request.source->text(), "#define D 1e -3\n#define T unsigned int\n" + source->text());
  EXPECT_EQ(request.source->name(), "k.cl");
  value_or_throw(set_source(request, source, {{"N", "2"}}, {}));
  EXPECT_EQ(request.source, source) << "the text itself where nothing has to be defined";
}

TEST(SetSource, refuses_what_no_line_can_say) {
  const auto source = value_or_throw(from_text("kernel void k() {}\n", "k.cl"));
  Request request;
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"X", "a b\nc"}, {"X Y", "a b"}, {"", "a b"}}) {
    const auto set = set_source(request, source, {{name, value}}, {});
    ASSERT_FALSE(set) << name;
    EXPECT_THAT(set.error().message(), StartsWith("macro "));
    EXPECT_EQ(set.error().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace kiln
