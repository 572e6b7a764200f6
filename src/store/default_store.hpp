#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "store/layer/shared_layer.hpp"

// The store that a process uses by default: which layers it has, and opening it.
namespace kiln {

/// How large a local store may become by default: bytes.
inline constexpr std::uint64_t default_store_limit = 5'000'000'000;

/// Which layers a store has, and where they are.
struct StoreSettings {
  std::string local;                          ///< a folder; empty: nothing is kept on this machine
  std::string system;                         ///< a folder that a package ships; empty: none
  std::string shared;                         ///< a URL (SharedUrl); empty: none
  std::uint64_t limit = default_store_limit;  ///< bytes of the local one; 0: none
  /// What the shared store may add to a call, at most.
  std::chrono::milliseconds shared_timeout{50};
  LogLevel shared_failures = LogLevel::warning;  ///< SharedOptions::failures
};

/// Where a system store is looked for by default.
inline constexpr const char* default_system_store = "/usr/share/kiln/store";

/// What the environment says: KILN_STORE and the folders of default_store_location(),
/// KILN_SYSTEM_STORE (a folder or off; else default_system_store where it is there),
/// KILN_SHARED_STORE (a URL or off), KILN_STORE_SIZE (bytes, as base/byte_count.hpp reads them),
/// KILN_SHARED_TIMEOUT (whole milliseconds); a number that cannot be read is left out with a line
/// in the log.
StoreSettings default_store_settings();

/// The folder to use for a store that is asked for there: the same, or, on a network file system,
/// one of the machine itself, which a line in the log says.
std::string store_folder_for(const std::string& asked);

/// The shared store alone, with what the environment says about trust and signing
/// (store/trust/trust.hpp); errors as open_store().
Expected<std::unique_ptr<SharedLayer>> open_shared_store(const StoreSettings& settings);

/// The store over these layers; null where there are none. Errors: bad_input for a URL that is
/// none, unsupported for a shared store in a build without Redis.
Expected<std::unique_ptr<Layer>> open_store(const StoreSettings& settings);

}  // namespace kiln
