#include "store/filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"

namespace kiln {
namespace {

constexpr std::size_t fewest_letters = 4, letters_of_key = 64;

std::string key_prefix(std::string_view word) {
  std::string letters = lower(word);
  if (letters.size() < fewest_letters || letters.size() > letters_of_key ||
      letters.find_first_not_of("0123456789abcdef") != letters.npos)
    throw Error(
        Errc::bad_input,
        fmt::format("found '{}', expected the first letters of a key, at least {} (0-9, a-f)",
                    one_line(word), fewest_letters));
  return letters;
}

}  // namespace

std::vector<std::string> prefixes_of(std::span<const std::string> words) {
  std::vector<std::string> prefixes;
  for (const auto& word : words) prefixes.push_back(key_prefix(word));
  return prefixes;
}

bool matches_prefix(const Key& key, std::span<const std::string> prefixes) {
  return prefixes.empty() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [hex = key.hex()](const auto& prefix) { return hex.starts_with(prefix); });
}

EntryFilter checked(const EntryFilter& filter) {
  return {filter.kind, filter.devices, prefixes_of(filter.keys)};
}

bool fits(const EntryFilter& filter, const EntryInfo& entry) {
  const auto is_of = [&](const std::string& device) {
    return entry.metadata.fingerprint.find(device) != std::string::npos;
  };
  return (!filter.kind || entry.kind == *filter.kind) &&
         (filter.devices.empty() ||
          std::any_of(filter.devices.begin(), filter.devices.end(), is_of)) &&
         matches_prefix(entry.key, filter.keys);
}

}  // namespace kiln
