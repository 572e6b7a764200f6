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

namespace {

/// Marks arrays of constants that are met elsewhere than in front of [ ].
void find_pointers(const Syntax& syntax, const Node& node, bool indexed,
                   std::vector<bool>& only_indexed) {
  const Declaration* named = syntax.named(node);
  if (node.kind == CXCursor_DeclRefExpr && named != nullptr && named->number >= 0 &&
      named->kind == Declaration::Kind::given && !indexed)
    only_indexed[static_cast<std::size_t>(named->number)] = false;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool base = node.kind == CXCursor_ArraySubscriptExpr && i == 0;
    find_pointers(syntax, node.children[i], base || (passes_on(node) && indexed), only_indexed);
  }
}

}  // namespace

ConstantUse::ConstantUse(const Syntax& syntax)
    : syntax_(syntax), used_(syntax.functions.size()), indexed_(syntax.constants.size(), true) {
  std::vector<std::set<int>> own(used_.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    visit_nodes(syntax.functions[i].body, [&](const Node& node) {
      const Declaration* named = syntax.named(node);
      if (named != nullptr && named->kind == Declaration::Kind::given && named->number >= 0)
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
  const auto& tokens = syntax.lexed.tokens;
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
  return std::ranges::any_of(loop.children, [&](const Node& child) {
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
      std::string_view(syntax.text()).substr(function.begin, function.end - function.begin);
  return text.find("pragma") != text.npos || text.find("_Pragma") != text.npos;
}

/// Makes a function static, with the constants that it needs behind its own parameters.
void declare(const Syntax& syntax, const Function& function, const std::string& added,
             std::vector<Edit>& edits) {
  if (!function.is_static) edits.push_back({function.begin, 0, "static "});
  if (added.empty()) return;
  if (const std::size_t end = syntax.lexed.token_at(function.close);
      function.parameters.empty() && end > 0 && syntax.lexed.tokens[end - 1].text == "void")
    edits.push_back({syntax.lexed.tokens[end - 1].begin, 4, ""});
  edits.push_back({function.close, 0, added});
}

}  // namespace

std::vector<Edit> plain_edits(const Syntax& syntax, const ConstantUse& constants) {
  std::vector<Edit> edits;
  for (const auto& prototype : syntax.prototypes)
    if (const int number = function_named(syntax, prototype.name); number >= 0)
      declare(syntax, prototype, constants.parameters(number, prototype.parameters.empty()), edits);
  for (std::size_t i = 0; i < syntax.functions.size(); ++i) {
    const Function& function = syntax.functions[i];
    declare(syntax, function,
            constants.parameters(static_cast<int>(i), function.parameters.empty()), edits);
  }
  for (const auto& site : call_sites(syntax)) {
    const auto& called = syntax.function(site.function);
    const std::string added = constants.arguments(site.function, called.parameters.empty());
    if (!added.empty()) edits.push_back({site.close, 0, added});
  }
  // Where a compiler leaves a loop over components standing, they stay in memory, all of them.
  for (const auto& function : syntax.functions)
    if (!has_pragma(syntax, function)) unroll(function.body, syntax.text(), edits);
  return edits;
}

namespace {

// By Space.
constexpr const char* space_words[] = {"", "__global ", "__local ", "__constant "};
constexpr char letters[] = "pglc";

bool is_pointer(const clang::Type* type) { return type->depth == 1 && !type->array; }

struct Copy {
  int function = -1;
  Spaces spaces;
  auto operator<=>(const Copy&) const = default;
};

/// One function with given spaces of its parameters.
class SpaceCopy {
 public:
  SpaceCopy(const Syntax& syntax, const Copy& copy)
      : syntax_(syntax), function_(syntax.function(copy.function)) {
    for (std::size_t i = 0; i < copy.spaces.size(); ++i)
      spaces_[function_.parameters[i]] = copy.spaces[i];
    visit_nodes(function_.body, [&](const Node& node) {
      if (node.kind == CXCursor_DeclStmt)
        for (const auto& child : node.children)
          if (child.kind == CXCursor_VarDecl) statements_[child.declaration] = node.begin;
    });
    // Each round can only add spaces, so that it ends.
    for (std::size_t known = 0; known != spaces_.size();) {
      known = spaces_.size();
      visit_nodes(function_.body, [&](const Node& node) { learn(node); });
    }
  }

  /// Qualifiers of parameters and local pointers.
  std::vector<Edit> qualifiers() const {
    std::vector<Edit> edits;
    for (const auto& [declaration, space] : spaces_) {
      if (space == Space::private_) continue;
      const auto statement = statements_.find(declaration);
      const auto at =
          statement == statements_.end() ? syntax_.declared(declaration).begin : statement->second;
      const Edit edit{at, 0, space_words[static_cast<std::size_t>(space)]};
      if (std::ranges::find(edits, edit) == edits.end()) edits.push_back(edit);
    }
    return edits;
  }
  /// Calls of the text's functions: where, and which copy.
  std::vector<std::pair<std::uint32_t, Copy>> calls() const {
    std::vector<std::pair<std::uint32_t, Copy>> found;
    visit_nodes(function_.body, [&](const Node& node) {
      const int called = node.kind == CXCursor_CallExpr ? syntax_.callee(node) : -1;
      if (called < 0) return;
      Spaces spaces;
      for (std::size_t i = 1; i < node.children.size(); ++i)
        spaces.push_back(node.children[i].type->depth == 1 ? space(node.children[i])
                                                           : Space::private_);
      found.emplace_back(node.begin, Copy{called, std::move(spaces)});
    });
    return found;
  }

 private:
  /// Where an expression points to (pointers) or lies (others). Unknown ones are private so far.
  Space space(const Node& node) const {
    if (node.kind == CXCursor_DeclRefExpr) return space_of(node.declaration);
    if (node.children.empty()) return Space::private_;
    const std::size_t condition = node.kind == CXCursor_ConditionalOperator ? 1 : 0;
    for (std::size_t i = condition; i < node.children.size(); ++i)
      if (node.children[i].type->depth > 0) return space(node.children[i]);
    return space(node.children[0]);
  }
  /// Of two spaces the first stays: clang finds what is wrong then.
  void give(int declaration, const Node& value) {
    if (space(value) != Space::private_) spaces_.try_emplace(declaration, space(value));
  }
  void learn(const Node& node) {
    const bool has_value = !node.children.empty() && node.children.back().type->depth > 0;
    if (node.kind == CXCursor_VarDecl && is_pointer(node.type) && has_value)
      give(node.declaration, node.children.back());
    if (node.kind != CXCursor_BinaryOperator || node.operation != "=" || !has_value) return;
    const Node& to = node.children[0];
    if (to.kind == CXCursor_DeclRefExpr && is_pointer(to.type))
      give(to.declaration, node.children[1]);
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
};

}  // namespace

std::string spaces_suffix(const Spaces& spaces) {
  if (std::ranges::all_of(spaces, [](Space s) { return s == Space::private_; })) return {};
  std::string suffix = "_kiln_";
  for (const Space space : spaces) suffix += letters[static_cast<std::size_t>(space)];
  return suffix;
}

std::optional<std::string> space_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                        int function, const Spaces& spaces) {
  std::map<std::uint32_t, std::uint32_t> name_ends;  // of calls as they are written
  for (const auto& site : call_sites(syntax)) name_ends[site.begin] = site.end;
  const std::string& text = syntax.text();
  std::vector<Copy> copies{{function, spaces}};
  std::string prototypes, bodies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy copy = copies[i];
    const Function& copied = syntax.function(copy.function);
    const SpaceCopy made(syntax, copy);
    std::vector<Edit> edits = plain;
    std::ranges::move(made.qualifiers(), std::back_inserter(edits));
    const auto name_end = copied.name_at + static_cast<std::uint32_t>(copied.name.size());
    edits.push_back({name_end, 0, spaces_suffix(copy.spaces)});
    for (const auto& [at, called] : made.calls()) {
      const std::string suffix = spaces_suffix(called.spaces);
      if (suffix.empty()) continue;
      if (!name_ends.contains(at)) return std::nullopt;  // written by a macro
      edits.push_back({name_ends[at], 0, suffix});
      if (std::ranges::find(copies, called) == copies.end()) copies.push_back(called);
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
