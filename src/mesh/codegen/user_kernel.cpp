// A loop's kernel held against the loop: its parameters, what it writes where the loop says READ,
// and what it reads before it writes it where the loop says WRITE.
#include "mesh/codegen/user_kernel.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/data/text.hpp"
#include "mesh/codegen/lanes.hpp"

namespace kiln::mesh {

namespace {

bool is_void(const clang::Type* type) { return type->depth == 0 && !scalar_of(type); }
bool is_jump(const Node& node) {
  return node.kind == CXCursor_ReturnStmt || node.kind == CXCursor_GotoStmt ||
         node.kind == CXCursor_LabelStmt || node.kind == CXCursor_BreakStmt ||
         node.kind == CXCursor_ContinueStmt;
}
bool is_sizeof(const Node& node) { return node.kind == CXCursor_UnaryExpr; }

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         (text == "0" || text[0] != '0');
}

/// Goes through the statements in their order until there is a doubt or a find.
class Search {
 public:
  Search(const Syntax& syntax, int parameter) : syntax_(syntax), parameter_(parameter) {}
  const std::optional<std::uint32_t>& found() const { return found_; }

  void statement(const Node& node) {
    if (done_) return;
    switch (node.kind) {
      case CXCursor_CompoundStmt:
        for (const auto& child : node.children) statement(child);
        return;
      case CXCursor_DeclStmt:
        for (const auto& variable : node.children)
          for (const auto& child : variable.children) {
            done_ = done_ || hands_on(child);
            expression(child);
          }
        return;
      case CXCursor_NullStmt:
        return;
      case CXCursor_ForStmt:
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
      case CXCursor_IfStmt:
      case CXCursor_SwitchStmt: {
        const ControlParts parts = control_parts(syntax_, node);
        if (runs_once(node, parts) && parts.body != nullptr)
          statement(*parts.body);
        else if (node.kind == CXCursor_IfStmt && parts.condition != nullptr &&
                 !hands_on(*parts.condition))
          expression(*parts.condition);
        if (!done_) branch(node);
        return;
      }
      default:
        break;
    }
    if (is_jump(node)) {
      done_ = true;
      return;
    }
    const bool steps_here = node.kind == CXCursor_UnaryOperator && is_step(node);
    if ((is_assignment(node) || steps_here) && !node.children.empty() &&
        is_place(core(node.children[0]))) {
      const Node& place = core(node.children[0]);
      for (std::size_t i = 1; i < node.children.size(); ++i)
        done_ = done_ || hands_on(node.children[i]);
      done_ = done_ || hands_on(place);
      for (std::size_t i = 1; i < node.children.size(); ++i) expression(node.children[i]);
      if (done_) return;
      if (node.operation != "=") read(place);
      if (!done_) written(place);
      return;
    }
    done_ = done_ || hands_on(node);
    expression(node);
  }

 private:
  bool is_parameter(const Node& node) const {
    return core(node).kind == CXCursor_DeclRefExpr && core(node).declaration == parameter_;
  }
  /// p[…] and *p.
  bool is_place(const Node& node) const {
    return !node.children.empty() && is_parameter(node.children[0]) &&
           (node.kind == CXCursor_ArraySubscriptExpr ||
            (node.kind == CXCursor_UnaryOperator && node.operation == "*"));
  }

  std::string component(const Node& place) const {
    if (place.kind == CXCursor_UnaryOperator) return "0";
    const Node& index = place.children[1];
    return syntax_.text().substr(index.begin, index.end - index.begin);
  }

  /// Whether the pointer itself goes somewhere, or something within the expression is assigned.
  bool hands_on(const Node& node) const {
    if (is_sizeof(node)) return false;
    if (is_place(node))
      return std::any_of(node.children.begin() + 1, node.children.end(),
                         [&](const Node& child) { return hands_on(child); });
    if (is_parameter(node)) return true;
    // Between what a macro was given stands a comma, whatever its body does with it.
    const bool is_operator =
        node.kind == CXCursor_UnaryOperator || node.kind == CXCursor_BinaryOperator;
    const bool is_unclear =
        node.operation.empty() || node.operation == "&" || node.operation == ",";
    if (is_operator && is_unclear && mentions(node)) return true;
    if ((is_assignment(node) || (node.kind == CXCursor_UnaryOperator && is_step(node))) &&
        mentions(node.children[0]))
      return true;
    return std::ranges::any_of(node.children, [&](const Node& child) { return hands_on(child); });
  }

  bool mentions(const Node& node) const {
    return any_node(node, [&](const Node& n) {
      return n.kind == CXCursor_DeclRefExpr && n.declaration == parameter_;
    });
  }

  void read(const Node& place) {
    const std::string what = component(place);
    const bool is_new =
        written_.empty() || (is_number(what) && !written_.contains(what) &&
                             std::ranges::all_of(written_, [](auto& w) { return is_number(w); }));
    if (is_new) found_ = place.begin;
    done_ = done_ || is_new || !is_number(what);
  }

  /// What is written at an index that is not known may be anything.
  void written(const Node& place) {
    const std::string what = component(place);
    if (!is_number(what)) done_ = true;
    written_.insert(what);
  }

  /// What is evaluated in any case, none of it assigned.
  void expression(const Node& node) {
    const bool is_cast = node.kind == CXCursor_CStyleCastExpr;
    if (done_ || is_sizeof(node) || (is_cast && is_void(node.type))) return;
    if (is_place(node)) {
      for (std::size_t i = 1; i < node.children.size(); ++i) expression(node.children[i]);
      if (!done_) read(node);
      return;
    }
    const bool chooses = is_logical(node) || node.kind == CXCursor_ConditionalOperator;
    for (std::size_t i = 0; i < node.children.size() && !(chooses && i > 0); ++i)
      expression(node.children[i]);
  }

  /// What is done perhaps: it may write, or leave the function.
  void branch(const Node& node) { done_ = done_ || any_node(node, is_jump) || mentions(node); }

  /// `for (int i = 0; i < 3; …)`.
  bool runs_once(const Node& loop, const ControlParts& parts) const {
    if (loop.kind != CXCursor_ForStmt || parts.first == nullptr || parts.condition == nullptr ||
        parts.first->kind != CXCursor_DeclStmt || parts.first->children.size() != 1 ||
        parts.condition->operation != "<" || parts.condition->children.size() != 2)
      return false;
    const Node& counter = parts.first->children[0];
    const auto text = [&](const Node& node) {
      return syntax_.text().substr(node.begin, node.end - node.begin);
    };
    const Node& asked = core(parts.condition->children[0]);
    const std::string most = text(parts.condition->children[1]);
    return counter.kind == CXCursor_VarDecl && !counter.children.empty() &&
           text(counter.children.back()) == "0" && asked.kind == CXCursor_DeclRefExpr &&
           asked.declaration == counter.declaration && is_number(most) && most != "0";
  }

  const Syntax& syntax_;
  int parameter_;
  std::set<std::string> written_;  ///< components, as they are written
  bool done_ = false;
  std::optional<std::uint32_t> found_;
};

/// Where a function certainly reads through one of its parameters, a pointer to numbers, what it
/// has not written there before: in statements that every call goes through, in front of anything
/// that might have written. Nothing where there is any doubt, as behind an if that returns, or
/// where the pointer is handed on.
///
/// @param parameter its number in Syntax::declarations.
/// @return a byte of the text.
std::optional<std::uint32_t> read_before_write(const Syntax& syntax, const Function& function,
                                               int parameter) {
  Search search(syntax, parameter);
  search.statement(function.body);
  return search.found();
}

/// Local pointers that have pointed to one parameter all along, and its place.
using Aliases = std::map<int, int>;

/// The parameter behind an lvalue like p[i], *(p + 1) or (*p)[2], where it is written through a
/// pointer; else -1.
int written_through(const Syntax& syntax, const Aliases& aliases, const Node& node, bool through) {
  if (node.kind == CXCursor_DeclRefExpr && through && node.declaration >= 0) {
    const Declaration& named = syntax.declared(node.declaration);
    if (named.kind == Declaration::Kind::parameter) return named.number;
    const auto alias = aliases.find(node.declaration);
    return alias == aliases.end() ? -1 : alias->second;
  }
  const bool indexes = node.kind == CXCursor_ArraySubscriptExpr;
  const bool is_unary = node.kind == CXCursor_UnaryOperator;
  if (!node.children.empty() &&
      (passes_on(node) || node.kind == CXCursor_CStyleCastExpr || indexes || is_unary))
    return written_through(syntax, aliases, node.children[0],
                           through || indexes || (is_unary && node.operation == "*"));
  // Pointer arithmetic: the pointer may stand on either side.
  for (const auto& child : node.children)
    if (node.kind == CXCursor_BinaryOperator && child.type->depth > 0)
      return written_through(syntax, aliases, child, through);
  return -1;
}

/// `double *p = x;` makes one, unless p gets another value later.
Aliases aliases_in(const Syntax& syntax, const Function& function) {
  Aliases aliases;
  std::set<int> changed;
  visit_nodes(function.body, [&](const Node& node) {
    if (node.children.empty()) return;
    const Node& last = node.children.back();
    if (node.kind == CXCursor_VarDecl && node.type->depth == 1 && !node.type->array &&
        last.type->depth == 1)
      if (const int place = written_through(syntax, aliases, last, true); place >= 0)
        aliases[node.declaration] = place;
    const Node& first = node.children.front();
    if (node.kind == CXCursor_BinaryOperator && node.operation == "=" && first.type->depth > 0 &&
        first.declaration >= 0)
      changed.insert(first.declaration);
  });
  for (const int declaration : changed) aliases.erase(declaration);
  return aliases;
}

/// Places of parameters of a function that it certainly writes through, itself or by the functions
/// that it calls.
std::set<int> written_parameters(const Syntax& syntax, int function, std::set<int>& visited) {
  std::set<int> written;
  if (!visited.insert(function).second) return written;
  const Aliases aliases = aliases_in(syntax, syntax.function(function));
  visit_nodes(syntax.function(function).body, [&](const Node& node) {
    const bool steps = node.kind == CXCursor_UnaryOperator && is_step(node);
    if ((is_assignment(node) || steps) && !node.children.empty()) {
      const int place = written_through(syntax, aliases, node.children[0], false);
      if (place >= 0) written.insert(place);
    }
    const int called = node.kind == CXCursor_CallExpr ? syntax.callee(node) : -1;
    if (called < 0) return;
    for (const int place : written_parameters(syntax, called, visited)) {
      const auto at = static_cast<std::size_t>(place) + 1;  // the first child is the function
      if (at >= node.children.size()) continue;
      const int own = written_through(syntax, aliases, node.children[at], true);
      if (own >= 0) written.insert(own);
    }
  });
  visited.erase(function);
  return written;
}

std::string count(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string described(const ArgShape& a) {
  const char* kind = a.kind == ArgShape::Kind::dat      ? "Dat"
                     : a.kind == ArgShape::Kind::global ? "Global"
                                                        : "Mat";
  return fmt::format("{} of {}, {}", kind, name_of(a.type), name_of(a.access));
}

/// What a kernel gets for an argument: `count` values, pointers or rows of `row` values.
struct Handed {
  int depth = 1;
  long long count = 0, row = -1;
};

Handed handed(const ArgShape& a, const clang::Type* type) {
  if (a.kind == ArgShape::Kind::mat) {
    const long long rows = a.dim * (a.via == ArgShape::Via::all ? a.arity : 1);
    const long long columns = a.column_dim * (a.column_index < 0 ? a.column_arity : 1);
    if (type->depth == 2) return {2, rows, columns};
    return {1, rows * columns, -1};
  }
  if (a.kind != ArgShape::Kind::dat || a.via != ArgShape::Via::all) return {1, a.dim, -1};
  return {2, a.flatten ? static_cast<long long>(a.arity) * a.dim : a.arity, -1};
}

std::string wanted(const ArgShape& a, const Handed& handed) {
  const std::string_view type = name_of(a.type);
  if (handed.row >= 0) return fmt::format("{} [{}][{}]", type, handed.count, handed.row);
  if (a.kind == ArgShape::Kind::mat) return fmt::format("{} *, {} values", type, handed.count);
  return fmt::format("{} {}", type,
                     handed.depth == 2 ? "**, a pointer for each entry of the map" : "*");
}

/// An array may be declared shorter than what it gets, as its first values; a row may not, since
/// the next one would begin elsewhere.
Expected<void> check_argument(const UserKernel& kernel, const ArgShape& argument,
                              std::size_t place) {
  const Declaration& parameter = kernel.parameter(place);
  const clang::Type* type = parameter.type;
  const Handed given = handed(argument, type);
  const auto wrong = [&](const std::string& expected) {
    return fail(
        Errc::bad_input,
        fmt::format("{}: argument {} ({}) of the loop goes to parameter '{}' of '{}', a {}; "
                    "{} was expected",
                    where(kernel.syntax, parameter.name_at), place, described(argument),
                    parameter.name, kernel.kernel().name, spelling_of(kernel.syntax, type),
                    expected));
  };
  if (type->depth != given.depth || scalar_of(type) != argument.type ||
      type->rows != (given.row >= 0) || (given.row >= 0 && type->row_length != given.row))
    return wrong(wanted(argument, given));
  if (type->length > given.count) return wrong(fmt::format("at most [{}]", given.count));
  return {};
}

Expected<void> check_hidden_constants(const Syntax& syntax, const ConstantUse& use) {
  for (std::size_t f = 0; f < syntax.functions.size(); ++f)
    for (const int number : use.of(static_cast<int>(f)))
      for (const auto& d : syntax.declarations)
        if ((d.kind == Declaration::Kind::parameter || d.kind == Declaration::Kind::variable) &&
            d.name == syntax.constants[static_cast<std::size_t>(number)].name &&
            d.begin >= syntax.functions[f].begin && d.begin < syntax.functions[f].end)
          return fail(Errc::bad_input,
                      fmt::format("{}: '{}' hides the constant of this name, which '{}' or a "
                                  "function that it calls uses",
                                  where(syntax, d.name_at), d.name, syntax.functions[f].name));
  return {};
}

Expected<void> check_parameters(const UserKernel& kernel, const LoopShape& shape) {
  const auto& parameters = kernel.kernel().parameters;
  const std::size_t arguments = shape.arguments.size(), indices = shape.extents.size();
  if (parameters.size() != arguments + indices) {
    return fail(
        Errc::bad_input,
        fmt::format("{}: kernel '{}' takes {}, the loop has {}",
                    where(kernel.syntax, kernel.kernel().name_at), shape.kernel,
                    count(parameters.size(), "parameter"),
                    count(arguments, "argument") +
                        (indices == 0 ? "" : fmt::format(" and {} iteration indices", indices))));
  }
  for (std::size_t i = 0; i < arguments; ++i)
    if (auto checked = check_argument(kernel, shape.arguments[i], i); !checked) return checked;
  for (std::size_t i = arguments; i < parameters.size(); ++i) {
    const clang::Type* type = kernel.parameter(i).type;
    if (type->depth != 0 || !scalar_of(type) || ends_in_floating(type))
      return fail(
          Errc::bad_input,
          fmt::format("{}: parameter '{}' of '{}' takes iteration index {}: int was "
                      "expected, not {}",
                      where(kernel.syntax, kernel.parameter(i).name_at), kernel.parameter(i).name,
                      shape.kernel, i - arguments, spelling_of(kernel.syntax, type)));
  }
  return {};
}

/// What a kernel does with its arguments, held against what the loop says that it does.
Expected<void> check_accesses(const UserKernel& kernel, const LoopShape& shape) {
  std::set<int> visited;
  const auto written = written_parameters(kernel.syntax, kernel.function, visited);
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgShape& a = shape.arguments[i];
    const Declaration& parameter = kernel.parameter(i);
    if (a.access == Access::read && written.contains(static_cast<int>(i)))
      return fail(
          Errc::bad_input,
          fmt::format("{}: kernel '{}' writes through parameter '{}', but argument {} of "
                      "the loop is READ",
                      where(kernel.syntax, parameter.name_at), shape.kernel, parameter.name, i));
    if (a.access != Access::write || a.kind != ArgShape::Kind::dat || parameter.type->depth != 1)
      continue;
    if (const auto at =
            read_before_write(kernel.syntax, kernel.kernel(), kernel.kernel().parameters[i]))
      return fail(Errc::bad_input,
                  fmt::format("{}: kernel '{}' reads through parameter '{}' before it writes "
                              "there, but argument {} of the loop is WRITE; RW was expected",
                              where(kernel.syntax, *at), shape.kernel, parameter.name, i));
  }
  return {};
}

}  // namespace

Expected<UserKernel> read_kernel(const LoopShape& shape) {
  auto syntax = read_syntax(shape.source, shape.constants);
  if (!syntax) return tl::unexpected(syntax.error());
  UserKernel kernel{std::move(*syntax), -1};
  kernel.function = function_named(kernel.syntax, shape.kernel);
  if (kernel.function < 0) {
    std::vector<std::string_view> names;
    for (const auto& function : kernel.syntax.functions) names.push_back(function.name);
    return fail(Errc::bad_input,
                fmt::format("{}: no function '{}' is defined here{}", shape.source->name(),
                            shape.kernel, did_you_mean(shape.kernel, names)));
  }
  if (auto checked = check_parameters(kernel, shape); !checked)
    return tl::unexpected(checked.error());
  if (auto checked = check_accesses(kernel, shape); !checked)
    return tl::unexpected(checked.error());
  if (auto checked = check_hidden_constants(kernel.syntax, ConstantUse(kernel.syntax)); !checked)
    return tl::unexpected(checked.error());
  return kernel;
}

}  // namespace kiln::mesh
