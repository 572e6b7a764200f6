#include "layer/tune/free_local_size.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/source/lexer.hpp"

namespace kiln::layer {
namespace {

using Tokens = std::span<const Token>;

/// Reserved names that have nothing to do with groups; all others could be a compiler's own way to
/// ask for an id.
bool is_harmless_reserved(std::string_view name) {
  static constexpr std::string_view known[] = {"__kernel",
                                               "__global",
                                               "__constant",
                                               "__private",
                                               "__read_only",
                                               "__write_only",
                                               "__read_write",
                                               "__attribute__",
                                               "__attribute",
                                               "__const",
                                               "__restrict",
                                               "__restrict__",
                                               "__inline",
                                               "__inline__",
                                               "__OPENCL_VERSION__",
                                               "__OPENCL_C_VERSION__",
                                               "__IMAGE_SUPPORT__",
                                               "__ENDIAN_LITTLE__",
                                               "__FAST_RELAXED_MATH__",
                                               "__NV_CL_C_VERSION",
                                               "__EMBEDDED_PROFILE__",
                                               "__CPU__",
                                               "__GPU__"};
  return std::ranges::find(known, name) != std::end(known);
}

/// Whether a name may have to do with groups, or with the order in which work-items run.
bool is_forbidden(std::string_view name) {
  if (name == "local" || name == "printf" || name == "asm" || name == "pipe" || name == "volatile")
    return true;
  if (name.starts_with("__") && !is_harmless_reserved(name)) return true;
  for (const std::string_view part :
       {"get_local",  "get_group",    "get_num_groups", "get_enqueued",
        "work_group", "sub_group",    "subgroup",       "workgroup",
        "local_id",   "local_linear", "group_linear",   "linear_group",
        "barrier",    "fence",        "atom_",          "atomic",
        "async_",     "wait_group",   "pipe_",          "_pipe",
        "enqueue_",   "ndrange",      "get_kernel_",    "get_default_queue",
        "clk_event",  "to_local",     "ctaid",          "clock_read",
        "intel_"})
    if (name.find(part) != name.npos) {
      // A hint is none of the kernel's business; an extension's name alone does nothing.
      if (name == "work_group_size_hint" || name.starts_with("cl_khr_") ||
          name.starts_with("cl_amd_") || name.starts_with("cl_nv_"))
        continue;
      return true;
    }
  return false;
}

bool has_forbidden(Tokens tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    if (token.kind == TokenKind::unknown || token.is("##") || token.is("%:%:")) return true;
    return token.kind == TokenKind::identifier && is_forbidden(token.text);
  });
}

bool is_attribute(std::string_view name) {
  return name == "__attribute__" || name == "__attribute";
}

/// A text's definitions by their names, and what every kernel is taken to use.
class Definitions {
 public:
  Definitions(Tokens text, const std::vector<Tokens>& options) : text_(text) {
    for (const Tokens& definition : options) {
      for (const Token& token : definition)
        if (token.kind == TokenKind::identifier) macros_.insert(token.text);
      common_.push_back(definition);
    }
    find_macros();
    is_clear_ = divide();
  }

  /// False where it cannot be told what belongs to what.
  bool is_clear() const { return is_clear_; }

  bool is_free(std::string_view kernel) const {
    const auto defined = functions_.equal_range(kernel);
    if (defined.first == defined.second) return false;
    std::set<std::string_view> seen;
    std::vector<std::string_view> open{kernel};
    for (const Tokens part : common_)
      if (!visit(part, seen, open)) return false;
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      const auto [begin, end] = functions_.equal_range(name);
      for (auto part = begin; part != end; ++part)
        if (!visit(part->second, seen, open)) return false;
    }
    return true;
  }

 private:
  /// Adds names that a part uses; false where one is forbidden.
  static bool visit(Tokens part, std::set<std::string_view>& seen,
                    std::vector<std::string_view>& open) {
    if (has_forbidden(part)) return false;
    for (const Token& token : part)
      if (token.kind == TokenKind::identifier && seen.insert(token.text).second)
        open.push_back(token.text);
    return true;
  }

  void find_macros() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i].kind != TokenKind::directive || text_[i].text != "define") continue;
      const Tokens own =
          text_.subspan(i + 1, std::min<std::size_t>(text_[i].extent, text_.size() - i - 1));
      if (own.empty()) continue;
      macros_.insert(own[0].text);
      functions_.emplace(own[0].text, own);
    }
  }

  /// Divides the text at its outermost braces and semicolons. A conditional must leave the braces
  /// as it has found them, in each of its branches.
  bool divide() {
    std::size_t begin = 0, brace = 0;
    int depth = 0;
    std::vector<int> conditionals;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const Token& token = text_[i];
      if (token.kind == TokenKind::directive) {
        const std::string_view name = token.text;
        if (name.starts_with("if")) conditionals.push_back(depth);
        if (name.starts_with("el") || name == "endif")
          if (conditionals.empty() || conditionals.back() != depth) return false;
        if (name == "endif") conditionals.pop_back();
        if (name == "pragma") common_.push_back(text_.subspan(i, 1 + token.extent));
        if (depth == 0 && begin == i) begin = i + 1 + token.extent;
        i += token.extent;
        continue;
      }
      if (token.is("{") && depth++ == 0) brace = i;
      if (token.is("}") && --depth < 0) return false;
      const bool ends_function = depth == 0 && token.is("}") && is_function(begin, brace);
      if (ends_function || (depth == 0 && token.is(";"))) {
        add(begin, ends_function ? brace : i, i + 1, ends_function);
        begin = i + 1;
      }
    }
    if (begin < text_.size()) common_.push_back(text_.subspan(begin));
    return depth == 0 && conditionals.empty();
  }

  bool is_function(std::size_t begin, std::size_t brace) const {
    return brace > begin && text_[brace - 1].is(")");
  }

  /// A function is known by its name, unless a macro has a part in its head: then, as all other
  /// declarations, it is taken to be used by every kernel.
  void add(std::size_t begin, std::size_t brace, std::size_t end, bool is_function) {
    const Tokens all = text_.subspan(begin, end - begin);
    std::string_view name;
    bool is_plain = is_function;
    int parentheses = 0;
    for (std::size_t i = begin; i < brace && is_plain; ++i) {
      const Token& token = text_[i];
      if (token.kind == TokenKind::directive || token.is("=")) is_plain = false;
      if (token.is("(")) ++parentheses;
      if (token.is(")")) --parentheses;
      if (token.kind != TokenKind::identifier) continue;
      if (macros_.contains(token.text)) is_plain = false;
      if (parentheses != 0 || !text_[i + 1].is("(") || is_attribute(token.text)) continue;
      if (!name.empty()) is_plain = false;
      name = token.text;
    }
    if (is_plain && !name.empty())
      functions_.emplace(name, all);
    else
      common_.push_back(all);
  }

  Tokens text_;
  std::set<std::string_view> macros_;
  std::multimap<std::string_view, Tokens> functions_;  ///< macros, too
  std::vector<Tokens> common_;
  bool is_clear_ = false;
};

}  // namespace

namespace {

bool has_pastes(const Lexed& lexed) {
  return std::ranges::any_of(lexed.tokens,
                             [](const Token& token) { return token.is("##") || token.is("%:%:"); });
}

/// What -D defines, each by itself, and every other option whole: it could be a compiler's own way
/// to define something. Folders of headers, whose texts are in place already, are none.
std::vector<std::string_view> definitions_of(std::string_view options) {
  std::vector<std::string_view> definitions;
  bool is_folder = false;
  while (!options.empty()) {
    std::string_view word = options.substr(0, options.find_first_of(" \t\n\v\f\r"));
    options.remove_prefix(std::min(options.size(), word.size() + 1));
    if (word.empty() || std::exchange(is_folder, false)) continue;
    is_folder = word == "-I";
    if (word.starts_with("-I")) continue;
    if (word.starts_with("-D")) word.remove_prefix(2);
    if (!word.empty()) definitions.push_back(word);
  }
  return definitions;
}

}  // namespace

bool has_free_local_size(std::string_view text, std::string_view options, std::string_view kernel) {
  // A driver may take them off.
  if (options.find_first_of("\"'\\") != options.npos) return false;
  const Lexed lexed = lex(text);
  std::vector<Lexed> words;
  for (const auto word : definitions_of(options)) {
    // A comment hides the rest.
    if (word.find("//") != word.npos || word.find("/*") != word.npos) return false;
    words.push_back(lex(word));
  }
  // Pasted names could be any.
  if (has_pastes(lexed) || std::ranges::any_of(words, has_pastes)) return false;
  std::vector<Tokens> defined;
  for (const auto& word : words) defined.emplace_back(word.tokens);
  const Definitions definitions(lexed.tokens, defined);
  return definitions.is_clear() && definitions.is_free(kernel);
}

}  // namespace kiln::layer
