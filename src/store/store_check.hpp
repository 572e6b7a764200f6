#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "store/local_store.hpp"

namespace kiln {

/// One thing that is wrong in a store.
struct StoreFault {
  Kind kind{};
  Key key;
  std::optional<Digest>
      file;  ///< in place of the key: a file whose content is not what it should be
  std::string label;
  std::string reason;
};

struct StoreCheck {
  std::uint64_t entries = 0, bytes = 0;  ///< that were read
  std::uint64_t faults = 0;
  std::uint64_t damaged_rows = 0;  ///< whose own checksum differs: counted, not named
  std::uint64_t unused_files = 0;  ///< no fault: a killed writer leaves some, gc removes them
};

/// Reads every entry of a store and checks it as a hit would, and more: that its key is the digest
/// of its canonical bytes, that a file's name is the digest of its content, and that this machine
/// trusts its maker. Calls `fault` for each that fails. Others may use the store meanwhile.
Expected<StoreCheck> check_store(LocalStore& store,
                                 const std::function<void(const StoreFault&)>& fault);

}  // namespace kiln
