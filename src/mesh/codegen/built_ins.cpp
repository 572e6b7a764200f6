// OpenCL's built-in functions that loops over several elements at once may call.
#include "mesh/codegen/built_ins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {
namespace {

constexpr std::string_view elementwise[] = {
    "acos",         "acosh",        "asin",       "asinh",      "atan",       "atan2",
    "atanh",        "cbrt",         "ceil",       "clamp",      "copysign",   "cos",
    "cosh",         "degrees",      "erf",        "erfc",       "exp",        "exp10",
    "exp2",         "expm1",        "fabs",       "fdim",       "floor",      "fma",
    "fmax",         "fmin",         "fmod",       "hypot",      "ldexp",      "log",
    "log10",        "log1p",        "log2",       "mad",        "max",        "min",
    "mix",          "pow",          "pown",       "powr",       "radians",    "remainder",
    "rint",         "rootn",        "round",      "rsqrt",      "sign",       "sin",
    "sinh",         "smoothstep",   "sqrt",       "step",       "tan",        "tanh",
    "trunc",        "native_sqrt",  "native_exp", "native_log", "native_cos", "native_divide",
    "native_recip", "native_rsqrt", "native_sin"};
constexpr std::string_view with_integer[] = {"ldexp", "pown", "rootn"};
constexpr std::string_view of_two[] = {"atan2", "copysign",  "fdim", "fmax",         "fmin",
                                       "fmod",  "hypot",     "max",  "min",          "pow",
                                       "powr",  "remainder", "step", "native_divide"};
constexpr std::string_view of_three[] = {"clamp", "fma", "mad", "mix", "smoothstep"};
constexpr std::string_view predicates[] = {"isequal", "isfinite",       "isgreater",  "isinf",
                                           "isless",  "isnan",          "isnormal",   "isnotequal",
                                           "signbit", "isgreaterequal", "islessequal"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

}  // namespace

std::string BuiltIn::name() const { return fmt::format("{} of {}", function, name_of(type)); }
std::string BuiltIn::name(int lanes) const { return fmt::format("{}{}", name(), lanes); }

bool is_elementwise(std::string_view function) { return contains(elementwise, function); }
std::span<const std::string_view> elementwise_built_ins() { return elementwise; }
bool takes_integer(std::string_view function) { return contains(with_integer, function); }
bool is_predicate(std::string_view function) { return contains(predicates, function); }

bool has_type(std::string_view function, ScalarType type) {
  return type == ScalarType::f32 || !function.starts_with("native_");
}

int arguments_of(std::string_view function) {
  if (contains(of_three, function)) return 3;
  return contains(of_two, function) || takes_integer(function) ? 2 : 1;
}

BuiltIns built_ins_of(const LoopShape& shape) {
  if (!shape.source) return {};
  std::set<ScalarType> types;
  for (const ArgShape& a : shape.arguments)
    if (is_floating(a.type)) types.insert(a.type);
  std::set<std::string_view> called;
  const Lexed lexed = lex(shape.source->text());
  const auto& tokens = lexed.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].text;
    if (tokens[i].kind != TokenKind::identifier) continue;
    if (word == "float") types.insert(ScalarType::f32);
    if (word == "double") types.insert(ScalarType::f64);
    if (i + 1 < tokens.size() && tokens[i + 1].is("(") && is_elementwise(word)) called.insert(word);
  }
  BuiltIns found;
  for (const std::string_view function : called)
    for (const ScalarType type : types)
      if (has_type(function, type)) found.insert({std::string(function), type});
  return found;
}

}  // namespace kiln::mesh
