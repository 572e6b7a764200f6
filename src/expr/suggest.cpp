#include "expr/suggest.hpp"

#include "base/text.hpp"
#include "expr/message.hpp"

namespace kiln::expr {
namespace {

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
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string guess = did_you_mean(unknown, candidates);
  return guess.empty() ? listed(known) : guess;
}

}  // namespace kiln::expr
