#pragma once

#include "store/blobs.hpp"
#include "store/database.hpp"
#include "store/layer.hpp"
#include "store/trust_check.hpp"

namespace kiln {

/// Reason of a miss whose entry was sound: its content's file may have been replaced meanwhile.
inline constexpr const char* missing_content = "the content's file is missing";

/// The entry of a row that was found: row, canonical bytes, sizes and checksums all fit, and this
/// machine trusts its maker, or it is a miss with the reason. Moves out of `found`.
Lookup verified_lookup(Database::Found& found, ByteView canonical, const BlobFolder& blobs,
                       TrustCheck& trust);

}  // namespace kiln
