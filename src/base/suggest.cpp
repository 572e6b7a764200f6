#include "base/suggest.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/lower.hpp"

namespace kiln {

namespace {

// Names come from outside: a longer one is no typing error, and the table of edits would be large.
constexpr std::size_t longest = 64;

/// A third of the letters may be wrong, but never all of them.
std::size_t tolerance(std::string_view name) {
  return std::min(name.size() - 1, std::max<std::size_t>(1, name.size() / 3));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one before the last is needed for swapped neighbours.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > longest) return {};
  // The wrong case is the smallest slip of all: W means w rather than h.
  const std::string typed = lower(name);
  std::string_view best;
  std::size_t least = tolerance(name) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    if (const std::size_t distance = edit_distance(typed, lower(candidate)); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view guess = nearest(name, candidates);
  return guess.empty() ? std::string() : "; did you mean '" + std::string(guess) + "'?";
}

}  // namespace kiln
