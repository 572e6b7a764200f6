#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/facts/branches.hpp"
#include "kiln/error.hpp"

namespace kiln::facts {

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

/// `options` are the compiler's. Error: unsupported where there is no libclang.
Expected<MacroFree> expand_macros(const Variant& variant, const Lexed& lexed,
                                  const std::vector<std::string>& options);

}  // namespace kiln::facts
