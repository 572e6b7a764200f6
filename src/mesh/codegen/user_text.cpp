// Edits of a user's text that make it OpenCL C: constants as parameters, unrolled loops, and copies
// of functions for pointers into other address spaces.
#include "mesh/codegen/user_text.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {

std::vector<Edit> in_order(std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  return edits;
}

std::string edited(std::string_view text, std::uint32_t begin, std::uint32_t end,
                   const std::vector<Edit>& edits) {
  std::string result;
  auto edit = std::lower_bound(edits.begin(), edits.end(), begin,
                               [](const Edit& e, std::uint32_t at) { return e.at < at; });
  const Edit* last = nullptr;
  for (; edit != edits.end() && edit->at < end; ++edit) {
    if (edit->at < begin || (last != nullptr && *last == *edit)) continue;
    result += text.substr(begin, edit->at - begin);
    result += edit->inserted;
    begin = edit->at + edit->removed;
    last = &*edit;
  }
  return begin < end ? result.append(text.substr(begin, end - begin)) : result;
}

std::string edited(std::string_view text, std::vector<Edit> edits) {
  return edited(text, 0, static_cast<std::uint32_t>(text.size()), in_order(std::move(edits)));
}

const Declaration* declaration(const Syntax& syntax, const Node& node) {
  return node.declaration < 0 ? nullptr : &declared(syntax, node.declaration);
}

bool passes_on(const Node& node) {
  return (node.kind == CXCursor_ParenExpr || node.kind == CXCursor_UnexposedExpr) &&
         !node.children.empty();
}

namespace {

/// Marks arrays of constants that are met elsewhere than in front of [ ].
void find_pointers(const Syntax& syntax, const Node& node, bool indexed,
                   std::vector<bool>& only_indexed) {
  const Declaration* named = declaration(syntax, node);
  if (node.kind == CXCursor_DeclRefExpr && named != nullptr && named->number >= 0 &&
      named->kind == Declaration::Kind::constant && !indexed)
    only_indexed[static_cast<std::size_t>(named->number)] = false;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool base = node.kind == CXCursor_ArraySubscriptExpr && i == 0;
    find_pointers(syntax, node.children[i], base || (passes_on(node) && indexed), only_indexed);
  }
}

}  // namespace

void visit_nodes(const Node& node, const std::function<void(const Node&)>& visit) {
  visit(node);
  for (const auto& child : node.children) visit_nodes(child, visit);
}

bool any_node(const Node& node, const std::function<bool(const Node&)>& holds) {
  return holds(node) || std::any_of(node.children.begin(), node.children.end(),
                                    [&](const Node& child) { return any_node(child, holds); });
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
    visit_nodes(function_of(syntax, found[i]).body, [&](const Node& node) {
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
        !tokens[i + 1].is("(") || declared.contains(tokens[i].begin))
      continue;
    int depth = 0;
    for (std::size_t j = i + 1; j < tokens.size(); ++j) {
      if (tokens[j].is("(")) ++depth;
      if (!tokens[j].is(")") || --depth > 0) continue;
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

/// Whether the user says how loops are to be compiled: then they stay as they are.
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
    const auto& called = function_of(syntax, site.function);
    const std::string added = constants.arguments(site.function, called.parameters.empty());
    if (!added.empty()) edits.push_back({site.close, 0, added});
  }
  // Where a compiler leaves a loop over components standing, they stay in memory, all of them.
  for (const auto& function : syntax.functions)
    if (!has_pragma(syntax, function)) unroll(function.body, syntax.source->text(), edits);
  return edits;
}

namespace {

const char* qualifier(Space space) {
  switch (space) {
    case Space::global:
      return "__global ";
    case Space::constant:
      return "__constant ";
    case Space::local:
      return "__local ";
    case Space::private_:
      break;
  }
  return "";
}

bool is_pointer(const CType& type) { return type.depth == 1 && !type.array; }

struct Copy {
  int function = -1;
  Spaces spaces;
  auto operator<=>(const Copy&) const = default;
};

/// One function with given spaces of its parameters.
class SpaceCopy {
 public:
  SpaceCopy(const Syntax& syntax, const Copy& copy)
      : syntax_(syntax), function_(function_of(syntax, copy.function)) {
    for (std::size_t i = 0; i < copy.spaces.size(); ++i)
      spaces_[function_.parameters[i]] = copy.spaces[i];
    visit_nodes(function_.body, [&](const Node& node) {
      if (node.kind == CXCursor_DeclStmt)
        for (const auto& child : node.children)
          if (child.kind == CXCursor_VarDecl) statements_[child.declaration] = node.begin;
    });
    // Each round can only add spaces, so that it ends.
    for (std::size_t known = 0; fits_ && known != spaces_.size();) {
      known = spaces_.size();
      visit_nodes(function_.body, [&](const Node& node) { learn(node); });
    }
    if (function_.result.depth > 0) fits_ = false;
    visit_nodes(function_.body, [&](const Node& node) { check(node); });
  }
  bool fits() const { return fits_; }

  /// Qualifiers of parameters and local pointers.
  std::vector<Edit> qualifiers() const {
    std::vector<Edit> edits;
    for (const auto& [declaration, space] : spaces_) {
      if (space == Space::private_) continue;
      const auto statement = statements_.find(declaration);
      const auto at =
          statement == statements_.end() ? declared(syntax_, declaration).begin : statement->second;
      const Edit edit{at, 0, qualifier(space)};
      if (std::find(edits.begin(), edits.end(), edit) == edits.end()) edits.push_back(edit);
    }
    return edits;
  }
  /// Calls of the text's functions: where, and which copy.
  std::vector<std::pair<std::uint32_t, Copy>> calls() const {
    std::vector<std::pair<std::uint32_t, Copy>> found;
    visit_nodes(function_.body, [&](const Node& node) {
      const int called = node.kind == CXCursor_CallExpr ? callee(syntax_, node) : -1;
      if (called < 0) return;
      Spaces spaces;
      for (std::size_t i = 1; i < node.children.size(); ++i)
        spaces.push_back(node.children[i].type.depth == 1 ? space(node.children[i])
                                                          : Space::private_);
      found.emplace_back(node.begin, Copy{called, std::move(spaces)});
    });
    return found;
  }

 private:
  /// Where an expression points to (pointers) or lies (others). Unknown ones are private so far.
  Space space(const Node& node) const {
    if (passes_on(node)) return space(node.children.back());
    switch (node.kind) {
      case CXCursor_DeclRefExpr:
        return space_of(node.declaration);
      case CXCursor_ArraySubscriptExpr:
      case CXCursor_UnaryOperator:
      case CXCursor_CStyleCastExpr:
      case CXCursor_CompoundAssignOperator:
        return node.children.empty()
                   ? Space::private_
                   : space(node.children.back().type.depth > 0 ? node.children.back()
                                                               : node.children[0]);
      case CXCursor_BinaryOperator:
        for (const auto& child : node.children)
          if (child.type.depth > 0) return space(child);
        return Space::private_;
      case CXCursor_ConditionalOperator:
        return node.children.size() == 3 ? space(node.children[1]) : Space::private_;
      default:
        return node.children.empty() ? Space::private_ : space(node.children[0]);
    }
  }
  void give(int declaration, Space given) {
    const auto [at, added] = spaces_.try_emplace(declaration, given);
    if (!added && at->second != given) {
      if (at->second != Space::private_) fits_ = false;
      at->second = given;
      if (given == Space::private_) fits_ = false;
    }
  }
  void learn(const Node& node) {
    if (node.kind == CXCursor_VarDecl && is_pointer(node.type) && !node.children.empty() &&
        node.children.back().type.depth > 0 && space(node.children.back()) != Space::private_)
      give(node.declaration, space(node.children.back()));
    if (node.kind != CXCursor_BinaryOperator || node.operation != "=" || node.children.size() != 2)
      return;
    const Node& to = node.children[0];
    if (to.kind == CXCursor_DeclRefExpr && is_pointer(to.type) &&
        space(node.children[1]) != Space::private_)
      give(to.declaration, space(node.children[1]));
  }
  /// What has no answer, once all spaces are known.
  void check(const Node& node) {
    const auto far = [&](const Node& n) {
      return n.type.depth == 1 && !n.type.array && space(n) != Space::private_;
    };
    const auto any_far = [&] {
      return std::any_of(node.children.begin(), node.children.end(), far);
    };
    switch (node.kind) {
      case CXCursor_VarDecl: {
        const bool one = is_pointer(node.type);
        if (!one && node.type.depth > 0 && any_far()) fits_ = false;
        if (one && !node.children.empty() && node.children.back().type.depth == 1 &&
            space(node.children.back()) != space_of(node.declaration))
          fits_ = false;
        return;
      }
      case CXCursor_DeclStmt: {
        // One qualifier stands for all that a statement declares.
        std::set<Space> all;  // of what is declared
        for (const auto& child : node.children)
          if (child.kind == CXCursor_VarDecl) all.insert(space_of(child.declaration));
        if (all.size() > 1) fits_ = false;
        return;
      }
      case CXCursor_BinaryOperator:
        if (node.operation == "=" && node.children.size() == 2 &&
            node.children[1].type.depth == 1 && node.children[0].type.depth == 1 &&
            (node.children[0].kind != CXCursor_DeclRefExpr
                 ? far(node.children[1])
                 : space(node.children[0]) != space(node.children[1])))
          fits_ = false;
        return;
      case CXCursor_ConditionalOperator:
        if (node.type.depth == 1 && node.children.size() == 3 &&
            space(node.children[1]) != space(node.children[2]))
          fits_ = false;
        return;
      case CXCursor_CStyleCastExpr:
      case CXCursor_InitListExpr:
      case CXCursor_ReturnStmt:
        if (any_far()) fits_ = false;
        return;
      default:
        return;
    }
  }
  Space space_of(int declaration) const {
    const auto found = spaces_.find(declaration);
    return found == spaces_.end() ? Space::private_ : found->second;
  }

  const Syntax& syntax_;
  const Function& function_;
  std::map<int, Space> spaces_;
  std::map<int, std::uint32_t>
      statements_;  ///< where the statement begins that declares a variable
  bool fits_ = true;
};

}  // namespace

std::string spaces_suffix(const Spaces& spaces) {
  if (std::all_of(spaces.begin(), spaces.end(), [](Space s) { return s == Space::private_; }))
    return {};
  std::string suffix = "_kiln_";
  for (const Space space : spaces) suffix += static_cast<char>(space);
  return suffix;
}

std::optional<std::string> space_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                        int function, const Spaces& spaces) {
  std::map<std::uint32_t, std::uint32_t> name_ends;  // of calls as they are written
  for (const auto& site : call_sites(syntax)) name_ends[site.begin] = site.end;
  const std::string& text = syntax.source->text();
  std::vector<Copy> copies{{function, spaces}};
  std::string prototypes, bodies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy copy = copies[i];
    const Function& copied = function_of(syntax, copy.function);
    const SpaceCopy made(syntax, copy);
    if (!made.fits()) return std::nullopt;
    std::vector<Edit> edits = plain;
    std::ranges::move(made.qualifiers(), std::back_inserter(edits));
    const auto name_end = copied.name_at + static_cast<std::uint32_t>(copied.name.size());
    edits.push_back({name_end, 0, spaces_suffix(copy.spaces)});
    for (const auto& [at, called] : made.calls()) {
      const std::string suffix = spaces_suffix(called.spaces);
      if (suffix.empty()) continue;
      if (!name_ends.contains(at)) return std::nullopt;  // written by a macro
      edits.push_back({name_ends[at], 0, suffix});
      if (std::find(copies.begin(), copies.end(), called) == copies.end()) copies.push_back(called);
    }
    edits = in_order(std::move(edits));
    prototypes += edited(text, copied.begin, copied.close + 1, edits) + ";\n";
    bodies += edited(text, copied.begin, copied.end, edits) + "\n";
  }
  std::string all = prototypes + bodies;
  if (opencl_error(edited(text, plain) + "\n" + all)) return std::nullopt;
  return all;
}

}  // namespace kiln::mesh
