#include "expr/suggest.hpp"

#include <algorithm>

#include "base/suggest.hpp"
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
