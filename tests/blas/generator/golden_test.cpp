// The text of every generator, held against files in tests/blas/golden. What is some template's own
// text stands there as its name: these files show what the generators write and put together, and
// change with nothing else. KILN_RENEW_GOLDEN=1 writes them anew, for `git diff` to show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "test_paths.hpp"

namespace kiln::blas::testing {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The names of a file's templates: those in its lines "//===== NAME =====", else its own.
std::vector<std::string> names_in(const fs::path& path) {
  const std::string begin = "//===== ", end = " =====";
  std::vector<std::string> names;
  std::istringstream text(contents_of(path));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(begin) && line.ends_with(end))
      names.push_back(line.substr(begin.size(), line.size() - begin.size() - end.size()));
  if (names.empty()) names.push_back(path.stem().string());
  return names;
}

/// The templates, the longest first: one may be the beginning of another.
const std::vector<std::pair<std::string, std::string>>& templates() {
  static const auto all = [] {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& file : fs::directory_iterator(KILN_SOURCE_DIR "/src/blas/templates"))
      for (const auto& name : names_in(file.path()))
        found.emplace_back(name, std::string(template_text(name)));
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    return found;
  }();
  return all;
}

std::string with_names(std::string text) {
  for (const auto& [name, own] : templates())
    for (auto at = text.find(own); at != std::string::npos; at = text.find(own, at))
      text.replace(at, own.size(), "<" + name + ">\n");
  return text;
}

void expect_golden(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(KILN_SOURCE_DIR "/tests/blas/golden") / name;
  if (std::getenv("KILN_RENEW_GOLDEN") != nullptr) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return;
  }
  // In pieces, since a whole text in a message does not help.
  std::istringstream wanted(contents_of(path)), now(text);
  std::string wanted_line, line;
  for (int number = 1; std::getline(wanted, wanted_line); ++number) {
    ASSERT_TRUE(std::getline(now, line)) << name << " ends at line " << number;
    ASSERT_EQ(line, wanted_line) << name << ", line " << number << "; KILN_RENEW_GOLDEN=1 renews";
  }
  EXPECT_FALSE(std::getline(now, line)) << name << " goes on with: " << line;
}

Precision precision_by(char letter) {
  return static_cast<Precision>(std::string_view("sdcz").find(letter));
}

Request product_request(char precision, const std::string& form, bool small, int native_floats) {
  Request request;
  request.family = GemmGenerator().family();
  request.payload = GemmPayload{precision_by(precision), form, small, native_floats};
  return request;
}

std::string product_text(const Request& request, const Parameters& parameters) {
  return with_names(GemmGenerator().generate(request, parameters));
}

class GoldenProduct : public ::testing::TestWithParam<char> {};

// Few columns: a line for each says how all are written.
TEST_P(GoldenProduct, for_cpus) {
  for (const int native_floats : {4, 16}) {
    const auto request = product_request(GetParam(), "cpu", false, native_floats);
    Parameters parameters = GemmGenerator().defaults(request);
    parameters.set("columns", 2);
    expect_golden(
        std::string("gemm/cpu") + std::to_string(native_floats) + "." + GetParam() + ".cl",
        product_text(request, parameters));
  }
}

void expect_golden_bytes(const char* form, unsigned native_floats) {
  auto request = product_request('s', form, false, native_floats);
  auto gemm = request.payload.as<GemmPayload>();
  gemm.product = {Storage::int8, Storage::int8, Storage::int32};
  request.payload = gemm;
  Parameters parameters = GemmGenerator().defaults(request);
  parameters.set("columns", 2);
  expect_golden("gemm/" + std::string(form) + ".s.cl", product_text(request, parameters));
}

TEST(GoldenByteProduct, for_cpus_with_vnni) { expect_golden_bytes("cpu_vnni", 16); }
TEST(GoldenByteProduct, for_cpus_with_avx2) { expect_golden_bytes("cpu_pairs", 8); }

TEST_P(GoldenProduct, for_systems_on_cpus) {
  auto request = product_request(GetParam(), "cpu", false, 8);
  auto gemm = request.payload.as<GemmPayload>();
  gemm.kernels = GemmPayload::Kernels::solve;
  request.payload = gemm;
  Parameters parameters = GemmGenerator().defaults(request);
  parameters.set("columns", 1);
  expect_golden(std::string("gemm/cpu8.solves.") + GetParam() + ".cl",
                product_text(request, parameters));
}

TEST_P(GoldenProduct, for_deep_products_on_cpus) {
  auto request = product_request(GetParam(), "cpu", false, 8);
  auto gemm = request.payload.as<GemmPayload>();
  gemm.kernels = GemmPayload::Kernels::deep;
  request.payload = gemm;
  Parameters parameters = GemmGenerator().defaults(request);
  parameters.set("columns", 1);
  expect_golden(std::string("gemm/cpu8.deep.") + GetParam() + ".cl",
                product_text(request, parameters));
}

TEST_P(GoldenProduct, for_gpus) {
  // gpu32 is gpu with other numbers, and gpu_small has one tile for all sizes.
  for (const std::string form : {"gpu", "gpu_small", "sm80", "sm90", "sm90a"})
    for (const bool small : {false, true}) {
      if (small && form == "gpu_small") continue;
      const auto request = product_request(GetParam(), form, small, 1);
      expect_golden("gemm/" + form + (small ? ".small." : ".") + GetParam() + ".cl",
                    product_text(request, GemmGenerator().defaults(request)));
    }
}

INSTANTIATE_TEST_SUITE_P(In, GoldenProduct, ::testing::Values('s', 'd', 'c', 'z'),
                         [](const auto& of) { return std::string(1, of.param); });

TEST(GoldenMatrixUnits, have_what_comes_after_before_their_own_parts) {
  MatrixUnitPayload payload{Storage::half, Storage::half, false, false, 64};
  const MatrixUnitGenerator generator;
  Request request;
  request.family = generator.family();
  std::string all;
  for (const bool has_bias : {false, true}) {
    if (has_bias) {
      payload.after = {Along::rows, Along::none, Activation::gelu, false};
      payload.bias = Storage::half;
    }
    request.payload = payload;
    all += with_names(generator.generate(request, generator.defaults(request))) + "\n";
  }
  expect_golden("matrix_units.cl", all);
}

/// All templates in one file: facts and Parameters as macros, then the parts in their order.
TEST(GoldenTemplates, are_put_together_from_macros_and_shared_parts) {
  for (const std::int64_t on_cpu : {0, 1}) {
    std::string all;
    std::map<std::string, std::string> by_family;
    for (const auto& generator : template_generators())
      for (const char precision : {'s', 'z'}) {
        Request request;
        request.family = generator->family();
        request.payload = TemplatePayload{
            precision_by(precision), on_cpu != 0, 8, {{"some_fact", std::int64_t{3}}}};
        const Parameters parameters = generator->defaults(request);
        EXPECT_TRUE(generator->accepts(request, parameters));
        by_family[request.family] += "// " + request.family + ", " + precision + "\n" +
                                     with_names(generator->generate(request, parameters)) + "\n";
      }
    for (const auto& [family, text] : by_family) all += text;
    expect_golden(on_cpu != 0 ? "templates_on_cpus.cl" : "templates_on_gpus.cl", all);
  }
}

}  // namespace
}  // namespace kiln::blas::testing
