#include "schedule/safety/unit.hpp"

#include <algorithm>

namespace kiln::safety {

Unit::Unit(std::string_view text, std::string_view kernel,
           const std::vector<std::pair<std::string, std::string>>& macros)
    : source(preprocess(text, macros)), program(parse_program(source)) {
  rules_.reserve(source.symbols.size());
  uses_.reserve(source.symbols.size());
  for (std::uint32_t symbol = 0; symbol < source.symbols.size(); ++symbol) {
    rules_.push_back(rule_of(name(symbol)));
    uses_.push_back(memory_use_of(name(symbol)));
  }
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    by_name_[function.name].push_back(i);
    if (function.is_kernel && name(function.name) == kernel) kernels.push_back(i);
  }
  for (const ProgramVariable& variable : program.variables)
    if (variable.can_change) mutable_.insert(variable.name);
  whole_text = !program.well_formed ||
               std::any_of(source.obstacles.begin(), source.obstacles.end(), [](const auto& o) {
                 return o.kind == Obstacle::Kind::unbalanced_branch;
               });
  find_reachable();
}

const std::vector<std::uint32_t>* Unit::functions_named(std::uint32_t symbol) const {
  const auto found = by_name_.find(symbol);
  return found == by_name_.end() ? nullptr : &found->second;
}

void Unit::reach(std::uint32_t symbol, std::vector<std::uint32_t>& work, std::vector<bool>& seen) {
  const auto* functions = functions_named(symbol);
  if (functions == nullptr) return;
  for (const std::uint32_t function : *functions) {
    if (seen[function]) continue;
    seen[function] = true;
    work.push_back(function);
  }
}

/// A function's name anywhere counts as a call; what undecided macros stand for counts everywhere.
void Unit::find_reachable() {
  std::vector<std::uint32_t> work;
  std::vector<bool> seen(program.functions.size(), false);
  for (const std::uint32_t kernel : kernels) {
    seen[kernel] = true;
    work.push_back(kernel);
  }
  for (const Token& token : source.alternatives)
    if (token.kind == TokenKind::identifier) reach(token.code, work, seen);
  while (!work.empty()) {
    const Function& function = program.functions[work.back()];
    reachable.push_back(work.back());
    work.pop_back();
    for (std::uint32_t i = function.body.begin; i < function.body.end; ++i)
      if (source.tokens[i].kind == TokenKind::identifier) reach(source.tokens[i].code, work, seen);
  }
}

std::string Unit::place(std::uint16_t file, std::uint32_t line) const {
  // A Source begins with #line, which makes its main file the second name that the lexer met.
  const std::size_t main = source.files.size() > 1 ? 1 : 0;
  const std::string prefix = file == main || file == 0 ? "" : source.files[file] + " ";
  return prefix + "line " + std::to_string(line);
}

void add_message(std::vector<std::string>& messages, std::string message) {
  static constexpr std::size_t enough = 32;
  if (messages.size() < enough &&
      std::find(messages.begin(), messages.end(), message) == messages.end())
    messages.push_back(std::move(message));
}

}  // namespace kiln::safety
