#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/source/program.hpp"
#include "schedule/safety/builtins.hpp"

namespace kiln::safety {

/// One program under analysis: its tokens, what stands at program scope, and what the kernel
/// reaches. Holds views into the text.
class Unit {
 public:
  Unit(std::string_view text, std::string_view kernel,
       const std::vector<std::pair<std::string, std::string>>& macros);

  const Preprocessed source;
  const SourceProgram program;
  std::vector<std::uint32_t> kernels;    ///< definitions of the kernel (branches may hold several)
  std::vector<std::uint32_t> reachable;  ///< functions that it may call, itself included
  /// Brackets cannot be matched for certain, so that all text counts as reachable.
  bool whole_text = false;

  const std::vector<std::uint32_t>* functions_named(std::uint32_t symbol) const;
  /// A program-scope variable of this name that can change.
  bool is_mutable_variable(std::uint32_t symbol) const { return mutable_.contains(symbol); }
  Rule rule(const Token& token) const {
    return token.kind == TokenKind::identifier ? rules_[token.code] : Rule::none;
  }
  MemoryUse memory_use(const Token& name) const { return uses_[name.code]; }
  std::string_view name(std::uint32_t symbol) const { return source.symbols.name(symbol); }

  /// "line 12", or "util.h line 3" where that is not the program's main file.
  std::string place(const Token& token) const { return place(token.file, token.line); }
  std::string place(std::uint16_t file, std::uint32_t line) const;

 private:
  void find_reachable();
  void reach(std::uint32_t symbol, std::vector<std::uint32_t>& work, std::vector<bool>& seen);

  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_name_;
  std::unordered_set<std::uint32_t> mutable_;
  std::vector<Rule> rules_;      // of each symbol
  std::vector<MemoryUse> uses_;  // of each symbol
};

/// Appends a message unless it is there already or there are many.
void add_message(std::vector<std::string>& messages, std::string message);

}  // namespace kiln::safety
