#include "mesh/code/lanes.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {
namespace {

/// Built-in functions that do to each lane what they do to a scalar.
constexpr std::string_view elementwise[] = {
    "acos",          "acosh",        "asin",         "asinh",       "atan",       "atan2",
    "atanh",         "cbrt",         "ceil",         "clamp",       "copysign",   "cos",
    "cosh",          "erf",          "erfc",         "exp",         "exp10",      "exp2",
    "expm1",         "fabs",         "fdim",         "floor",       "fma",        "fmax",
    "fmin",          "fmod",         "hypot",        "log",         "log10",      "log1p",
    "log2",          "mad",          "max",          "min",         "pow",        "rint",
    "round",         "rsqrt",        "sin",          "sinh",        "sqrt",       "tan",
    "tanh",          "trunc",        "sign",         "native_sqrt", "native_exp", "native_log",
    "native_divide", "native_recip", "native_rsqrt", "native_sin",  "native_cos"};

bool is_comparison(std::string_view operation) {
  return operation == "<" || operation == ">" || operation == "<=" || operation == ">=" ||
         operation == "==" || operation == "!=";
}

/// Whether a function's body keeps its meaning when real numbers become vectors.
class LaneCheck {
 public:
  LaneCheck(const Syntax& syntax, const Function& function) : syntax_(syntax) {
    fits_ = function.result.scalar
                ? is_floating(*function.result.scalar) && function.result.depth == 0
                : function.result.depth == 0;
    const auto& statements = function.body.children;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const bool last = i + 1 == statements.size();
      if (statements[i].kind == CXCursor_ReturnStmt && last)
        for (const auto& child : statements[i].children) check(child, Place::plain);
      else
        check(statements[i], Place::plain);
    }
  }
  bool fits() const { return fits_; }

 private:
  /// condition: a truth value that only chooses; choice: evaluated though it may not be chosen.
  enum class Place { plain, condition, choice };

  bool real(const Node& node) const {
    bool found = false;
    visit_nodes(node, [&](const Node& n) {
      found = found || !n.type.scalar || is_floating(*n.type.scalar);
    });
    return found;
  }
  void all(const Node& node, Place place) {
    for (const auto& child : node.children) check(child, place);
  }
  void check(const Node& node, Place place) {
    switch (node.kind) {
      case CXCursor_CompoundStmt:
      case CXCursor_DeclStmt:
      case CXCursor_VarDecl:
      case CXCursor_NullStmt:
      case CXCursor_IntegerLiteral:
      case CXCursor_FloatingLiteral:
      case CXCursor_TypeRef:
        return all(node, place);
      case CXCursor_DeclRefExpr:
        return check_name(node);
      case CXCursor_ParenExpr:
      case CXCursor_UnexposedExpr:
        return all(node, place);
      case CXCursor_ArraySubscriptExpr:
        return all(node, place == Place::condition ? Place::plain : place);
      case CXCursor_UnaryOperator:
        return check_unary(node, place);
      case CXCursor_BinaryOperator:
      case CXCursor_CompoundAssignOperator:
        return check_binary(node, place);
      case CXCursor_ConditionalOperator:
        if (node.children.size() != 3) return refuse();
        check(node.children[0], Place::condition);
        check(node.children[1], Place::choice);
        return check(node.children[2], Place::choice);
      case CXCursor_CStyleCastExpr:
        // A cast to an integer would need another rounding for vectors.
        if (!node.type.scalar || !is_floating(*node.type.scalar) || node.type.depth != 0) refuse();
        return all(node, place);
      case CXCursor_CallExpr:
        return check_call(node, place);
      case CXCursor_ForStmt:
        return check_for(node);
      default:
        return refuse();
    }
  }
  void check_name(const Node& node) {
    // Pointers to elsewhere than the function's own real numbers and constants.
    if (node.type.scalar || node.declaration < 0) return;
    const auto& named = syntax_.declarations[static_cast<std::size_t>(node.declaration)];
    if (named.kind != Declaration::Kind::function) refuse();
  }
  void check_unary(const Node& node, Place place) {
    if (node.operation == "!" && place != Place::condition && real(node)) return refuse();
    if (node.operation.size() == 2 && place == Place::choice) return refuse();  // ++, --
    if (node.operation == "~" || node.operation.empty()) return refuse();
    all(node, node.operation == "!" || place == Place::choice ? place : Place::plain);
  }
  void check_binary(const Node& node, Place place) {
    const std::string& operation = node.operation;
    if (operation.empty() || node.children.size() != 2) return refuse();
    const bool logical = operation == "&&" || operation == "||";
    if ((is_comparison(operation) || logical) && real(node)) {
      if (place != Place::condition) return refuse();
      return all(node, logical ? Place::condition : Place::choice);
    }
    const bool assigns = operation.back() == '=' && !is_comparison(operation);
    if (assigns && place != Place::plain) return refuse();
    // A truth value's arithmetic would count with -1.
    all(node, place == Place::condition ? Place::choice : place);
  }
  void check_call(const Node& node, Place place) {
    const int called = callee(syntax_, node);
    if (called >= 0) {
      if (place != Place::plain) return refuse();
    } else {
      // Of the name of a built-in function only the text is left: it stands where the call begins.
      const std::string_view text = syntax_.source->text();
      const Lexed lexed =
          lex(text.substr(node.begin, std::min<std::size_t>(64, text.size() - node.begin)));
      if (lexed.tokens.empty() || std::find(std::begin(elementwise), std::end(elementwise),
                                            lexed.tokens[0].text) == std::end(elementwise))
        return refuse();
    }
    all(node, place == Place::plain ? Place::plain : Place::choice);
  }
  void check_for(const Node& node) {
    if (node.children.size() != 4) return refuse();
    if (real(node.children[1])) return refuse();  // all lanes go round as often
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 1) continue;
      check(node.children[i], Place::plain);
    }
  }
  void refuse() { fits_ = false; }

  const Syntax& syntax_;
  bool fits_ = true;
};

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

}  // namespace

std::string lanes_suffix(int lanes) { return fmt::format("_kiln_lanes{}", lanes); }

std::optional<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                       int function, int lanes) {
  const std::vector<int> functions = reachable(syntax, function);
  std::vector<Edit> edits = plain;
  const std::string suffix = lanes_suffix(lanes);
  std::string prototypes, bodies;
  // Calls that macros make stay as they are; then the copies do not compile.
  for (const auto& site : call_sites(syntax)) edits.push_back({site.end, 0, suffix});
  const std::string& text = syntax.source->text();
  for (const int number : functions) {
    const Function& copied = syntax.functions[static_cast<std::size_t>(number)];
    if (!LaneCheck(syntax, copied).fits()) return std::nullopt;
    const auto name_end = copied.name_at + static_cast<std::uint32_t>(copied.name.size());
    edits.push_back({name_end, 0, suffix});
    widen_types(syntax, copied, lanes, edits);
  }
  for (const int number : functions) {
    const Function& copied = syntax.functions[static_cast<std::size_t>(number)];
    prototypes += edited(text, copied.begin, copied.close + 1, edits) + ";\n";
    bodies += edited(text, copied.begin, copied.end, edits) + "\n";
  }
  std::string copies = prototypes + bodies;
  const std::string whole =
      edited(text, 0, static_cast<std::uint32_t>(text.size()), plain) + "\n" + copies;
  if (!compiles_as_opencl(whole)) return std::nullopt;
  return copies;
}

namespace {

bool computes(const Node& node) {
  const bool has_real = node.type.scalar && is_floating(*node.type.scalar) && node.type.depth == 0;
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
