#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"
#include "store/canonical.hpp"

namespace kiln {

/// The texts and integers of canonical bytes outside of groups: what an entry's key was made of,
/// to be read again. Other fields are passed over.
class CanonicalFields {
 public:
  /// Errors: corrupt, with the byte. Safe on any bytes.
  static Expected<CanonicalFields> read(ByteView canonical);

  /// The first text of this tag, or nothing.
  const std::string* text(std::string_view tag) const;
  /// All integers of this tag, in their order: a tag may stand twice.
  std::vector<std::int64_t> integers(std::string_view tag) const;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<std::pair<std::string, std::int64_t>> integers_;
};

}  // namespace kiln
