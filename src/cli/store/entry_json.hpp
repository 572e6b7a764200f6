#pragma once

#include <nlohmann/json_fwd.hpp>

#include "store/local_store.hpp"

namespace kiln::cli {

/// All that is known of an entry but its content, as --json prints it.
nlohmann::ordered_json json_of(const EntryInfo& entry);

}  // namespace kiln::cli
