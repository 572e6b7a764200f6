#include "mesh/code/lanes.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernel/source/lexer.hpp"
#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {
namespace {

/// Edits of all type names of real numbers within a function.
void widen_types(const Syntax& syntax, const Function& function, int lanes,
                 std::vector<Edit>& edits) {
  const std::string_view text = syntax.source->text();
  const Lexed lexed = lex(text.substr(function.begin, function.end - function.begin));
  for (const auto& token : lexed.tokens) {
    if (token.kind != TokenKind::identifier) continue;
    std::string_view type = token.text;
    if (const auto found = syntax.real_types.find(std::string(type));
        found != syntax.real_types.end())
      type = name_of(found->second);
    if (type != "double" && type != "float") continue;
    edits.push_back(
        {function.begin + token.begin, token.end - token.begin, fmt::format("{}{}", type, lanes)});
  }
}

/// Masks are as wide as the kernel's real numbers.
ScalarType mask_of(const Syntax& syntax, int function) {
  for (const int parameter : syntax.functions[static_cast<std::size_t>(function)].parameters)
    if (syntax.declarations[static_cast<std::size_t>(parameter)].type.scalar == ScalarType::f64)
      return ScalarType::i64;
  return ScalarType::i32;
}

/// Edits of the functions, beside the plain ones, sorted.
std::vector<Edit> lane_edits(const Syntax& syntax, std::vector<Edit> edits,
                             const std::vector<int>& functions, int lanes) {
  const std::string suffix = lanes_suffix(lanes);
  // Calls that macros make stay as they are; then the copies do not compile.
  for (const auto& site : call_sites(syntax)) edits.push_back({site.end, 0, suffix});
  for (const int number : functions) {
    const Function& copied = syntax.functions[static_cast<std::size_t>(number)];
    edits.push_back({copied.name_at + static_cast<std::uint32_t>(copied.name.size()), 0, suffix});
    widen_types(syntax, copied, lanes, edits);
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  return edits;
}

}  // namespace

std::string lanes_suffix(int lanes) { return fmt::format("_kiln_lanes{}", lanes); }

Expected<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                  int function, int lanes) {
  const std::vector<int> functions = reachable(syntax, function);
  const std::vector<Edit> edits = lane_edits(syntax, plain, functions, lanes);
  const ScalarType mask = mask_of(syntax, function);
  const LaneRisks risks(syntax);
  const std::string& text = syntax.source->text();
  // That a function gets a mask makes all that it calls be called by some elements only.
  std::set<int> masked;
  std::set<ByLane> by_lane;
  std::string prototypes, bodies;
  for (bool more = true; more;) {
    prototypes.clear();
    bodies.clear();
    std::set<int> called;
    for (const int number : functions) {
      LaneWriter writer(syntax, risks, edits, masked, number, lanes, mask);
      const auto& copied = syntax.functions[static_cast<std::size_t>(number)];
      prototypes += writer.prototype() + ";\n";
      bodies += line_directive(syntax, copied.begin) + writer.definition();
      if (writer.obstacle())
        return fail(Errc::unsupported, fmt::format("{}: {}", where(syntax, writer.obstacle()->at),
                                                   writer.obstacle()->reason));
      by_lane.insert(writer.by_lane().begin(), writer.by_lane().end());
      called.insert(writer.called_in_part().begin(), writer.called_in_part().end());
    }
    const std::size_t known = masked.size();
    masked.insert(called.begin(), called.end());
    more = masked.size() > known;
  }
  std::string copies;
  for (const ByLane& function : by_lane) copies += function.definition();
  copies += prototypes + bodies;
  const std::string whole =
      edited(text, 0, static_cast<std::uint32_t>(text.size()), plain) + "\n" + copies;
  // What the compiler would only warn of: a pointer to vectors that points to single numbers.
  if (const auto error = opencl_error(whole, {"-Werror=incompatible-pointer-types"}))
    return fail(Errc::unsupported, error->what());
  return copies;
}

namespace {

bool computes(const Node& node) {
  const bool has_real =
      is_real(node.type) || (!node.children.empty() && is_real(node.children.front().type));
  const bool is_operator = node.kind == CXCursor_BinaryOperator ||
                           node.kind == CXCursor_CompoundAssignOperator ||
                           node.kind == CXCursor_UnaryOperator;
  if (has_real && is_operator && node.operation != "=" &&
      !(node.kind == CXCursor_UnaryOperator && node.operation == "*"))
    return true;
  if (node.kind == CXCursor_CallExpr || node.kind == CXCursor_ConditionalOperator) return true;
  return std::any_of(node.children.begin(), node.children.end(), computes);
}

}  // namespace

bool only_moves(const Syntax& syntax, int function) {
  return !computes(syntax.functions[static_cast<std::size_t>(function)].body);
}

}  // namespace kiln::mesh
