#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>

namespace kiln::expr {

/// Writes random expressions over the names of sample_scope: valid texts, of which a good part
/// has a value. With Parentheses::everywhere the text shows the tree; with `some` it leaves the
/// grouping to precedence, and now and then breaks the grammar (1 + not 2).
class RandomText {
 public:
  enum class Parentheses { everywhere, some };
  RandomText(std::uint64_t seed, Parentheses parentheses)
      : random_(seed), parentheses_(parentheses) {}

  std::string expression(int depth) {
    if (depth <= 0 || chance(8)) return leaf();
    switch (below(12)) {
      case 0:
        return group(fmt::format("{} if {} else {}", expression(depth - 1), expression(depth - 1),
                                 expression(depth - 1)));
      case 1:
        return group(expression(depth - 1) + (chance(2) ? " and " : " or ") +
                     expression(depth - 1));
      case 2:
        return group(fmt::format("not {}", expression(depth - 1)));
      case 3:
        return group(comparison(depth));
      case 4:
        return group(fmt::format("{}{}", chance(4) ? '+' : '-', expression(depth - 1)));
      case 5:
        return list(depth);
      case 6:
        return chance(2) ? fmt::format("{}[{}]", list(depth), expression(depth - 2))
                         : "l[3][n % 2]";
      case 7:
        return call(depth);
      case 8:
        return group(small() + " ** " + small());
      default:
        return group(expression(depth - 1) + pick(arithmetic_) + expression(depth - 1));
    }
  }

 private:
  std::string leaf() {
    switch (below(6)) {
      case 0:
      case 1:
        return std::to_string(below(12));
      case 2:
        return pick(numbers_);
      case 3:
        return chance(3) ? pick(strings_) : pick(names_);
      default:
        return pick(names_);
    }
  }

  std::string small() { return group(fmt::format("{}{}", chance(3) ? "-" : "", below(5))); }

  std::string comparison(int depth) {
    std::string text = expression(depth - 1);
    for (std::size_t links = 1 + below(2); links > 0; --links) {
      text += pick(comparisons_) + expression(depth - 1);
    }
    return text;
  }

  std::string list(int depth) { return fmt::format("[{}]", items(depth, below(4))); }
  std::string call(int depth) {
    return fmt::format("{}({})", pick(functions_), items(depth, 1 + below(2)));
  }

  std::string items(int depth, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += i > 0 ? ", " : "";
      text += expression(depth - 2);
    }
    return text;
  }

  std::string group(const std::string& text) {
    const bool grouped = parentheses_ == Parentheses::everywhere || chance(3);
    return grouped ? fmt::format("({})", text) : text;
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  template <std::size_t N>
  std::string pick(const std::array<const char*, N>& from) {
    return from[below(N)];
  }

  static constexpr std::array arithmetic_ = {" + ", " - ", " * ", " / ", " // ", " % "};
  static constexpr std::array comparisons_ = {
      " < ", " <= ", " > ", " >= ", " == ", " != ", " in ", " not in "};
  static constexpr std::array names_ = {"dataset", "n", "m", "zero", "x", "y",
                                        "t",       "s", "l", "e",    "n", "x"};
  static constexpr std::array numbers_ = {
      "0.5",  "1e3",  "2.25",  "1e-8", "1e300", "0.1",  "3.0", "9223372036854775807",
      "True", "1e16", "False", "0x10", "0.3",   "1024", "100", "9007199254740993"};
  static constexpr std::array strings_ = {"'a'", "\"it's\"", "''", "'b\\n'", "'\xC3\xA9'", "'12'"};
  static constexpr std::array functions_ = {"min", "max",   "abs",  "int",   "float", "len",
                                            "sum", "round", "ceil", "floor", "log2",  "sqrt"};

  std::mt19937_64 random_;
  Parentheses parentheses_;
};

}  // namespace kiln::expr
