#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kiln/api.hpp"

namespace kiln {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// A 256-bit digest: identity of Keys, of content, of anything that may leave the machine.
struct Digest {
  std::array<std::byte, 32> bytes{};

  KILN_API std::string hex() const;
  /// The first 16 letters: enough for people to tell entries apart.
  std::string brief() const { return hex().substr(0, 16); }
  auto operator<=>(const Digest&) const = default;
};

}  // namespace kiln
