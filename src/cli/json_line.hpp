#pragma once

#include <nlohmann/json_fwd.hpp>

namespace kiln::cli {

/// What --json prints: one object on one line of standard output. Bytes that are no UTF-8 (names
/// come from files) are replaced. Throws as print.
void print_json(const nlohmann::ordered_json& object);

}  // namespace kiln::cli
