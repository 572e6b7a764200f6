#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/facts/read_facts.hpp"
#include "kernel/source/lexer.hpp"

namespace kiln::facts {

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

}  // namespace kiln::facts
