#pragma once

#include <memory>
#include <string>

#include "kiln/store.hpp"
#include "store/layer/shared_layer.hpp"

// The store that a process uses by default: which layers it has, and opening it.
namespace kiln {

/// Where a system store is looked for by default.
inline constexpr const char* default_system_store = "/usr/share/kiln/store";

/// The folder to use for a store that is asked for there: the same, or, on a network file system,
/// one of the machine itself, which a line in the log says.
std::string store_folder_for(const std::string& asked);

/// The shared store alone, with what the environment says about trust and signing
/// (kiln/store/trust.hpp); errors as open_store(). `failures`: SharedOptions::failures.
Expected<std::unique_ptr<SharedLayer>> open_shared_store(const StoreSettings& settings,
                                                         LogLevel failures = LogLevel::warning);

/// The store over these layers; null where there are none. Errors: bad_input for a URL that is
/// none, unsupported for a shared store in a build without Redis.
Expected<std::unique_ptr<Layer>> open_store(const StoreSettings& settings);

}  // namespace kiln
