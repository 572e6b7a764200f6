#pragma once

#include <rapidcheck.h>

#include "base/bytes.hpp"

namespace kiln::testing {

inline rc::Gen<Bytes> any_bytes() {
  return rc::gen::map(rc::gen::arbitrary<std::vector<std::uint8_t>>(), [](const auto& values) {
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    return Bytes(first, first + values.size());
  });
}

}  // namespace kiln::testing
