// The examples as a newcomer meets them: complete, explained, and accepted by a compiler that knows
// nothing of Kiln.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <gtest/gtest.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kiln::published {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path root = KILN_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << "cannot read " << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / folder))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

json spec_of(const std::string& name) {
  return json::parse(text_of(root / "examples/specs" / (name + ".json")));
}

std::string source_of(const std::string& name) {
  return text_of(root / "examples/kernels" / (name + ".cl"));
}

/// "-D NAME=value …", with the file's own values for its symbols.
std::string macro_options(const json& spec) {
  const json symbols = spec.value("symbolicVariables", json::object());
  std::string options = "-Werror";
  const json macros = spec.value("macros_values", json::object());
  for (const auto& [macro, symbol] : macros.items())
    options += " -D " + macro + "=" + symbols.at(symbol.get<std::string>()).dump();
  return options;
}

std::vector<std::size_t> positions(const json& spec) {
  std::vector<std::size_t> result;
  for (const char* list :
       {"inputBuffers", "outputBuffers", "ioBuffers", "varArguments", "localArguments"})
    for (const json& argument : spec.value(list, json::array()))
      result.push_back(argument.at("pos"));
  std::ranges::sort(result);
  return result;
}

TEST(Examples, have_one_kernel_file_for_each_specification_file) {
  EXPECT_EQ(names_in("examples/specs"), names_in("examples/kernels"));
  EXPECT_GE(names_in("examples/specs").size(), 14U);
}

TEST(Examples, are_all_in_the_document_s_tables) {
  const std::string document = text_of(root / "docs/examples.md");
  for (const auto& name : names_in("examples/specs"))
    EXPECT_NE(
        document.find("| `" + name + "` | " + spec_of(name).at("workDimension").dump() + "-D |"),
        std::string::npos)
        << name;
}

TEST(Examples, begin_with_the_idea_that_they_teach) {
  for (const auto& name : names_in("examples/kernels")) {
    EXPECT_TRUE(source_of(name).starts_with("// ")) << name;
    EXPECT_FALSE(spec_of(name).at("description").get<std::string>().empty()) << name;
  }
}

TEST(Examples, compile_without_warnings_and_take_the_arguments_that_their_file_names) {
  const cl::Context context(cl::Device::getDefault());
  for (const auto& name : names_in("examples/specs")) {
    SCOPED_TRACE(name);
    const json spec = spec_of(name);
    EXPECT_EQ(spec.at("name"), name);
    EXPECT_EQ(spec.at("src"), name + ".cl");
    cl::Program program(context, source_of(name));
    ASSERT_NO_THROW(program.build(macro_options(spec).c_str()));
    const cl::Kernel kernel(program, name.c_str());
    std::vector<std::size_t> expected(kernel.getInfo<CL_KERNEL_NUM_ARGS>());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i;
    EXPECT_EQ(positions(spec), expected);
  }
}

}  // namespace
}  // namespace kiln::published
