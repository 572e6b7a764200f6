// A function for several elements at once: its text as a whole, its statements and declarations.
#include "mesh/codegen/lane_writer.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "kernel/text/kernel_writer.hpp"

namespace kiln::mesh {

std::string ByLane::name() const {
  return fmt::format("kiln_{}_{}{}", function, name_of(type), lanes);
}

std::string ByLane::definition() const {
  const auto parameter = [&](int i) {
    const bool is_integer = integer_last && i + 1 == arguments;
    return fmt::format("{}{} a{}", is_integer ? "int" : name_of(type), lanes, i);
  };
  const auto call = [&](int lane) {
    const auto value = [&](int i) { return fmt::format("a{}.s{:x}", i, lane); };
    return fmt::format("{}({})", function, list_of(arguments, value));
  };
  return fmt::format("static {0}{1} {2}({3}) {{ return ({0}{1})({4}); }}\n", name_of(type), lanes,
                     name(), list_of(arguments, parameter), list_of(lanes, call));
}

LaneWriter::LaneWriter(const Syntax& syntax, const LaneRisks& risks, const std::vector<Edit>& edits,
                       const std::set<int>& masked, const BuiltIns& on_vectors, int function,
                       int lanes, ScalarType mask)
    : syntax_(syntax),
      risks_(risks),
      edits_(edits),
      masked_(masked),
      on_vectors_(on_vectors),
      function_(syntax.function(function)),
      lanes_(lanes),
      mask_(mask),
      control_(divergence_of(syntax, function_)),
      has_mask_(masked.contains(function) || control_.returns),
      has_parameter_(masked.contains(function)) {
  for (const int parameter : function_.parameters) homes_[parameter] = {0, 0};
  visit_nodes(function_.body, [&](const Node& node) {
    if (node.kind == CXCursor_DeclRefExpr && node.declaration >= 0)
      last_mentions_[node.declaration] = std::max(last_mentions_[node.declaration], node.begin);
  });
}

std::string LaneWriter::refuse(std::uint32_t at, std::string reason) {
  if (!obstacle_) obstacle_ = {std::move(reason), at};
  return {};
}

std::string LaneWriter::vector(ScalarType type) const {
  return fmt::format("{}{}", name_of(type), lanes_);
}

std::string LaneWriter::mask(int level) const { return fmt::format("kiln_mask{}", level); }

/// The mask of the lanes for which an expression is evaluated. Empty: all.
std::string LaneWriter::active_mask() const {
  return !chosen_.empty() ? chosen_ : is_masked() ? mask(level_) : std::string();
}

/// A mask as wide as what it chooses.
std::string LaneWriter::mask_for(ScalarType type, const std::string& mask) const {
  if (size_of(type) == size_of(mask_)) return mask;
  const ScalarType wanted = size_of(type) == 8 ? ScalarType::i64 : ScalarType::i32;
  return fmt::format("convert_{}({})", vector(wanted), mask);
}

/// The ends of lines in rewritten text, so that compilers count lines as the user does.
std::string LaneWriter::line_breaks(std::uint32_t from, std::uint32_t to) const {
  const std::string& text = syntax_.text();
  if (from >= to || to > text.size()) return {};
  return std::string(
      static_cast<std::size_t>(std::count(text.begin() + from, text.begin() + to, '\n')), '\n');
}

std::string LaneWriter::prototype() const {
  std::string text = slice(function_.begin, function_.close + 1);
  if (!has_parameter_) return text;
  text.pop_back();
  return text + fmt::format(", {} {})", mask_type(), mask(0));
}

std::string LaneWriter::definition() {
  const clang::Type* result = function_.result;
  const bool returns_floating = is_floating(result);
  const bool returns_nothing = !scalar_of(result) && result->depth == 0;
  const bool takes_floating = std::ranges::any_of(function_.parameters, [&](int parameter) {
    const clang::Type* type = syntax_.declared(parameter).type;
    return !scalar_of(type) || ends_in_floating(type);
  });
  if (result->depth > 0 || (!returns_floating && !returns_nothing && takes_floating))
    refuse(function_.name_at,
           fmt::format("'{}' gives back {}", function_.name, spelling_of(syntax_, result)));
  if (returns_floating) check_type(result, function_.begin, function_.name_at);
  for (const int parameter : function_.parameters) {
    const auto& named = syntax_.declared(parameter);
    check_type(named.type, named.begin, named.name_at);
  }
  if (control_.broken_switch != nullptr)
    refuse(control_.broken_switch->begin, "elements leave this switch one by one");
  const auto& tokens = syntax_.lexed.tokens;
  for (std::size_t i = syntax_.lexed.token_at(function_.begin);
       i < tokens.size() && tokens[i].begin < function_.end; ++i)
    if (tokens[i].kind == TokenKind::directive)
      refuse(tokens[i].begin, "a directive within the function");
  if (function_.body.end <= function_.body.begin) return refuse(function_.begin, "a macro's text");
  std::string text = prototype() + line_breaks(function_.close, function_.body.begin) + " {";
  if (has_mask_ && !has_parameter_)
    text += fmt::format(" {0} {1} = ({0})(-1);", mask_type(), mask(0));
  if (has_mask_ && returns_floating)
    text += fmt::format(" {} kiln_result = 0;", vector(*scalar_of(result)));
  const std::string body = statements(function_.body);
  for (int when = 1; when <= whens_; ++when)
    text += fmt::format(" {} kiln_when{};", mask_type(), when);
  text += body.substr(1, body.size() - 2);
  if (has_mask_ && returns_floating) text += "return kiln_result; ";
  return text + "}\n";
}

/// Whether a node's text stands where its parent's does, behind the text so far. What a
/// macro's body wrote has the place of the whole use, so that of several only the first stands
/// there; what a macro was given may stand within a use that its parent does not reach beyond.
bool LaneWriter::fits(const Node& child, std::uint32_t from, std::uint32_t to) const {
  return child.begin >= from && child.begin < child.end && child.end <= to;
}

/// What stays as it is, since a macro wrote it and it has no text of its own: then the compiler
/// decides, and must see anything that would be wrong.
void LaneWriter::check_verbatim(const Node& node) {
  visit_nodes(node, [&](const Node& n) {
    const bool changes = n.kind == CXCursor_CompoundAssignOperator ||
                         n.kind == CXCursor_UnaryOperator || n.kind == CXCursor_BinaryOperator;
    const bool controls = is_loop(n) || n.kind == CXCursor_IfStmt ||
                          n.kind == CXCursor_SwitchStmt || n.kind == CXCursor_ReturnStmt ||
                          n.kind == CXCursor_BreakStmt || n.kind == CXCursor_ContinueStmt;
    const bool to_integer = n.kind == CXCursor_CStyleCastExpr && !is_floating(n.type);
    if ((changes && is_masked() &&
         (n.operation.empty() || n.operation.back() == '=' || n.operation == "++" ||
          n.operation == "--")) ||
        (controls && (is_masked() || is_varying(syntax_, n))) || n.kind == CXCursor_InitListExpr ||
        n.kind == CXCursor_VarDecl || (to_integer && is_varying(syntax_, n)))
      refuse(node.begin, "this text of a macro");
  });
}

/// A floating-point type must have become a vector; one behind a macro or a typedef of pointers did
/// not.
void LaneWriter::check_type(const clang::Type* type, std::uint32_t from, std::uint32_t to) {
  if (!ends_in_floating(type)) return;
  const bool widened = std::ranges::any_of(edits_, [&](const Edit& edit) {
    return edit.at >= from && edit.at < to && edit.removed > 0 &&
           edit.inserted == vector(*scalar_of(type));
  });
  if (!widened)
    refuse(from, fmt::format("the type {} behind another name", spelling_of(syntax_, type)));
}

/// A node's text with its children's written anew.
std::string LaneWriter::within(const Node& node) {
  std::string text;
  std::uint32_t at = node.begin;
  for (const auto& child : node.children) {
    if (!fits(child, at, node.end)) {
      check_verbatim(child);
      continue;
    }
    text += slice(at, child.begin) + expression(child);
    at = child.end;
  }
  return text + slice(at, node.end);
}

/// The end of a statement with its semicolon.
std::uint32_t LaneWriter::statement_end(const Node& node) {
  const std::string_view text = syntax_.text();
  switch (node.kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_NullStmt:
      return node.end;
    case CXCursor_IfStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
      return node.children.empty() ? node.end : statement_end(node.children.back());
    default:
      break;
  }
  if (node.end > 0 && text[node.end - 1] == ';') return node.end;
  const auto& tokens = syntax_.lexed.tokens;
  if (const std::size_t next = syntax_.lexed.token_at(node.end);
      next < tokens.size() && tokens[next].is(";"))
    return tokens[next].end;
  refuse(node.begin, "this text of a macro");
  return node.end;
}

/// The statements of a block, of a switch or behind a label. Behind one that may leave no lane
/// active, the others are under a test of the mask.
std::string LaneWriter::statements(const Node& node) {
  std::string text;
  std::uint32_t at = node.begin;
  const bool is_block = node.kind == CXCursor_CompoundStmt;
  const std::uint32_t end = is_block ? node.end : statement_end(node);
  const int before = std::exchange(emptied_, nothing_emptied);
  int emptied = before, open = 0;
  for (const auto& child : node.children) {
    if (!fits(child, at, end)) {
      check_verbatim(child);
      continue;
    }
    const bool is_last = &child == &node.children.back(), is_value = !is_block && !is_last;
    text += slice(at, child.begin) + (is_value ? expression(child) : statement(child));
    at = is_value ? child.end : statement_end(child);
    emptied = std::min(emptied, emptied_);
    if (is_block && !is_last && emptied_ <= level_) {
      text += fmt::format(" if (any({})) {{", mask(level_));
      ++open;
    }
    emptied_ = nothing_emptied;
  }
  emptied_ = emptied;
  if (open == 0) return text + slice(at, end);
  return text + slice(at, end - 1) + std::string(static_cast<std::size_t>(open), '}') + "}";
}

/// One statement up to its semicolon.
std::string LaneWriter::statement(const Node& node) {
  if (!fits(node, function_.begin, function_.end))
    return refuse(function_.begin, "a statement that a macro begins or ends");
  if (is_loop(node)) return loop(node);
  switch (node.kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
      return statements(node);
    case CXCursor_NullStmt:
      return slice(node.begin, node.end);
    case CXCursor_IfStmt: {
      const auto parts = control_parts(syntax_, node);
      if (parts.condition == nullptr || parts.body == nullptr || parts.close == 0)
        return refuse(node.begin, "this text of a macro");
      return is_varying(syntax_, *parts.condition) ? masked_if(node, parts) : plain_if(node, parts);
    }
    case CXCursor_SwitchStmt: {
      if (is_varying(syntax_, node.children.front()))
        return refuse(node.begin, "a switch that elements take in different ways");
      loops_.push_back({statement_end(node), level_, {}, true});
      std::string text = statements(node);
      loops_.pop_back();
      return text;
    }
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
      return jump(node);
    case CXCursor_ReturnStmt:
      return return_statement(node);
    case CXCursor_DeclStmt:
      return declarations(node);
    case CXCursor_UnaryOperator:
      return (is_step(node) ? step_by_one(node) : expression(node)) +
             slice(node.end, statement_end(node));
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
      return refuse(node.begin, "a goto");
    default:
      return expression(node) + slice(node.end, statement_end(node));
  }
}

/// Of what a statement declares the text begins with the type, each time: only what it starts from
/// and its sizes stand apart.
std::string LaneWriter::declarations(const Node& node) {
  std::string text;
  std::uint32_t at = node.begin;
  for (const auto& variable : node.children) {
    if (variable.kind != CXCursor_VarDecl) return refuse(node.begin, "a declaration in a function");
    homes_[variable.declaration] = {level_, loops_.size()};
    const clang::Type* type = variable.type;
    if (!scalar_of(type))
      return refuse(variable.begin,
                    fmt::format("a variable of type {}", spelling_of(syntax_, type)));
    check_type(type, node.begin, variable.end);
    for (const auto& child : variable.children) {
      if (!ends_in_floating(type) && is_varying(syntax_, child))
        return refuse(variable.begin, "an integer that depends on floating-point numbers");
      if (!fits(child, at, node.end)) {
        check_verbatim(child);
        continue;
      }
      text += slice(at, child.begin) + initial(child, type);
      at = child.end;
    }
  }
  return text + slice(at, statement_end(node));
}

/// In an initializer list each value is a vector, or a vector's lanes would be taken for elements.
std::string LaneWriter::initial(const Node& node, const clang::Type* type) {
  if (node.kind != CXCursor_InitListExpr) return expression(node);
  if (!ends_in_floating(type)) return within(node);
  std::string text;
  std::uint32_t at = node.begin;
  for (const auto& child : node.children) {
    if (!fits(child, at, node.end))
      return refuse(node.begin, "a macro in a list of initial values");
    const std::string_view start = std::string_view(syntax_.text()).substr(child.begin, 2);
    if (start[0] == '[' || (start[0] == '.' && std::isdigit(start[1]) == 0))
      return refuse(child.begin, "an initial value with a designator");
    text += slice(at, child.begin);
    text += child.kind == CXCursor_InitListExpr ? initial(child, type)
            : is_floating(child.type) || (child.type->depth == 0 && scalar_of(child.type))
                ? as_vector(child, *scalar_of(type))
                : refuse(child.begin, "this initial value");
    at = child.end;
  }
  return text + slice(at, node.end);
}

}  // namespace kiln::mesh
