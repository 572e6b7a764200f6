#include "mesh/code/user_kernel.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "mesh/code/read_before_write.hpp"

namespace kiln::mesh {
namespace {

/// Local pointers that have pointed to one parameter all along, and its place.
using Aliases = std::map<int, int>;

/// The parameter behind an lvalue like p[i], *(p + 1) or (*p)[2], where it is written through a
/// pointer; else -1.
int written_through(const Syntax& syntax, const Aliases& aliases, const Node& node, bool through) {
  switch (node.kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
      return node.children.empty()
                 ? -1
                 : written_through(syntax, aliases, node.children.back(), through);
    case CXCursor_ArraySubscriptExpr:
      return node.children.empty() ? -1 : written_through(syntax, aliases, node.children[0], true);
    case CXCursor_UnaryOperator:
      return node.children.empty() ? -1
                                   : written_through(syntax, aliases, node.children[0],
                                                     through || node.operation == "*");
    case CXCursor_BinaryOperator:
      // Pointer arithmetic: the pointer may stand on either side.
      for (const auto& child : node.children)
        if (child.type.depth > 0) return written_through(syntax, aliases, child, through);
      return -1;
    case CXCursor_DeclRefExpr: {
      if (!through || node.declaration < 0) return -1;
      const auto& named = syntax.declarations[static_cast<std::size_t>(node.declaration)];
      if (named.kind == Declaration::Kind::parameter) return named.number;
      const auto alias = aliases.find(node.declaration);
      return alias == aliases.end() ? -1 : alias->second;
    }
    default:
      return -1;
  }
}

/// `double *p = x;` makes one, unless p gets another value later.
Aliases aliases_in(const Syntax& syntax, const Function& function) {
  Aliases aliases;
  std::set<int> changed;
  visit_nodes(function.body, [&](const Node& node) {
    if (node.children.empty()) return;
    const Node& last = node.children.back();
    if (node.kind == CXCursor_VarDecl && node.type.depth == 1 && !node.type.array &&
        last.type.depth == 1)
      if (const int place = written_through(syntax, aliases, last, true); place >= 0)
        aliases[node.declaration] = place;
    const Node& first = node.children.front();
    if (node.kind == CXCursor_BinaryOperator && node.operation == "=" && first.type.depth > 0 &&
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
  const Aliases aliases = aliases_in(syntax, syntax.functions[static_cast<std::size_t>(function)]);
  visit_nodes(syntax.functions[static_cast<std::size_t>(function)].body, [&](const Node& node) {
    const bool assigns =
        (node.kind == CXCursor_BinaryOperator && node.operation == "=") ||
        node.kind == CXCursor_CompoundAssignOperator ||
        (node.kind == CXCursor_UnaryOperator && (node.operation == "++" || node.operation == "--"));
    if (assigns && !node.children.empty()) {
      const int place = written_through(syntax, aliases, node.children[0], false);
      if (place >= 0) written.insert(place);
    }
    const int called = node.kind == CXCursor_CallExpr ? callee(syntax, node) : -1;
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

Handed handed(const ArgShape& a, const CType& type) {
  if (a.kind == ArgShape::Kind::mat) {
    const long long rows = a.dim * (a.via == ArgShape::Via::all ? a.arity : 1);
    const long long columns = a.column_dim * (a.column_index < 0 ? a.column_arity : 1);
    if (type.depth == 2) return {2, rows, columns};
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
  const CType& type = parameter.type;
  const Handed given = handed(argument, type);
  const auto wrong = [&](const std::string& expected) {
    return fail(
        Errc::bad_input,
        fmt::format("{}: argument {} ({}) of the loop goes to parameter '{}' of '{}', a {}; "
                    "{} was expected",
                    where(kernel.syntax, parameter.name_at), place, described(argument),
                    parameter.name, kernel.kernel().name, type.spelling, expected));
  };
  if (type.depth != given.depth || type.scalar != argument.type || type.rows != (given.row >= 0) ||
      (given.row >= 0 && type.row_length != given.row))
    return wrong(wanted(argument, given));
  if (type.length > given.count) return wrong(fmt::format("at most [{}]", given.count));
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
    const CType& type = kernel.parameter(i).type;
    if (type.depth != 0 || !type.scalar || is_floating(*type.scalar))
      return fail(
          Errc::bad_input,
          fmt::format("{}: parameter '{}' of '{}' takes iteration index {}: int was "
                      "expected, not {}",
                      where(kernel.syntax, kernel.parameter(i).name_at), kernel.parameter(i).name,
                      shape.kernel, i - arguments, type.spelling));
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
    if (a.access != Access::write || a.kind != ArgShape::Kind::dat || parameter.type.depth != 1)
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
  kernel.function = kernel.syntax.function(shape.kernel);
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
