#include <gtest/gtest.h>

#include <fstream>

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

}  // namespace
}  // namespace kiln::expr
