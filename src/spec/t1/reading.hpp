#pragma once

#include "spec/read/reader.hpp"
#include "spec/t1/t1.hpp"

/// What the files that make up read_t1 share.
namespace kiln::spec::t1 {

constexpr std::string_view problem_size_name = "ProblemSize";

/// A file that is being read.
struct Reading {
  Reader& reader;
  T1Problem& problem;
  expr::Value problem_size;  ///< a list; empty where the file has none
};

/// A value of the file and the attribute that it stands for. What is wrong with it is thrown, an
/// Error with the place: the first finding decides.
struct Node {
  Reading& in;
  const Json& json;
  std::string path;

  bool is(Json::Kind kind) const { return json.is(kind); }
  std::uint32_t line() const { return in.reader.line(json.at); }

  [[noreturn]] void error(std::string text, Errc code = Errc::bad_input) const;
  /// "found …, expected `what`". Errc::unsupported: the file is well-formed, but Kiln does not tune
  /// such kernels.
  [[noreturn]] void expected(std::string_view what, Errc code = Errc::bad_input) const;
  [[noreturn]] void missing(std::string_view key, std::string_view what) const;

  /// A member that must be there.
  Node member(std::string_view key, std::string_view what) const;
  /// Null counts as absent.
  std::optional<Node> optional(std::string_view key) const;
  const Node& object(std::string_view what = "an object") const;
  std::string text(std::string_view what) const;
  std::int64_t integer(std::int64_t least, std::int64_t most, std::string_view what) const;
  std::vector<Node> items(std::string_view what, std::size_t most = SIZE_MAX) const;
  /// A number, or a list where `shape` allows one.
  expr::Value literal(Reader::Shape shape) const;
};

/// An expression in Python 3, or a number. `names` are what it may use; the parameters and
/// ProblemSize where it is null.
Formula read_expression(const Node& node, const std::vector<std::string_view>* names = nullptr);
/// A count that is the same for every configuration: in it a parameter's name is the list of its
/// values.
Formula read_fixed_size(const Node& node);

void read_problem_size(const Node& kernel);
void read_geometry(const Node& kernel);
void read_arguments(const Node& kernel);
void read_references(const Node& kernel);

}  // namespace kiln::spec::t1
