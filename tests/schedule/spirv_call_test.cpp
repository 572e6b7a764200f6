// SPIR-V modules by the public API: on devices that take them, and what is said of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "kiln/kernel.hpp"
#include "test_paths.hpp"

namespace kiln::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t items = 64;

class SpirvCall : public ::testing::Test {
 protected:
  static Bytes module() {
    return value_or_throw(
        read_file(std::filesystem::path(KILN_SOURCE_DIR) / "examples/spirv/scale_tiles.spv"));
  }
  SpirvCall() { std::iota(in_.begin(), in_.end(), 0.0f); }

  bool is_taken() const {
    return runtime_.devices().front().il_versions.find("SPIR-V") != std::string::npos;
  }
  std::string message_of(const std::function<void()>& call) const {
    try {
      call();
    } catch (const Error& error) {
      code_ = error.code();
      return error.message();
    }
    return "nothing was thrown";
  }
  Kernel kernel(std::vector<SpecializationConstant> constants = {}) const {
    return runtime_.kernel(Source::spirv(module(), std::move(constants), "tiles.spv"),
                           "scale_tiles");
  }
  /// Scales all elements in tiles of so many.
  void scale(const Kernel& kernel, std::size_t tile) {
    kernel(in(in_), out(out_), 2.0f, static_cast<int>(items)).run({{items / tile}, {1}});
  }

  Runtime runtime_{{.devices = "cpu", .store = "off"}};
  std::vector<float> in_ = std::vector<float>(items), out_ = std::vector<float>(items);
  mutable Errc code_{};
};

TEST_F(SpirvCall, runs_with_the_constants_that_it_was_given) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  scale(kernel(), 4);
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(out_[i], 2 * in_[i] + 0.5f);
  // One work-item does all of it, and adds something else.
  scale(kernel({{0, static_cast<int>(items)}, {1, -3}}), items);
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(out_[i], 2 * in_[i] - 3);
}

TEST_F(SpirvCall, runs_from_a_file_and_with_arrays) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  Source source =
      Source::file(std::filesystem::path(KILN_SOURCE_DIR) / "examples/spirv/scale_tiles.spv");
  source.constants = {{0, 8}};
  const auto kernel = runtime_.kernel(source, "scale_tiles");
  const auto from = runtime_.array<float>(items), to = runtime_.array<float>(items);
  kernel(from, to, 1.0f, static_cast<int>(items)).run({{items / 8}, {1}});
  for (const float one : to.host()) EXPECT_EQ(one, 0.5f);
}

TEST_F(SpirvCall, is_not_split_and_says_why) {
  if (!is_taken()) GTEST_SKIP() << "the device takes no SPIR-V";
  if (runtime_.devices().front().compute_units < 2) GTEST_SKIP() << "one core";
  const Runtime pair({.devices = "cpu/2", .store = "off"});
  const auto kernel = pair.kernel(Source::spirv(module()), "scale_tiles");
  const auto summary = kernel(in(in_), out(out_), 2.0f, static_cast<int>(items))
                           .run({{items / 4}, {1}}, {.partition = "1:1"});
  EXPECT_FALSE(summary.split);
  EXPECT_THAT(summary.reason, HasSubstr("the program is SPIR-V"));
  EXPECT_EQ(out_.back(), 2 * in_.back() + 0.5f);
}

TEST_F(SpirvCall, a_device_that_takes_none_is_named_before_anything_is_compiled) {
  if (is_taken()) GTEST_SKIP() << "the device takes SPIR-V";
  EXPECT_THAT(message_of([&] { scale(kernel(), 4); }),
              AllOf(HasSubstr("tiles.spv is SPIR-V 1.1"),
                    HasSubstr(runtime_.devices().front().name), HasSubstr("takes no SPIR-V")));
  EXPECT_EQ(code_, Errc::unsupported);
}

TEST_F(SpirvCall, arguments_are_held_against_the_module) {
  const auto run = [&](auto... arguments) {
    return message_of([&] { kernel()(arguments...).run({{items}, {1}}); });
  };
  const auto in = kiln::in(in_);
  const auto out = kiln::out(out_);
  EXPECT_THAT(run(in, out, 2.0f), HasSubstr("takes 4 arguments; 3 are given"));
  EXPECT_THAT(run(in, out, 2.0, 64),
              HasSubstr("argument 2 of kernel scale_tiles: a value of 8 bytes is given; the kernel "
                        "takes a value of 4 bytes (float factor)"));
  EXPECT_THAT(run(in, 1, 2.0f, 64), HasSubstr("argument 1 of kernel scale_tiles: a value of 4"));
  EXPECT_THAT(run(in, out, 2.0f, local(4)), HasSubstr("the kernel takes a value"));
  EXPECT_EQ(code_, Errc::bad_input);
  EXPECT_THAT(message_of([&] {
                runtime_.kernel(Source::spirv(module()), "other")(in).run({{items}, {1}});
              }),
              HasSubstr("module.spv has no kernel 'other'; it has: scale_tiles"));
}

TEST_F(SpirvCall, constants_are_held_against_the_module) {
  EXPECT_THAT(message_of([&] {
                kernel({{7, 1}});
              }),
              HasSubstr("tiles.spv: specialization constant 7: found no such constant, expected 0 "
                        "(int), 1 (float)"));
  EXPECT_THAT(message_of([&] {
                kernel({{0, 1.5}});
              }),
              HasSubstr("constant 0: found 1.5, expected an integer"));
  EXPECT_THAT(message_of([&] { kernel({{0, 1}, {0, 2}}); }), HasSubstr("found two values"));
  Source text = Source::text("kernel void k() {}");
  text.constants = {{0, 1}};
  EXPECT_THAT(message_of([&] { runtime_.kernel(text, "k"); }), HasSubstr("it is OpenCL C"));
  EXPECT_THAT(message_of([&] {
                runtime_.kernel(Source::spirv(module()), "k", {.macros = {{"N", "1"}}});
              }),
              HasSubstr("found macros, expected none"));
}

TEST_F(SpirvCall, what_is_no_module_is_refused) {
  const Bytes bytes = module();
  EXPECT_THAT(message_of([&] {
                runtime_.kernel(Source::spirv(ByteView(bytes).first(bytes.size() - 8)), "k");
              }),
              HasSubstr("module.spv: SPIR-V module: byte "));
  EXPECT_THAT(message_of([&] { runtime_.kernel(Source::spirv({}), "k"); }),
              HasSubstr("expected 0x07230203"));
}

}  // namespace
}  // namespace kiln::testing
