#include "expr/suggest.hpp"

#include <algorithm>

#include "expr/message.hpp"

namespace kiln::expr {
namespace {

constexpr std::size_t longest = 64;  // nobody types longer names by hand; bounds the table below

/// A third of the word may be wrong, but never all of it.
std::size_t tolerance(std::string_view word) {
  return std::min(word.size() - 1, std::max<std::size_t>(1, word.size() / 3));
}

std::string listed(const std::vector<std::string>& known) {
  constexpr std::size_t few = 8;
  if (known.empty() || known.size() > few) return "";
  std::string text = "; known:";
  for (const std::string& word : known)
    text += (&word == &known.front() ? " " : ", ") + shown(word);
  return text;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the classic table: a swap looks two rows back.
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::string suggestion(std::string_view unknown, const std::vector<std::string>& known) {
  if (unknown.empty() || unknown.size() > longest) return "";
  // The first of the nearest in sorted order, so that a message never varies.
  const std::string* best = nullptr;
  std::size_t least = tolerance(unknown) + 1;
  for (const std::string& word : known) {
    if (word.size() > longest) continue;
    const std::size_t distance = edit_distance(unknown, word);
    if (distance < least) {
      least = distance;
      best = &word;
    }
  }
  return best ? "; did you mean " + shown(*best) + "?" : listed(known);
}

}  // namespace kiln::expr
