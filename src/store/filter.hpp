#pragma once

#include <span>
#include <string>
#include <vector>

#include "kiln/store/entry.hpp"

// Which entries an EntryFilter means.
namespace kiln {

/// The first letters of keys, in lower case, as they are compared with keys. Throws Error (bad
/// input) for other words, and for less than four letters, which a mistake (an empty variable in a
/// script) could give.
std::vector<std::string> prefixes_of(std::span<const std::string> words);

/// Whether a key begins with one of the prefixes; every key does where there are none.
bool matches_prefix(const Key& key, std::span<const std::string> prefixes);

/// The same filter with its keys as prefixes. Throws Error as prefixes_of().
EntryFilter checked(const EntryFilter& filter);
/// Whether an entry fits a checked filter.
bool fits(const EntryFilter& filter, const EntryInfo& entry);

}  // namespace kiln
