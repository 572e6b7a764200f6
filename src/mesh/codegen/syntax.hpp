#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "kernel/clang/walk.hpp"
#include "kernel/source/source.hpp"
#include "kiln/error.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

using clang::ControlParts;
using clang::Declaration;
using clang::Function;
using clang::Node;
using clang::Space;

/// A user's text, read by libclang: what may be edited, and where. Words of OpenCL C that are names
/// to its author (local, kernel …) have "_kiln" behind them.
struct Syntax : clang::Tree {
  using Tree::Tree;
  std::vector<ConstShape> constants;  ///< by the numbers of what is given in Tree::declarations
};

/// Reads a text as the C that its author means: pointers without an address space, constants known
/// by name, OpenCL's built-in functions and types. Errors: bad_input with the user's file, line and
/// column and clang's message; unsupported where there is no libclang. Thread-safe.
Expected<Syntax> read_syntax(const SourcePtr& source, const std::vector<ConstShape>& constants);

/// The number of the function of a name, or -1.
int function_named(const Syntax& syntax, const std::string& name);

/// "file:line" of a byte of the text, for messages.
std::string where(const Syntax& syntax, std::uint32_t at);
/// A #line directive for what is copied from there.
std::string line_directive(const Syntax& syntax, std::uint32_t at);

/// At the end of all pointers and arrays; none: void, structs.
std::optional<ScalarType> scalar_of(const clang::Type* type);
bool ends_in_floating(const clang::Type* type);  ///< float or double there
bool is_floating(const clang::Type* type);       ///< one float or double
/// A type as its author wrote it, for people.
std::string spelling_of(const Syntax& syntax, const clang::Type* type);

/// What clang has against a text as OpenCL C 1.2: its first error, if any. Throws as read_syntax
/// fails: never for a text's sake.
std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options = {});

}  // namespace kiln::mesh
