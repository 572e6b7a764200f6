// A specification file next to the SPIR-V module that it names.
#include "spec/run/program_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "kernel/request/request.hpp"
#include "spec/init_spec.hpp"
#include "spec/run/job.hpp"
#include "spec/texts.hpp"
#include "test_paths.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path& examples() {
  static const auto folder = std::filesystem::path(KILN_SOURCE_DIR) / "examples/spirv";
  return folder;
}

std::string example_text() { return value_or_throw(read_text(examples() / "scale_tiles.json")); }

/// What is found of the example with one text in place of another.
std::vector<std::string> findings(std::string_view what = "", std::string_view by = "",
                                  const Symbols& symbols = {}) {
  const auto file = (examples() / "a.json").string();
  const auto text = what.empty() ? example_text() : with(example_text(), what, by);
  const Spec spec = value_or_throw(parse_spec(text, file));
  const auto source = value_or_throw(load_kernel_source(spec, {}));
  const auto bound = value_or_throw(bind(spec, symbols));
  std::vector<std::string> lines;
  for (const auto& message : check_program(spec, &bound, *source))
    lines.push_back(message.render().substr(file.size()));
  return lines;
}

Request request_with(const Symbols& symbols) {
  const Spec spec = value_or_throw(load_spec(examples() / "scale_tiles.json"));
  const auto source = value_or_throw(load_kernel_source(spec, {}));
  return value_or_throw(make_request(spec, value_or_throw(bind(spec, symbols)), source));
}

TEST(SpecModule, the_example_fits_its_module) { EXPECT_THAT(findings(), IsEmpty()); }

TEST(SpecModule, arguments_are_held_against_the_module_with_their_lines) {
  EXPECT_THAT(findings(R"("type": "int", "value")", R"("type": "long", "value")"),
              ElementsAre(":13: attribute 'varArguments[1]': found a value of type long for "
                          "argument 3, expected a value of 4 bytes (int n)"));
  EXPECT_THAT(findings(R"("type": "float", "value": 2)", R"("type": "int", "value": 2)"),
              ElementsAre(HasSubstr("found a value of type int for argument 2, expected a value of "
                                    "4 bytes (float factor)")));
  EXPECT_THAT(findings(R"({"pos": 2, "type": "float", "value": 2})",
                       R"({"pos": 4, "type": "float", "value": 2}, {"pos": 2, "type": "float",
                          "value": 2})"),
              ElementsAre(HasSubstr("found 5 arguments, expected 4")));
  EXPECT_THAT(findings(R"("inputBuffers": [{"pos": 0, "type": "float", "size": "dataset", )"
                       R"("break": 0}])",
                       R"("localArguments": [{"pos": 0, "type": "float", "size": 4}])"),
              ElementsAre(HasSubstr("attribute 'localArguments[0]': found local memory of type "
                                    "float for argument 0, expected a __global buffer")));
  EXPECT_THAT(findings(R"("name": "scale_tiles")", R"("name": "scale")"),
              ElementsAre(HasSubstr("scale_tiles.spv has no kernel 'scale'; it has: scale_tiles")));
}

TEST(SpecModule, constants_are_held_against_the_module) {
  EXPECT_THAT(findings(R"("1": 0.25)", R"("9": 0.25)"),
              ElementsAre(HasSubstr("attribute 'specialization.9': found no constant \"9\" in "
                                    "scale_tiles.spv, expected one of its: 0 (int, call), 1 ")));
  EXPECT_THAT(findings(R"("0": "tile")", R"("0": "tile / 3.0")"),
              ElementsAre(HasSubstr("expected an integer of type int or uint")));
  EXPECT_THAT(findings(R"("0": "tile")", R"("0": "2**40")"), ElementsAre(HasSubstr("found 1099")));
  EXPECT_THAT(findings(R"("symbolicVariables": {)", R"("macros_values": {"N": 1},
                       "symbolicVariables": {)"),
              ElementsAre(HasSubstr("'macros_values': found macros, expected none")));
  // Integers may be what a division of floating-point numbers gives.
  EXPECT_THAT(findings(R"("0": "tile")", R"("0": "tile / 2.0")"), IsEmpty());
}

/// A module with nothing but constants, of which the names are given: SpecIds 0, 1 …
SourcePtr module_with_constants(const std::vector<std::string>& names) {
  spirv::Module module;
  for (std::uint32_t i = 0; i < names.size(); ++i)
    module.constants.push_back({.id = i, .name = names[i]});
  return std::make_shared<const ExpandedSource>(ByteView(), std::move(module), "m.spv",
                                                std::vector<std::filesystem::path>());
}

std::string constant_refusal(const std::string& name, const std::vector<std::string>& names) {
  const Spec spec = value_or_throw(parse_spec(
      with(small, "\"src\"", "\"specialization\": {\"" + name + "\": 1}, \"src\""), "a.json"));
  const auto found = check_program(spec, nullptr, *module_with_constants(names));
  return found.size() < 2 ? "accepted" : found.back().render();
}

TEST(SpecModule, a_constants_name_must_be_one_constants_alone) {
  EXPECT_THAT(constant_refusal("tile", {"tile", "tile"}),
              HasSubstr("found constant \"tile\", which SpecIds 0 and 1 both are, expected a "
                        "SpecId"));
  EXPECT_EQ(constant_refusal("tile", {"tile", "other"}), "accepted");
  EXPECT_EQ(constant_refusal("1", {"tile", "tile"}), "accepted");
}

TEST(SpecModule, messages_name_twenty_and_the_begin_of_each_name) {
  const std::vector<std::string> names(25, std::string(100'000, 'a'));
  const std::string constants = constant_refusal("tile", names);
  EXPECT_THAT(constants, HasSubstr("19 (int, " + std::string(100, 'a') + "…), … 5 more"));
  EXPECT_LT(constants.size(), 4000u);
  spirv::Module module;
  for (const auto& name : names) module.kernels.push_back({.name = name});
  const auto kernel = kernel_of(module, "k", "m.spv");
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().message(), HasSubstr("…, … 5 more"));
  EXPECT_LT(kernel.error().message().size(), 4000u);
}

TEST(SpecModule, sources_in_opencl_c_have_no_constants) {
  const Spec spec = value_or_throw(
      parse_spec(with(small, "\"src\"", "\"specialization\": {\"0\": 1}, \"src\""), "a.json"));
  const auto source = value_or_throw(from_text("kernel void add() {}", "add.cl"));
  const auto found = check_program(spec, nullptr, *source);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].render(), HasSubstr("found specialization constants, expected none: add.cl "
                                           "is OpenCL C"));
}

TEST(SpecModule, constants_follow_symbols_and_go_into_the_key) {
  const Request eight = request_with({}), sixteen = request_with({{{"tile", 16}}, {}});
  ASSERT_EQ(eight.constants.size(), 2u);
  EXPECT_EQ(eight.constants[0].as_integer(), 8);
  EXPECT_EQ(eight.constants[1].as_number(), 0.25);
  EXPECT_EQ(sixteen.constants[0].as_integer(), 16);
  const Device device;
  const auto key_text = [&](const Request& request) {
    return describe_canonical(canonical_request(request, {}, device));
  };
  EXPECT_THAT(key_text(eight), HasSubstr("SPIR-V length: "));
  EXPECT_THAT(key_text(eight), HasSubstr("SpecId: 0\n    value: 8"));
  EXPECT_NE(canonical_request(eight, {}, device), canonical_request(sixteen, {}, device));
  EXPECT_EQ(canonical_request(eight, {}, device), canonical_request(request_with({}), {}, device));
}

TEST(SpecModule, a_file_for_it_is_begun_from_what_it_says) {
  const auto source = value_or_throw(load_source(examples() / "scale_tiles.spv"));
  const auto file =
      init_spec({.source = source, .src = "scale_tiles.spv", .kernel = {}, .macros = {}});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->kernel, "scale_tiles");
  EXPECT_THAT(file->text, HasSubstr(R"({"pos": 2, "type": "float", "value": "FILL IN: the value )"
                                    R"(of factor"})"));
  EXPECT_THAT(file->text, HasSubstr("the type of in's elements (float)"));
}

TEST(SpecModule, a_file_is_not_begun_for_a_source_whose_name_is_not_utf8) {
  for (const char* name : {"a\xff.spv", "a\xff.cl"}) {
    const auto source = name == std::string_view("a\xff.cl")
                            ? value_or_throw(from_text("kernel void k(global int* a) {}", "k.cl"))
                            : value_or_throw(load_source(examples() / "scale_tiles.spv"));
    const auto file = init_spec({.source = source, .src = name, .kernel = {}, .macros = {}});
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code(), Errc::bad_input);
    EXPECT_THAT(file.error().message(), HasSubstr("a\\xff."));
  }
}

TEST(SpecModule, is_known_by_its_first_bytes_or_its_name) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-test"));
  const auto bytes = value_or_throw(read_file(examples() / "scale_tiles.spv"));
  value_or_throw(write_file(folder.path() / "module.cl", bytes));
  value_or_throw(write_file(folder.path() / "text.cl", as_bytes("kernel void k() {}")));
  EXPECT_TRUE(is_module_file(folder.path() / "module.cl"));
  EXPECT_TRUE(is_module_file(folder.path() / "absent.spv"));
  EXPECT_FALSE(is_module_file(folder.path() / "text.cl"));
  EXPECT_FALSE(is_module_file(folder.path() / "absent"));
  EXPECT_NE(value_or_throw(load_source(folder.path() / "module.cl"))->module(), nullptr);
  EXPECT_EQ(value_or_throw(load_source(folder.path() / "text.cl"))->module(), nullptr);
}

TEST(SpecModule, what_is_named_so_must_be_one) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-test"));
  const auto refusal = [&](std::string_view content) {
    value_or_throw(write_file(folder.path() / "a.spv", as_bytes(content)));
    const auto source = load_source(folder.path() / "a.spv");
    return source ? "accepted" : source.error().message();
  };
  EXPECT_EQ(refusal(""),
            "a.spv: SPIR-V module: byte 0: found the end, expected 0x07230203, with which a module "
            "begins");
  EXPECT_EQ(refusal("kernel void k() {}"),
            "a.spv: SPIR-V module: byte 0: found 0x6e72656b, expected 0x07230203, with which a "
            "module begins");
}

}  // namespace
}  // namespace kiln::spec
