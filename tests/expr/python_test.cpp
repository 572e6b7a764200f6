#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/os/process.hpp"
#include "random_text.hpp"
#include "support.hpp"
#include "test_paths.hpp"

// data/python_values.tsv holds what Python gave when it was written: value, dialect, expression.
// Made by: reference.py on the last two columns (python2's `/` is spelled out there through //).
namespace kiln::expr {
namespace {

TEST(PythonValues, the_recorded_values_of_python_come_out) {
  std::ifstream file(KILN_SOURCE_DIR "/tests/expr/data/python_values.tsv");
  Limits limits;
  limits.list_items = limits.string_bytes = 1000;
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string expected = line.substr(0, first), text = line.substr(second + 1);
    const Dialect dialect = line[first + 1] == '2' ? Dialect::python2 : Dialect::python3;
    const std::string found = result_of(text, dialect, limits);
    const bool failed = found.starts_with("column ");
    EXPECT_EQ(failed ? "error" : found, expected) << text << " gave " << found;
  }
  EXPECT_GT(count, 400u);
}

std::filesystem::path find_python() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto program = std::filesystem::path(folder) / "python3";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

struct Case {
  char dialect;
  std::string text;
};

std::vector<Case> random_cases(std::uint64_t seed, std::size_t count) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    RandomText writer(seed + i, RandomText::Parentheses::some);
    cases.push_back({i % 2 == 0 ? '2' : '3', writer.expression(1 + static_cast<int>(i % 4))});
  }
  return cases;
}

std::string ours(const Case& each) {
  Limits limits;
  limits.list_items = limits.string_bytes = 1000;  // as in reference.py
  const Dialect dialect = each.dialect == '2' ? Dialect::python2 : Dialect::python3;
  const std::string result = result_of(each.text, dialect, limits);
  return result.starts_with("column ") ? "error" : result;
}

TEST(PythonBatch, random_expressions_give_what_python_gives) {
  const auto python = find_python();
  if (python.empty()) GTEST_SKIP() << "no python3 in PATH to compare with";
  const char* const chosen = std::getenv("KILN_TEST_SEED");
  const std::uint64_t seed = chosen ? std::strtoull(chosen, nullptr, 10) : 20240131;
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed));
  const auto cases = random_cases(seed, 6000);

  std::string name = testing::TempDir() + "kiln-expr-batch-" + std::to_string(getpid());
  {
    std::ofstream file(name);
    for (const Case& each : cases) file << each.dialect << '\t' << each.text << '\n';
  }
  ProcessRequest request;
  request.program = python;
  request.arguments = {"-W", "ignore", KILN_SOURCE_DIR "/tests/expr/reference.py", name};
  const auto run = run_process(request);
  std::filesystem::remove(name);
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(run->exit_code, 0) << run->errors;

  std::istringstream values(run->output);
  std::string expected;
  std::size_t with_value = 0;
  for (const Case& each : cases) {
    ASSERT_TRUE(std::getline(values, expected));
    with_value += expected != "error";
    EXPECT_EQ(ours(each), expected) << each.dialect << ": " << each.text;
  }
  EXPECT_GT(with_value, cases.size() / 4) << "too few of the random expressions have a value";
}

}  // namespace
}  // namespace kiln::expr
