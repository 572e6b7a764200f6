#include <clang-c/Index.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/facts/builtins.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln::facts {

const Node& core(const Node& node) {
  const bool passes = node.kind == CXCursor_UnexposedExpr || node.kind == CXCursor_ParenExpr;
  return passes && node.children.size() == 1 ? core(node.children[0]) : node;
}

void add_message(std::vector<std::string>& messages, std::string message) {
  static constexpr std::size_t enough = 32;
  if (messages.size() < enough &&
      std::find(messages.begin(), messages.end(), message) == messages.end())
    messages.push_back(std::move(message));
}

namespace {

class Checker {
 public:
  Checker(const Syntax& syntax, KernelFacts& facts) : syntax_(syntax), facts_(facts) {}

  void run(std::size_t kernel) {
    check_tokens();
    parameters(syntax_.functions[kernel]);
    std::vector<bool> seen(syntax_.functions.size(), false);
    std::vector<std::size_t> work = {kernel};
    seen[kernel] = true;
    while (!work.empty()) {
      const Function& function = syntax_.functions[work.back()];
      work.pop_back();
      reached_.clear();
      check(function);
      for (const std::size_t callee : reached_) {
        if (seen[callee]) continue;
        seen[callee] = true;
        work.push_back(callee);
      }
    }
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
      const Declaration& one = syntax_.declarations[static_cast<std::size_t>(kernel.parameters[k])];
      if (one.type.is_written_image)
        refuse(one.at, "may write to the image " + one.name + ", and images are not merged");
      if (kernel.uses[k].element_type.starts_with("pipe"))
        refuse(one.at, "has a pipe as parameter");
    }
  }

  void check(const Function& function) {
    facts_.uses_local_memory |= function.uses_local_memory;
    if (function.is_too_deep) refuse(function.name_at, "is nested too deeply");
    for (const SharedContents& shared : function.shared) {
      facts_.uses_atomics |= shared.is_atomic;
      if (!shared.is_private)
        refuse(shared.at, "uses memory with " + shared.what +
                              " contents that is not clearly __local; devices do not see each "
                              "other's writes");
    }
    look(function.body);
  }

  void look(const Node& node) {
    switch (node.kind) {
      case CXCursor_CallExpr:
        call(node);
        for (std::size_t i = 1; i < node.children.size(); ++i) look(node.children[i]);
        return;
      case CXCursor_DeclRefExpr:
        name(node);
        break;
      case CXCursor_VarDecl:
        if (const Declaration& made = declaration(node);
            made.is_static && (made.can_change || made.type.holds_pointers))
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

  const Declaration& declaration(const Node& node) const {
    return syntax_.declarations[static_cast<std::size_t>(node.declaration)];
  }

  void name(const Node& node) {
    if (node.declaration < 0) return;
    const Declaration& named = declaration(node);
    if (named.kind == Declaration::Kind::function) {
      refuse(node.begin, "names " + named.name + " without calling it");
      if (named.function >= 0) reached_.push_back(static_cast<std::size_t>(named.function));
    }
    if (named.kind == Declaration::Kind::variable && !named.is_in_function &&
        (named.can_change || named.type.holds_pointers))
      refuse(node.begin, "uses " + named.name +
                             ", a variable at program scope, of which each device has its own");
  }

  void call(const Node& node) {
    if (node.declaration < 0 || declaration(node).kind != Declaration::Kind::function)
      return refuse(node.begin, "calls the result of an expression");
    const Declaration& callee = declaration(node);
    const std::string& shown = callee.name;
    // A function of the program's own is looked at itself, whatever it is called.
    if (callee.function >= 0) return reached_.push_back(static_cast<std::size_t>(callee.function));
    const Rule rule = rule_of(shown);
    facts_.uses_barrier |= shown.find("barrier") != shown.npos;
    count_dimensions(node, shown);
    if (callee.is_in_text && rule != Rule::unknown_id && rule != Rule::reserved)
      refuse(node.begin, "calls " + shown + ", which the text declares but does not define");
    switch (rule) {
      case Rule::none:
      case Rule::atomic_type:
        return;
      case Rule::per_dimension:
        return per_dimension(node, shown);
      case Rule::linear:
        return refuse(node.begin,
                      "calls " + shown + ", which counts over the whole range of one device");
      case Rule::atomic:
        return atomic(node, shown);
      case Rule::print:
        facts_.uses_printf = true;
        return add_message(facts_.suspicions,
                           syntax_.place(node.begin) +
                               ": calls printf; with several devices the order of its output "
                               "changes");
      case Rule::pipe:
        return refuse(node.begin, "uses a pipe (" + shown + ")");
      case Rule::enqueue:
        return refuse(node.begin, "enqueues work of its own (" + shown + ")");
      case Rule::image_write:
        return refuse(node.begin, "writes to an image (" + shown + "), and images are not merged");
      case Rule::unknown_id:
        return refuse(node.begin,
                      "uses " + shown + ", which may tell work-groups or the range of one device");
      case Rule::reserved:
        return refuse(node.begin, "calls " + shown + ", a reserved name that Kiln does not know");
    }
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
      if (operand->type.is_pointer() && operand->type.space == Space::local) return;
      const bool converts =
          operand->kind == CXCursor_UnexposedExpr || operand->kind == CXCursor_ParenExpr;
      operand = converts && operand->children.size() == 1 ? &operand->children[0] : nullptr;
    }
    refuse(node.begin, "uses " + shown +
                           " on memory that is not clearly __local; devices do not see each "
                           "other's atomic operations");
  }

  const Syntax& syntax_;
  KernelFacts& facts_;
  std::vector<std::size_t> reached_;
};

}  // namespace

void check_rules(const Syntax& syntax, std::size_t kernel, KernelFacts& facts) {
  Checker(syntax, facts).run(kernel);
}

}  // namespace kiln::facts
