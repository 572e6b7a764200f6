#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/facts/read_facts.hpp"
#include "kernel/source/lexer.hpp"
#include "kiln/error.hpp"

namespace kiln::facts {

/// Why a text is not for clang, which recurses as deep as a text is nested and writes out whatever
/// macros multiply: nothing bounds its stack and memory. Nothing for what people and generators
/// write.
std::optional<std::string> beyond_bounds(const Lexed& lexed);

using Macros = std::vector<std::pair<std::string, std::string>>;

/// A text as some device may compile it.
struct Variant {
  std::string prefix;  ///< directives in front of the text: what this device defines
  std::string text;  ///< as long as the original; conditions that such a device decides are 1 or 0
};

struct Variants {
  std::vector<Variant> all;   ///< at least one
  bool are_too_many = false;  ///< more than 16, of which this is one
};

/// Makes blanks of bytes; lines stay.
void blank(std::string& text, std::size_t begin, std::size_t end);

/// All variants of a text: what of its conditionals neither the text nor the options nor the
/// specification decides, nor what is known of the device, goes both ways. Names that are only
/// asked for by `defined` are defined or not, everywhere the same; any other condition about such
/// names is true or false on its own.
Variants variants_of(std::string_view text, const Lexed& lexed, const Macros& macros,
                     const TargetMacros& target);

/// Something that keeps Kiln from knowing what the compiler would read.
struct Problem {
  std::uint32_t at = 0;  ///< byte of the variant's text
  std::string what;
};

/// A program as its compiler sees it behind the preprocessor, line by line where it was:
/// conditionals are decided, macros replaced by what they stand for, directives gone but for #line
/// and #pragma. libclang tells no operator and no place within a macro's body; here there is none.
struct MacroFree {
  /// What a macro's use became.
  struct Use {
    std::uint32_t begin = 0, end = 0;  ///< bytes of `text`
    std::string macro;
  };
  std::string text;
  std::vector<Use> uses;          ///< in the order of the text
  std::vector<Problem> problems;  ///< against any use of the text
  /// An #error that this variant reaches: no device compiles it.
  std::optional<Problem> impossible;
};

/// `options` are the compiler's. Throws Error: unsupported where there is no libclang.
MacroFree expand_macros(const Variant& variant, const Lexed& lexed,
                        const std::vector<std::string>& options);

}  // namespace kiln::facts
