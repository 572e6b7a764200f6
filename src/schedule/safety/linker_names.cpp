// `size_t f(uint) __asm("_Z12get_group_idj");` declares f and calls get_group_id.
#include <algorithm>
#include <string>
#include <string_view>

#include "schedule/safety/rules.hpp"

namespace kiln::safety {
namespace {

/// alias, weakref and ifunc, with or without underscores.
bool is_renaming_attribute(const Token& token) {
  if (token.kind != TokenKind::identifier) return false;
  std::string_view name = token.text;
  if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
    name = name.substr(2, name.size() - 4);
  return name == "alias" || name == "weakref" || name == "ifunc";
}

}  // namespace

/// Only what stands outside of bodies declares functions in this way; asm within a body is looked
/// for where that is reached.
void check_linker_names(const Unit& unit, SplitSafety& safety) {
  const Preprocessed& source = unit.source;
  std::uint32_t i = 0;
  const auto look_until = [&](std::uint32_t end) {
    for (; i < end; ++i) {
      const Token& token = source.tokens[i];
      if (source.word(token) != Word::asm_ && !is_renaming_attribute(token)) continue;
      add_message(safety.reasons, unit.place(token) +
                                      ": gives a function another name for the linker (" +
                                      std::string(token.text) + ")");
    }
  };
  for (const Function& function : unit.program.functions) {
    look_until(function.body.begin);
    i = std::max(i, function.body.end);
  }
  look_until(static_cast<std::uint32_t>(source.tokens.size()));
}

}  // namespace kiln::safety
