#pragma once

#include "spec/read/reader.hpp"
#include "spec/t1/t1.hpp"

/// What the files that make up read_t1 share. They report what is wrong to the reader, and go on.
namespace kiln::spec::t1 {

constexpr std::string_view problem_size_name = "ProblemSize";

/// A file that is being read.
struct Reading {
  Reader& reader;
  T1Problem& problem;
  expr::Value problem_size;     ///< a list; empty where the file has none
  bool is_unsupported = false;  ///< the file is well-formed, but Kiln does not tune such kernels

  void unsupported(const Json& found, std::string attribute, std::string_view what) {
    is_unsupported |= !reader.has_errors();
    reader.expected(found, std::move(attribute), what);
  }
};

/// An expression in Python 3, or a number. `names` are what it may use; the parameters and
/// ProblemSize where it is null.
std::optional<Formula> read_expression(Reading& reading, const Json& value, std::string attribute,
                                       const std::vector<std::string_view>* names = nullptr);
/// A count that is the same for every configuration: in it a parameter's name is the list of its
/// values.
std::optional<Formula> read_fixed_size(Reading& reading, const Json& value, std::string attribute);

void read_problem_size(Reading& reading, const Json& kernel);
void read_geometry(Reading& reading, const Json& kernel);
void read_arguments(Reading& reading, const Json& kernel);
void read_references(Reading& reading, const Json& kernel);

}  // namespace kiln::spec::t1
