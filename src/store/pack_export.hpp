#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/local_store.hpp"
#include "store/pack.hpp"

namespace kiln {

struct Exported {
  Bytes pack;
  std::uint64_t entries = 0, contents = 0;  ///< contents that are equal stand in a pack once
  struct LeftOut {
    Kind kind{};
    Key key;
    std::string reason;
  };
  std::vector<LeftOut> left_out;  ///< damaged, or not to be used by this machine either
};

/// The pack of a store's entries that are `wanted`. Each keeps its signature, unless there is a
/// `key`: then all are signed with that. Looking counts as no use. What goes away meanwhile is not
/// in it. Errors: those of the store; bad_input where the pack would be too large.
Expected<Exported> export_pack(LocalStore& store,
                               const std::function<bool(const EntryInfo&)>& wanted,
                               const SigningKey* key = nullptr);

/// The same pack with every entry signed. Errors: those of read_pack().
Expected<Bytes> sign_pack(ByteView pack, const SigningKey& key);

}  // namespace kiln
