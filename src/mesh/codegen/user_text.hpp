#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/codegen/syntax.hpp"

namespace kiln::mesh {

/// A change of a text: `removed` bytes at `at` give way to `inserted`.
struct Edit {
  std::uint32_t at = 0, removed = 0;
  std::string inserted;
  auto operator<=>(const Edit&) const = default;
};

/// Edits by their places; insertions at one place keep their order.
std::vector<Edit> in_order(std::vector<Edit> edits);

/// The bytes begin … end - 1 of a text with the edits that begin there, which are in_order(). Equal
/// edits count once: a macro's body is met at each of its uses.
std::string edited(std::string_view text, std::uint32_t begin, std::uint32_t end,
                   const std::vector<Edit>& edits);
/// A whole text with its edits, in any order.
std::string edited(std::string_view text, std::vector<Edit> edits);

/// What each function of a text needs of the constants: its own and those of the functions that it
/// calls. In OpenCL C 1.2 a value that the host sets reaches a function as a parameter only, so
/// that every function gets those that it needs behind its own parameters, under their names.
class ConstantUse {
 public:
  explicit ConstantUse(const Syntax& syntax);
  /// Numbers of constants, rising.
  const std::set<int>& of(int function) const { return used_[static_cast<std::size_t>(function)]; }
  /// Whether an array is only ever indexed: then it stays in constant memory. Else (the text takes
  /// a pointer to it) functions get a pointer to a private copy.
  bool only_indexed(int constant) const { return indexed_[static_cast<std::size_t>(constant)]; }
  /// ", double gam, __constant const double *qinf" for a function's parameters.
  std::string parameters(int function, bool first) const;
  /// ", gam, qinf" for a call.
  std::string arguments(int function, bool first) const;

 private:
  const Syntax& syntax_;
  std::vector<std::set<int>> used_;
  std::vector<bool> indexed_;
};

/// A call of one of the text's functions as it is written, be it in a macro's body or in what a
/// macro is given: libclang says of such a call only where the macro stands. A function's name in
/// front of a ( is nothing else, since names of functions are known everywhere.
struct CallSite {
  int function = -1;
  std::uint32_t begin = 0, end = 0;  ///< of the name
  std::uint32_t close = 0;           ///< the )
};
std::vector<CallSite> call_sites(const Syntax& syntax);

/// Edits that make the text OpenCL C 1.2 where all pointers point to private memory: constants as
/// parameters, every function static (in C99 an inline one would have no definition), and short
/// loops marked to be unrolled.
std::vector<Edit> plain_edits(const Syntax& syntax, const ConstantUse& constants);

/// One for each parameter of a function; private_ for those that are no pointers.
using Spaces = std::vector<Space>;

/// What is put behind the name of a function's copy for these spaces; nothing where all are
/// private.
std::string spaces_suffix(const Spaces& spaces);

/// Copies of a function, and of those that it hands its pointers to, one for each combination of
/// spaces that occurs, with qualifiers at parameters and local pointers. Local pointers get the
/// space of what they are given, wherever that is in the function. Nothing where that has no answer
/// within OpenCL C 1.2: a pointer that gets two spaces, is returned, kept in a struct or array,
/// cast, or declared together with others; then private copies of the data do. To be put behind
/// the plain text.
std::optional<std::string> space_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                        int function, const Spaces& spaces);

}  // namespace kiln::mesh
