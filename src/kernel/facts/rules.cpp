#include <clang-c/Index.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "kernel/facts/builtins.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln::facts {

namespace {

class Checker {
 public:
  Checker(const Syntax& syntax, KernelFacts& facts)
      : syntax_(syntax), clang_(syntax.origin->unit.library()), facts_(facts) {}

  void run(std::size_t kernel) {
    check_tokens();
    parameters(syntax_.functions[kernel]);
    for (const int function : clang::reachable(syntax_, static_cast<int>(kernel)))
      check(syntax_.function(function));
  }

 private:
  void refuse(std::uint32_t at, const std::string& why) {
    const std::string_view macro = syntax_.macro_at(at);
    add_message(facts_.reasons,
                syntax_.place(at) + ": " + why +
                    (macro.empty() ? "" : " (by the macro " + std::string(macro) + ")"));
  }

  /// What changes the meaning of names wherever it stands.
  void check_tokens() {
    const auto& tokens = syntax_.lexed.tokens;
    std::size_t function = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      while (function < syntax_.functions.size() && syntax_.functions[function].end <= token.begin)
        ++function;
      const bool in_body = function < syntax_.functions.size() &&
                           syntax_.functions[function].body.begin <= token.begin;
      const bool marks = token.text == "?" && i + 1 < tokens.size() && tokens[i + 1].text == "?";
      // Some compilers replace ??/ and its like before anything else.
      if (marks || (token.kind == TokenKind::string && token.text.find("?\?/") != token.text.npos))
        refuse(token.begin, "contains a trigraph");
      if (token.kind != TokenKind::identifier) continue;
      if (token.text == "_Pragma") pragma(i);
      if (!in_body && renames(token.text))
        refuse(token.begin,
               "gives a function another name for the linker (" + std::string(token.text) + ")");
    }
  }

  /// `size_t f(uint) __asm("_Z12get_group_idj");` declares f and calls get_group_id.
  static bool renames(std::string_view name) {
    if (name.starts_with("__")) name.remove_prefix(2);
    if (name.ends_with("__")) name.remove_suffix(2);
    return name == "asm" || name == "alias" || name == "weakref" || name == "ifunc";
  }

  /// _Pragma("...") does what #pragma does, wherever a macro puts it.
  void pragma(std::size_t i) {
    const auto& tokens = syntax_.lexed.tokens;
    const bool readable = i + 2 < tokens.size() && tokens[i + 2].kind == TokenKind::string;
    const std::string said(readable ? tokens[i + 2].text : std::string_view());
    bool changes = !readable;
    for (const std::string_view renaming : {"push_macro", "pop_macro", "redefine_extname", "weak"})
      changes |= said.find(renaming) != said.npos;
    if (changes) refuse(tokens[i].begin, "_Pragma(" + said + ")");
  }

  /// Only buffers are merged.
  void parameters(const Function& kernel) {
    for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
      const Declaration& one = syntax_.declared(kernel.parameters[k]);
      if (one.type->is_written_image)
        refuse(one.name_at, "may write to the image " + one.name + ", and images are not merged");
      if (facts_.parameters[k].element_type.starts_with("pipe"))
        refuse(one.name_at, "has a pipe as parameter");
    }
  }

  void check(const Function& function) {
    if (function.is_too_deep) refuse(function.name_at, "is nested too deeply");
    for (const int parameter : function.parameters)
      type(*syntax_.declared(parameter).type, syntax_.declared(parameter).begin);
    clang::visit_nodes(function.body, [&](const Node& node) {
      const bool declares = node.kind == CXCursor_VarDecl;
      facts_.uses_local_memory |= declares && syntax_.named(node)->is_local;
      if (declares || node.kind == CXCursor_CStyleCastExpr ||
          node.kind == CXCursor_CompoundLiteralExpr)
        type(*node.type, node.begin);
    });
    look(function.body);
  }

  /// Volatile and atomic contents, wherever a type leads.
  void type(const Type& type, std::uint32_t at) {
    facts_.uses_local_memory |= type.is_address() && type.space == Space::local;
    seen_.clear();
    contents(clang_.getCanonicalType(syntax_.origin->types[type.number]), at);
  }
  void contents(CXType type, std::uint32_t at) {
    contents(type, clang::space_of(clang_, type), at);
  }
  void contents(CXType type, Space space, std::uint32_t at) {
    const bool is_atomic = type.kind == CXType_Atomic;
    if (is_atomic || clang_.isVolatileQualifiedType(type) != 0) {
      facts_.uses_atomics |= is_atomic;
      if (space == Space::global || space == Space::generic)
        refuse(at, "uses memory with " + (is_atomic ? atomic_name(type) : "volatile") +
                       " contents that is not clearly __local; devices do not see each "
                       "other's writes");
    }
    if (type.kind == CXType_Pointer) {
      contents(clang_.getCanonicalType(clang_.getPointeeType(type)), at);
    } else if (clang::is_array(type.kind)) {
      contents(clang_.getCanonicalType(clang_.getArrayElementType(type)), space, at);
    } else if (type.kind == CXType_Record) {
      if (seen_.emplace(clang_.getTypeDeclaration(type).data[0], space).second)
        for (const CXType field : clang_.fields(type)) contents(field, space, at);
    }
  }
  std::string atomic_name(CXType type) const {
    const std::string value = type_name(clang_, clang_.Type_getValueType(type));
    return "atomic_" + (value.starts_with("unsigned ") ? "u" + value.substr(9) : value);
  }

  void look(const Node& node) {
    switch (node.kind) {
      case CXCursor_CallExpr:
        call(node);
        for (std::size_t i = 1; i < node.children.size(); ++i) look(node.children[i]);
        return;
      case CXCursor_UnaryExpr:  // sizeof and its like evaluate nothing
        return;
      case CXCursor_DeclRefExpr:
        name(node);
        break;
      case CXCursor_VarDecl:
        if (const Declaration& made = *syntax_.named(node);
            made.is_static && (made.can_change || made.type->holds_pointers))
          refuse(node.begin, "keeps a static variable, of which each device has its own");
        break;
      case CXCursor_GCCAsmStmt:
      case CXCursor_MSAsmStmt:
        refuse(node.begin, "holds assembler code, which Kiln does not read");
        break;
      case CXCursor_BlockExpr:
        refuse(node.begin, "holds a block, which Kiln does not read");
        break;
      default:
        break;
    }
    for (const Node& child : node.children) look(child);
  }

  void name(const Node& node) {
    const Declaration* named = syntax_.named(node);
    if (named == nullptr) return;
    if (named->kind == Declaration::Kind::function)
      refuse(node.begin, "names " + named->name + " without calling it");
    if (named->kind == Declaration::Kind::variable && !named->is_in_function &&
        (named->can_change || named->type->holds_pointers))
      refuse(node.begin, "uses " + named->name +
                             ", a variable at program scope, of which each device has its own");
  }

  void call(const Node& node) {
    const Declaration* callee = syntax_.named(node);
    if (callee == nullptr || callee->kind != Declaration::Kind::function)
      return refuse(node.begin, "calls the result of an expression");
    const std::string& shown = callee->name;
    // A function of the program's own is looked at itself, whatever it is called.
    if (callee->number >= 0) return;
    const Rule rule = rule_of(shown);
    facts_.uses_barrier |= shown.find("barrier") != shown.npos;
    count_dimensions(node, shown);
    if (callee->is_in_text && rule != Rule::unknown_id && rule != Rule::reserved)
      refuse(node.begin, "calls " + shown + ", which the text declares but does not define");
    if (rule == Rule::per_dimension) return per_dimension(node, shown);
    if (rule == Rule::atomic) return atomic(node, shown);
    if (rule == Rule::print) {
      facts_.uses_printf = true;
      return add_message(
          facts_.suspicions,
          syntax_.place(node.begin) +
              ": calls printf; with several devices the order of its output changes");
    }
    // What is against all other calls: before and behind the function's name.
    static constexpr std::tuple<Rule, const char*, const char*> refused[] = {
        {Rule::linear, "calls ", ", which counts over the whole range of one device"},
        {Rule::pipe, "uses a pipe (", ")"},
        {Rule::enqueue, "enqueues work of its own (", ")"},
        {Rule::image_write, "writes to an image (", "), and images are not merged"},
        {Rule::unknown_id, "uses ", ", which may tell work-groups or the range of one device"},
        {Rule::reserved, "calls ", ", a reserved name that Kiln does not know"}};
    for (const auto& [one, before, behind] : refused)
      if (one == rule) refuse(node.begin, before + shown + behind);
  }

  /// get_group_id and its like: only a literal 1 or 2 is surely another dimension than 0. Anything
  /// else may be 0 for some argument of the kernel.
  void per_dimension(const Node& node, const std::string& shown) {
    const auto dimension = dimension_of(node);
    if (dimension && (*dimension == 1 || *dimension == 2)) return;  // never cut
    const Node* argument = node.children.size() == 2 ? &node.children[1] : nullptr;
    refuse(node.begin,
           "calls " + shown + "(" +
               (argument == nullptr ? "" : syntax_.tokens_in(argument->begin, argument->end)) +
               "), " +
               (shown == "get_group_id"      ? "whose value starts again on each device"
                : shown == "get_num_groups"  ? "which counts the groups of one device only"
                : shown == "get_global_size" ? "which gives the size of one device's part"
                                             : "which gives the offset of one device's part") +
               (dimension ? "" : " if the argument is 0"));
  }

  /// The argument of a call, where it is a literal 0, 1 or 2, in any number of brackets.
  std::optional<int> dimension_of(const Node& node) const {
    if (node.children.size() != 2) return std::nullopt;
    const Node& argument = core(node.children[1]);
    if (argument.kind != CXCursor_IntegerLiteral) return std::nullopt;
    std::string text = syntax_.tokens_in(argument.begin, argument.end);
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
      text.pop_back();
    for (int d = 0; d < 3; ++d)
      if (text == std::to_string(d) || text == "0x" + std::to_string(d)) return d;
    return std::nullopt;
  }

  void count_dimensions(const Node& node, const std::string& shown) {
    if (shown != "get_global_id" && shown != "get_local_id" && shown != "get_group_id") return;
    if (const auto dimension = dimension_of(node))
      facts_.dimensions = std::max(facts_.dimensions, static_cast<std::uint32_t>(*dimension) + 1);
  }

  /// Within a work-group, which is never cut, atomics work as ever; between devices they do not.
  void atomic(const Node& node, const std::string& shown) {
    facts_.uses_atomics = true;
    const Node* operand = node.children.size() > 1 ? &node.children[1] : nullptr;
    // What the language converts to is a generic pointer: below it stands what it was.
    while (operand != nullptr) {
      if (operand->type->is_pointer() && operand->type->space == Space::local) return;
      operand = clang::passes_on(*operand) ? &operand->children[0] : nullptr;
    }
    refuse(node.begin, "uses " + shown +
                           " on memory that is not clearly __local; devices do not see each "
                           "other's atomic operations");
  }

  const Syntax& syntax_;
  const clang::Library& clang_;
  KernelFacts& facts_;
  std::set<std::pair<const void*, Space>> seen_;  ///< structures within one type
};

}  // namespace

void check_rules(const Syntax& syntax, std::size_t kernel, KernelFacts& facts) {
  Checker(syntax, facts).run(kernel);
}

}  // namespace kiln::facts
