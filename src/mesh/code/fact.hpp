#pragma once

#include <optional>
#include <string_view>

#include "kernel/request.hpp"

namespace kiln::mesh {

/// A Request's fact of this name, where it has one that is a whole number.
inline std::optional<std::int64_t> number_fact(const Request& request, std::string_view name) {
  for (const auto& fact : request.facts)
    if (fact.name == name)
      if (const auto* value = std::get_if<std::int64_t>(&fact.value)) return *value;
  return std::nullopt;
}

}  // namespace kiln::mesh
