#include "kernel/request/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"

namespace kiln {

void FactFields::text(std::string_view name, std::string& value, std::string_view expected) {
  if (!reads()) return put(name, value);
  value = text_of(name);
  if (value.empty() && !expected.empty()) refuse(name, fmt::format("expected {}", expected));
}

std::int64_t FactFields::integer_of(std::string_view name, std::int64_t value,
                                    std::pair<std::int64_t, std::int64_t> bounds,
                                    std::optional<std::int64_t> otherwise) {
  if (!reads()) {
    if (value != otherwise) put(name, value);
    return value;
  }
  const Fact* fact = find(name);
  if (fact == nullptr && otherwise) return *otherwise;
  const auto* found = fact == nullptr ? nullptr : std::get_if<std::int64_t>(&fact->value);
  if (found == nullptr || *found < bounds.first || *found > bounds.second)
    refuse(name, fmt::format("expected an integer from {} to {}", bounds.first, bounds.second));
  return *found;
}

std::size_t FactFields::choice_of(std::string_view name, std::size_t value,
                                  std::span<const std::string_view> words,
                                  std::optional<std::size_t> otherwise, std::string_view all) {
  if (!reads()) {
    if (value != otherwise) put(name, std::string(words[value]));
    return value;
  }
  if (find(name) == nullptr && otherwise) return *otherwise;
  const std::string found = text_of(name);
  const auto place = std::find(words.begin(), words.end(), found);
  if (place == words.end())
    refuse(name,
           fmt::format("found '{}', expected one of {}{}", one_line(found),
                       all.empty() ? fmt::format("{}", fmt::join(words, ", ")) : std::string(all),
                       did_you_mean(found, words)));
  return static_cast<std::size_t>(place - words.begin());
}

const Fact* FactFields::find(std::string_view name) const {
  const auto found = std::find_if(from_->begin(), from_->end(),
                                  [&](const Fact& fact) { return fact.name == name; });
  return found == from_->end() ? nullptr : &*found;
}

std::string FactFields::text_of(std::string_view name) const {
  const Fact* fact = find(name);
  const auto* text = fact == nullptr ? nullptr : std::get_if<std::string>(&fact->value);
  return text == nullptr ? std::string() : *text;
}

std::vector<std::pair<std::string, std::string>> FactFields::entries(std::string_view list) const {
  std::vector<std::pair<std::string, std::string>> found;
  if (!reads()) return found;
  for (const auto& fact : *from_)
    if (fact.name.starts_with(list) && fact.name.size() > list.size() &&
        fact.name[list.size()] == ' ')
      found.emplace_back(fact.name.substr(list.size() + 1), text_of(fact.name));
  return found;
}

std::string FactFields::entry_name(std::string_view list, std::size_t place) const {
  return lists_ == Lists::repeated ? std::string(list) : fmt::format("{} {}", list, place);
}

void FactFields::refuse(std::string_view name, std::string_view message) {
  throw Error(Errc::bad_input, fmt::format("'{}': {}", one_line(name), message));
}

}  // namespace kiln
