#include "kernel/source/macro.hpp"

#include <algorithm>

namespace kiln {
namespace {

/// Parameters between brackets; returns the index past the closing one, or 0 where malformed.
std::size_t parse_parameters(const Token* operands, std::size_t count, Macro& macro,
                             Symbols& symbols) {
  std::size_t i = 2;
  while (i < count) {
    if (operands[i].is(punct(")"))) return i + 1;
    if (operands[i].is(punct("..."))) {
      macro.variadic = true;
      macro.parameters.push_back(symbols.intern("__VA_ARGS__"));
    } else if (operands[i].kind == TokenKind::identifier) {
      macro.parameters.push_back(operands[i].code);
      if (i + 1 < count && operands[i + 1].is(punct("..."))) {  // GNU: name...
        macro.variadic = true;
        ++i;
      }
    } else {
      return 0;
    }
    ++i;
    if (i < count && operands[i].is(punct(","))) ++i;
  }
  return 0;
}

}  // namespace

Macro parse_macro(const Token* operands, std::size_t count, Symbols& symbols) {
  Macro macro;
  if (count == 0 || operands[0].kind != TokenKind::identifier) {
    macro.valid = false;
    return macro;
  }
  macro.name = operands[0].code;
  std::size_t body = 1;
  // Only a bracket that touches the name makes the macro function-like.
  if (count > 1 && operands[1].is(punct("(")) && !(operands[1].flags & Token::space_before)) {
    macro.function_like = true;
    body = parse_parameters(operands, count, macro, symbols);
    if (body == 0) {
      macro.valid = false;
      body = count;
    }
  }
  macro.body.assign(operands + body, operands + count);
  return macro;
}

bool same_definition(const Macro& a, const Macro& b) {
  return a.function_like == b.function_like && a.variadic == b.variadic &&
         a.parameters == b.parameters && a.valid == b.valid &&
         std::equal(
             a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
             [](const Token& x, const Token& y) { return x.kind == y.kind && x.text == y.text; });
}

Meanings join(const Meanings& a, const Meanings& b) {
  Meanings both = a;
  both.maybe_undefined |= b.maybe_undefined;
  both.maybe_foreign |= b.maybe_foreign;
  for (const Macro* macro : b.definitions)
    if (std::none_of(both.definitions.begin(), both.definitions.end(),
                     [&](const Macro* known) { return same_definition(*known, *macro); }))
      both.definitions.push_back(macro);
  return both;
}

bool may_be_predefined(std::string_view name) {
  if (name.empty() || name[0] == '_') return true;
  const bool has_capital =
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!has_capital) return true;  // cl_khr_fp64, kernel_exec, linux
  static constexpr std::string_view beginnings[] = {
      "CL_",     "CLK_",     "FP_",      "FLT_",   "DBL_", "HALF_",       "M_",    "HUGE_",
      "ATOMIC_", "OPENCL",   "POCL",     "NVIDIA", "NV_",  "AMD",         "INTEL", "ARM_",
      "QCOM",    "MAXFLOAT", "INFINITY", "NAN",    "NULL", "MAX_WORK_DIM"};
  for (const std::string_view beginning : beginnings)
    if (name.starts_with(beginning)) return true;
  return name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_BIT");
}

const Meanings& MacroTable::look_up(std::uint32_t symbol) {
  if (symbol >= entries_.size())
    entries_.resize(std::max<std::size_t>(symbol + 1, symbols_.size()));
  Entry& entry = entries_[symbol];
  if (!entry.known) {
    entry.known = true;
    const std::string_view name = symbols_.name(symbol);
    entry.meanings.maybe_foreign = may_be_predefined(name);
    // Every OpenCL C compiler defines this one, with a value of its own (OpenCL C 1.2, 6.10).
    if (name == "__OPENCL_VERSION__") entry.meanings.maybe_undefined = false;
  }
  return entry.meanings;
}

void MacroTable::set(std::uint32_t symbol, Meanings meanings) {
  journal_.push_back({symbol, look_up(symbol)});
  entries_[symbol].meanings = std::move(meanings);
}

std::vector<MacroTable::Change> MacroTable::roll_back(std::size_t mark) {
  std::vector<Change> reached;
  ++round_;
  while (journal_.size() > mark) {
    Change& change = journal_.back();
    // The journal runs backwards here, so the first one seen of a name holds its last value.
    Entry& entry = entries_[change.symbol];
    if (entry.round != round_) reached.push_back({change.symbol, entry.meanings});
    entry.round = round_;
    entry.meanings = std::move(change.meanings);
    journal_.pop_back();
  }
  return reached;
}

}  // namespace kiln
