#include <algorithm>
#include <map>
#include <set>

#include "kernel/facts/preprocess.hpp"

namespace kiln::facts {
namespace {

constexpr std::size_t most_choices = 4;  // 16 variants

/// Whether a compiler may define a macro of this name on its own, as another one may not. What the
/// specification defines for all devices, clang and its headers decide.
bool may_be_predefined(std::string_view name) {
  static constexpr std::string_view decided[] = {
      "__OPENCL_C_VERSION__", "__ENDIAN_LITTLE__", "__FAST_RELAXED_MATH__", "__LINE__", "__FILE__",
      // of other languages, which no compiler of OpenCL C defines
      "__cplusplus", "__OPENCL_CPP_VERSION__", "__CUDACC__", "__CUDA_ARCH__", "__HIPCC__",
      "_MSC_VER"};
  if (name.empty() || name.starts_with("CL_VERSION_") ||
      std::ranges::find(decided, name) != std::end(decided))
    return false;
  if (name[0] == '_') return true;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::ranges::none_of(name, is_capital)) return true;  // cl_khr_fp64, linux
  for (const std::string_view beginning :
       {"CL_", "FP_FAST", "OPENCL", "POCL", "NVIDIA", "NV_", "AMD", "INTEL", "ARM_", "QCOM"})
    if (name.starts_with(beginning)) return true;
  return false;
}

/// The directives of a text, and what of its conditionals is a choice.
class Branches {
 public:
  Branches(std::string_view text, const Lexed& lexed, const Macros& macros,
           const TargetMacros& target)
      : text_(text), tokens_(lexed.tokens), macros_(macros), target_(target) {}

  Variants run() {
    find_groups();
    find_definitions();
    for (std::size_t i = 0; i < tokens_.size(); i += 1 + extent(i))
      if (is_condition(i) && !skipped_.contains(i)) look_at(i);
    const std::size_t count = names_.size() + conditions_.size();
    Variants made;
    made.are_too_many = count > most_choices;
    for (std::size_t k = 0; k < (made.are_too_many ? 1 : std::size_t{1} << count); ++k)
      made.all.push_back(variant(k));
    return made;
  }

 private:
  std::size_t extent(std::size_t i) const { return tokens_[i].extent; }
  bool is_directive(std::size_t i) const { return tokens_[i].kind == TokenKind::directive; }
  bool is_condition(std::size_t i) const {
    return is_directive(i) &&
           (tokens_[i].text.starts_with("if") || tokens_[i].text.starts_with("elif"));
  }
  std::string_view operand(std::size_t i, std::size_t k) const {
    return k < extent(i) ? tokens_[i + 1 + k].text : std::string_view();
  }

  /// From each #if to its #endif: which hold nothing that counts, and which are include guards.
  void find_groups() {
    struct Group {
      std::size_t begin;
      bool counts = false, has_else = false;
    };
    std::vector<Group> open;
    for (std::size_t i = 0; i < tokens_.size(); i += 1 + extent(i)) {
      const std::string_view name = is_directive(i) ? tokens_[i].text : "";
      if (name.starts_with("if")) {
        open.push_back({i});
      } else if (open.empty()) {
        continue;
      } else if (name.starts_with("el")) {
        open.back().has_else = true;
      } else if (name == "endif") {
        close(open.back().begin, i, open.back().counts, open.back().has_else);
        if (open.size() > 1) open[open.size() - 2].counts |= open.back().counts;
        open.pop_back();
      } else if (!(name == "pragma" && operand(i, 0) == "OPENCL") && name != "error" &&
                 name != "warning" && name != "line") {
        open.back().counts = true;
      }
    }
  }

  void close(std::size_t begin, std::size_t end, bool counts, bool has_else) {
    if (!counts) {  // #ifdef cl_khr_fp64, #pragma OPENCL EXTENSION …, #endif
      for (std::size_t i = begin; i <= end; i += 1 + extent(i)) skipped_.insert(i);
      return;
    }
    const std::size_t second = begin + 1 + extent(begin);
    if (!has_else && tokens_[begin].text == "ifndef" && is_directive(second) &&
        tokens_[second].text == "define" && extent(second) == 1 &&
        operand(second, 0) == operand(begin, 0))
      guards_.insert(operand(begin, 0));
  }

  /// Macros of the text: which are defined from some place on, whatever the device, and which say
  /// something that depends on it.
  void find_definitions() {
    std::size_t depth = 0;
    std::vector<std::size_t> definitions;
    std::set<std::string_view> undefined;
    for (std::size_t i = 0; i < tokens_.size(); i += 1 + extent(i)) {
      if (!is_directive(i)) continue;
      if (tokens_[i].text.starts_with("if")) ++depth;
      if (tokens_[i].text == "endif" && depth > 0) --depth;
      if (tokens_[i].text == "undef") undefined.insert(operand(i, 0));
      if (tokens_[i].text == "define" || tokens_[i].text == "undef")
        redefined_.insert(operand(i, 0));
      if (tokens_[i].text != "define") continue;
      definitions.push_back(i);
      if (depth == 0) defined_from_.emplace(operand(i, 0), i);
    }
    for (const auto name : undefined) defined_from_.erase(name);
    for (bool grown = true; std::exchange(grown, false);)
      for (const std::size_t i : definitions)
        for (std::size_t k = 1; k < extent(i); ++k)
          if (tokens_[i + 1 + k].kind == TokenKind::identifier &&
              (is_undecided(operand(i, k), i) || depending_.contains(operand(i, k))))
            grown |= depending_.insert(operand(i, 0)).second;
  }

  /// Whether the device decides what a name stands for at a directive.
  bool is_undecided(std::string_view name, std::size_t at) const {
    if (!may_be_predefined(name) || guards_.contains(name)) return false;
    if (is_given(name)) return false;
    const auto from = defined_from_.find(name);
    return from == defined_from_.end() || from->second > at;
  }
  /// Whether options define a name.
  bool is_given(std::string_view name) const {
    return std::ranges::any_of(macros_, [&](const auto& macro) { return macro.first == name; });
  }
  /// Whether it is known if a name is defined.
  bool is_known(std::string_view name) const {
    return name == "__OPENCL_VERSION__" || name == "__kernel_exec" ||
           (name.starts_with("cl_") && target_.extensions);
  }

  void look_at(std::size_t i) {
    if (tokens_[i].text != "if" && tokens_[i].text != "elif") {  // ifdef, ifndef, elifdef …
      if (is_undecided(operand(i, 0), i) && !is_known(operand(i, 0))) names_.insert(operand(i, 0));
      return;
    }
    bool is_choice = false, is_same_everywhere = true;
    std::set<std::string_view> asked;
    std::string text;
    for (std::size_t k = 0; k < extent(i); ++k) {
      const std::string_view name = operand(i, k);
      text += std::string(name) + ' ';
      if (tokens_[i + 1 + k].kind != TokenKind::identifier) continue;
      if (name == "defined") {
        k += operand(i, k + 1) == "(" ? 2 : 1;
        if (!operand(i, k).empty() && is_undecided(operand(i, k), i)) asked.insert(operand(i, k));
        continue;
      }
      const bool is_known_version = name == "__OPENCL_VERSION__" && target_.version != 0;
      const bool depends = is_undecided(name, i) && !is_known_version;
      is_choice |= depends || depending_.contains(name);
      is_same_everywhere &= depends && !redefined_.contains(name);
    }
    if (!is_choice) {
      for (const auto name : asked)
        if (!is_known(name)) names_.insert(name);
      return;
    }
    if (!is_same_everywhere || !asked.empty()) text += '@' + std::to_string(i);
    conditions_[text].push_back(i);
  }

  /// Bit by bit of `choice`: the names that are defined, the conditions that are true.
  Variant variant(std::size_t choice) const {
    Variant made{{}, std::string(text_)};
    if (!is_given("__OPENCL_VERSION__"))
      made.prefix = "#define __OPENCL_VERSION__ " +
                    std::to_string(target_.version == 0 ? 120 : target_.version) + '\n';
    if (target_.extensions) made.prefix += extensions();
    std::size_t bit = 0;
    for (const auto name : names_) {
      made.prefix += "#undef " + std::string(name) + '\n';
      if (choice >> bit++ & 1) made.prefix += "#define " + std::string(name) + " 1\n";
    }
    for (const auto& [text, places] : conditions_) {
      const bool value = (choice >> bit++ & 1) != 0;
      for (const std::size_t i : places) set_condition(i, value, made.text);
    }
    for (const std::size_t i : skipped_) blank(made.text, tokens_[i].begin, tokens_[i].end);
    return made;
  }

  /// All names of extensions that the text asks for, as the device has them.
  std::string extensions() const {
    std::set<std::string_view> asked;
    for (const Token& token : tokens_)
      if (token.kind == TokenKind::identifier && token.text.starts_with("cl_"))
        asked.insert(token.text);
    std::string prefix;
    for (const auto name : asked) {
      const auto& has = *target_.extensions;
      if (!is_undecided(name, 0) || redefined_.contains(name)) continue;
      prefix += "#undef " + std::string(name) + '\n';
      if (std::ranges::find(has, name) != has.end())
        prefix += "#define " + std::string(name) + " 1\n";
    }
    return prefix;
  }

  void set_condition(std::size_t i, bool value, std::string& text) const {
    const Token& token = tokens_[i];
    const std::string made =
        (token.text == "if" ? "#if " : "#elif ") + std::string(value ? "1" : "0");
    blank(text, token.begin, token.end);
    // A directive of several lines stays on the first; "#if" and a name are always as long.
    text.replace(token.begin, made.size(), made);
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  const Macros& macros_;
  const TargetMacros& target_;
  std::set<std::size_t> skipped_;  ///< tokens of conditionals that hold nothing that counts
  std::set<std::string_view> guards_, depending_, names_;
  std::set<std::string_view> redefined_;  ///< by the text, #undef included
  std::map<std::string_view, std::size_t> defined_from_;
  std::map<std::string, std::vector<std::size_t>> conditions_;  ///< by text
};

}  // namespace

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end && i < text.size(); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

Variants variants_of(std::string_view text, const Lexed& lexed, const Macros& macros,
                     const TargetMacros& target) {
  return Branches(text, lexed, macros, target).run();
}

}  // namespace kiln::facts
