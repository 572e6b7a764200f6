#include "mesh/code/user_text.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {
namespace {

const Declaration* declaration(const Syntax& syntax, const Node& node) {
  return node.declaration < 0 ? nullptr
                              : &syntax.declarations[static_cast<std::size_t>(node.declaration)];
}

/// Marks arrays of constants that are met elsewhere than in front of [ ].
void find_pointers(const Syntax& syntax, const Node& node, bool indexed,
                   std::vector<bool>& only_indexed) {
  const Declaration* named = declaration(syntax, node);
  if (node.kind == CXCursor_DeclRefExpr && named != nullptr && named->number >= 0 &&
      named->kind == Declaration::Kind::constant && !indexed)
    only_indexed[static_cast<std::size_t>(named->number)] = false;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool passes = node.kind == CXCursor_UnexposedExpr || node.kind == CXCursor_ParenExpr;
    const bool base = node.kind == CXCursor_ArraySubscriptExpr && i == 0;
    find_pointers(syntax, node.children[i], base || (passes && indexed), only_indexed);
  }
}

}  // namespace

void visit_nodes(const Node& node, const std::function<void(const Node&)>& visit) {
  visit(node);
  for (const auto& child : node.children) visit_nodes(child, visit);
}

int callee(const Syntax& syntax, const Node& node) {
  const Declaration* named = declaration(syntax, node);
  return named != nullptr && named->kind == Declaration::Kind::function
             ? syntax.function(named->name)
             : -1;
}

std::vector<int> reachable(const Syntax& syntax, int function) {
  std::vector<int> found{function};
  for (std::size_t i = 0; i < found.size(); ++i)
    visit_nodes(syntax.functions[static_cast<std::size_t>(found[i])].body, [&](const Node& node) {
      const int called = callee(syntax, node);
      if (called >= 0 && std::find(found.begin(), found.end(), called) == found.end())
        found.push_back(called);
    });
  return found;
}

ConstantUse::ConstantUse(const Syntax& syntax)
    : syntax_(syntax), used_(syntax.functions.size()), indexed_(syntax.constants.size(), true) {
  std::vector<std::set<int>> own(used_.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    visit_nodes(syntax.functions[i].body, [&](const Node& node) {
      const Declaration* named = declaration(syntax, node);
      if (named != nullptr && named->kind == Declaration::Kind::constant && named->number >= 0)
        own[i].insert(named->number);
    });
    find_pointers(syntax, syntax.functions[i].body, false, indexed_);
  }
  for (std::size_t i = 0; i < used_.size(); ++i)
    for (const int called : reachable(syntax, static_cast<int>(i)))
      used_[i].insert(own[static_cast<std::size_t>(called)].begin(),
                      own[static_cast<std::size_t>(called)].end());
}

std::string ConstantUse::parameters(int function, bool first) const {
  std::string text;
  for (const int number : of(function)) {
    const ConstShape& constant = syntax_.constants[static_cast<std::size_t>(number)];
    text += std::exchange(first, false) ? "" : ", ";
    if (constant.scalar)
      text += fmt::format("{} {}", name_of(constant.type), constant.name);
    else
      text += fmt::format("{}const {} *{}", only_indexed(number) ? "__constant " : "",
                          name_of(constant.type), constant.name);
  }
  return text;
}

std::string ConstantUse::arguments(int function, bool first) const {
  std::string text;
  for (const int number : of(function)) {
    text += std::exchange(first, false) ? "" : ", ";
    text += syntax_.constants[static_cast<std::size_t>(number)].name;
  }
  return text;
}

std::vector<CallSite> call_sites(const Syntax& syntax) {
  std::map<std::string_view, int> numbers;
  std::set<std::uint32_t> declared;
  for (std::size_t i = 0; i < syntax.functions.size(); ++i) {
    numbers[syntax.functions[i].name] = static_cast<int>(i);
    declared.insert(syntax.functions[i].name_at);
  }
  for (const auto& prototype : syntax.prototypes) declared.insert(prototype.name_at);
  std::vector<CallSite> sites;
  const Lexed lexed = lex(syntax.source->text());
  const auto& tokens = lexed.tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto found = numbers.find(tokens[i].text);
    if (tokens[i].kind != TokenKind::identifier || found == numbers.end() ||
        !tokens[i + 1].is(punct("(")) || declared.contains(tokens[i].begin))
      continue;
    int depth = 0;
    for (std::size_t j = i + 1; j < tokens.size(); ++j) {
      if (tokens[j].is(punct("("))) ++depth;
      if (!tokens[j].is(punct(")")) || --depth > 0) continue;
      sites.push_back({found->second, tokens[i].begin, tokens[i].end, tokens[j].begin});
      break;
    }
  }
  return sites;
}

namespace {

/// Loops of no more steps are written out.
constexpr int most_steps = 32;

/// `for (int n = 0; n < 4; n++)`: whether the bound is a small number.
bool is_short(const Node& loop, std::string_view text) {
  return std::any_of(loop.children.begin(), loop.children.end(), [&](const Node& child) {
    if (child.kind != CXCursor_BinaryOperator || child.children.size() != 2 ||
        (child.operation != "<" && child.operation != "<="))
      return false;
    const Node& bound = child.children[1];
    int steps = 0;
    const char* end = text.data() + std::min<std::size_t>(bound.end, text.size());
    const auto read = std::from_chars(text.data() + bound.begin, end, steps);
    return read.ec == std::errc() && read.ptr == end && steps <= most_steps;
  });
}

void unroll(const Node& node, std::string_view text, std::vector<Edit>& edits) {
  if (node.kind == CXCursor_ForStmt && is_short(node, text))
    edits.push_back({node.begin, 0, "_Pragma(\"unroll\") "});
  for (const Node& child : node.children) unroll(child, text, edits);
}

/// Users who say how their loops are to be compiled are left to it.
bool has_pragma(const Syntax& syntax, const Function& function) {
  const auto text =
      std::string_view(syntax.source->text()).substr(function.begin, function.end - function.begin);
  return text.find("pragma") != text.npos || text.find("_Pragma") != text.npos;
}

}  // namespace

std::vector<Edit> plain_edits(const Syntax& syntax, const ConstantUse& constants) {
  std::vector<Edit> edits;
  const auto declare = [&](const auto& function, int number, bool has_parameters) {
    if (!function.is_static) edits.push_back({function.begin, 0, "static "});
    const std::string added = constants.parameters(number, !has_parameters);
    if (added.empty()) return;
    if (function.void_at != 0) edits.push_back({function.void_at, 4, ""});
    edits.push_back({function.close, 0, added});
  };
  for (const auto& prototype : syntax.prototypes)
    if (const int number = syntax.function(prototype.name); number >= 0)
      declare(prototype, number, prototype.has_parameters);
  for (std::size_t i = 0; i < syntax.functions.size(); ++i)
    declare(syntax.functions[i], static_cast<int>(i), !syntax.functions[i].parameters.empty());
  for (const auto& site : call_sites(syntax)) {
    const auto& called = syntax.functions[static_cast<std::size_t>(site.function)];
    const std::string added = constants.arguments(site.function, called.parameters.empty());
    if (!added.empty()) edits.push_back({site.close, 0, added});
  }
  // Where a compiler leaves a loop over components standing, they stay in memory, all of them.
  for (const auto& function : syntax.functions)
    if (!has_pragma(syntax, function)) unroll(function.body, syntax.source->text(), edits);
  return edits;
}

}  // namespace kiln::mesh
