#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/clang/unit.hpp"
#include "kernel/clang/walk.hpp"
#include "kernel/facts/preprocess.hpp"

namespace kiln::facts {

using clang::core;
using clang::Declaration;
using clang::Function;
using clang::Node;
using clang::Space;
using clang::Type;

/// A program behind the preprocessor, read by libclang.
struct Syntax : clang::Tree {
  explicit Syntax(MacroFree read)
      : Tree(std::move(read.text)),
        uses(std::move(read.uses)),
        problems(std::move(read.problems)) {}

  std::vector<MacroFree::Use> uses;
  std::vector<Problem> problems;
  /// What clang has against the text: no device compiles it as it is, or Kiln cannot know.
  std::vector<Problem> errors;

  /// "line 12", or "util.h line 3" where that is not the program's main file.
  std::string place(std::uint32_t at) const;
  /// The macro whose use wrote a byte; empty for none.
  std::string_view macro_at(std::uint32_t at) const;
};

/// Reads a program. Throws Error: unsupported where there is no libclang.
Syntax read_syntax(MacroFree source, const std::string& standard);

/// A kernel's parameters: what they are, and how large what they hold or point to is. A size
/// remains unknown where the device or its compiler decides: addresses, size_t, images, bit-fields,
/// and structures under attributes or pragmas that change how they are laid out and that clang does
/// not know.
std::vector<ParameterUse> parameters_of(const Syntax& syntax, const Function& kernel);

/// "float4", "unsigned int", "struct node": the text's own typedefs resolved.
std::string type_name(const clang::Library& clang, CXType type);

/// Appends a message unless it is there already or there are many.
void add_message(std::vector<std::string>& messages, std::string message);

/// Looks for everything that behaves differently in a part of an NDRange, in all that the kernel (a
/// number in Syntax::functions) reaches. Fills reasons, suspicions and what it uses.
void check_rules(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);

/// Follows the kernel's pointers through its text and its functions: what is read, what is written,
/// whether at the same index, and whether loaded values decide it. Fills the parameters,
/// data_dependent_writes and suspicions; where it gives up, every pointer counts as read and
/// written.
void check_flow(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);
/// As if it had given up.
void assume_the_worst(const Syntax& syntax, std::size_t kernel, KernelFacts& facts);

}  // namespace kiln::facts
