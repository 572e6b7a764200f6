#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "kernel/facts/preprocess.hpp"

namespace kiln::facts {
namespace {

// clang takes 3 kB of 8 MB for each operator in a row of prefix ones: nothing nests with less.
constexpr std::size_t most_brackets = 200, longest_statement = 2000, most_branches = 400;
constexpr double most_tokens = 1e6;

/// Whether statements, with those that they stand in, are so long that they may nest too deeply.
bool is_nested_too_deeply(const std::vector<Token>& tokens) {
  struct Bracket {
    bool is_block, is_list;  ///< of statements; of an initializer, whose elements do not nest
    std::size_t before;      ///< tokens of the statement that it stands in
  };
  std::vector<Bracket> open;
  std::size_t around = 0, statement = 0, branches = 0;
  for (std::size_t i = 0; i < tokens.size(); i += 1) {
    const Token& token = tokens[i];
    if (token.kind == TokenKind::directive) {
      i += token.extent;
      continue;
    }
    const bool in_list = !open.empty() && open.back().is_list;
    ++statement;
    branches += token.text == "else";
    if (token.is("(") || token.is("[") || token.is("{")) {
      const bool is_list = token.is("{") && i > 0 && (tokens[i - 1].is("=") || in_list);
      open.push_back({token.is("{"), is_list, token.is("{") ? statement : 0});
      around += open.back().before;
      if (token.is("{")) statement = 0;
    } else if ((token.is(")") || token.is("]") || token.is("}")) && !open.empty()) {
      around -= open.back().before;
      if (open.back().is_block) statement = 0;
      open.pop_back();
      if (open.empty()) branches = 0;
    } else if ((token.is(";") && (open.empty() || open.back().is_block)) ||
               (token.is(",") && in_list)) {
      statement = 0;
    }
    if (open.size() > most_brackets || around + statement > longest_statement ||
        branches > most_branches)
      return true;
  }
  return false;
}

/// How many tokens a text becomes at most.
class MacroSizes {
 public:
  explicit MacroSizes(const std::vector<Token>& tokens) : tokens_(tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].kind == TokenKind::directive && tokens[i].text == "define" &&
          tokens[i].extent > 0)
        definitions_[tokens[i + 1].text].push_back(i);
  }
  double total() { return sum(0, tokens_.size(), {}, 0).tokens; }

 private:
  /// What a use becomes without what its arguments do, and how often it writes those.
  struct Size {
    double tokens = 1, repeats = 1;
  };

  Size sum(std::size_t begin, std::size_t end, const std::set<std::string_view>& parameters,
           int depth) {
    Size all{0, 0};
    std::vector<double> factors = {1};  // of the arguments that we are in
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::directive) {
        i += token.extent;
      } else if (token.is("(")) {
        factors.push_back(factors.back() *
                          (i > begin ? size_of(tokens_[i - 1].text, depth).repeats : 1));
      } else if (token.is(")") && factors.size() > 1) {
        factors.pop_back();
      } else if (parameters.contains(token.text)) {
        all.repeats += factors.back();
      }
      all.tokens += factors.back() * size_of(token.text, depth).tokens;
    }
    return {std::min(all.tokens, 1e100), std::clamp(all.repeats, 1.0, 1e100)};
  }

  Size size_of(std::string_view name, int depth) {
    const auto known = definitions_.find(name);
    if (known == definitions_.end()) return {};
    if (const auto size = sizes_.find(name); size != sizes_.end()) return size->second;
    if (depth > 200) return {1e100, 1};
    sizes_[name] = {};  // within itself it is no macro
    Size largest;
    for (const std::size_t i : known->second) {
      std::set<std::string_view> parameters = {"__VA_ARGS__"};
      std::size_t k = 2;
      for (; k <= tokens_[i].extent && tokens_[i + 2].is("(") && !tokens_[i + k].is(")"); ++k)
        parameters.insert(tokens_[i + k].text);
      const Size one = sum(i + k, i + 1 + tokens_[i].extent, parameters, depth + 1);
      largest = {std::max(largest.tokens, one.tokens), std::max(largest.repeats, one.repeats)};
    }
    return sizes_[name] = largest;
  }

  const std::vector<Token>& tokens_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> definitions_;
  std::unordered_map<std::string_view, Size> sizes_;
};

}  // namespace

std::optional<std::string> beyond_bounds(const Lexed& lexed) {
  if (is_nested_too_deeply(lexed.tokens)) return "the text is nested more deeply than Kiln follows";
  if (MacroSizes(lexed.tokens).total() > most_tokens)
    return "the text's macros expand to more than Kiln follows";
  return std::nullopt;
}

}  // namespace kiln::facts
