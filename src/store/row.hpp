#pragma once

#include <cstdint>
#include <optional>

#include "base/digest.hpp"
#include "store/layer.hpp"

namespace kiln {

/// What the database keeps of an entry beside its canonical bytes and its content.
struct RowHead {
  Kind kind{};
  Key key;
  Metadata metadata;
  std::int64_t created = 0;    ///< seconds since 1970, UTC
  std::uint64_t size = 0;      ///< bytes of content
  Checksum checksum;           ///< of the content
  std::optional<Digest> blob;  ///< the content's address where it is a file of its own
};

struct Row {
  RowHead head;
  Bytes canonical;
  Bytes content;  ///< empty where head.blob is set
};

/// The checksum of everything in a row but its content, whose checksum it covers. A row without
/// source, options and build log has the checksum that layout 1 gave it.
Checksum row_checksum(const RowHead& head, ByteView canonical);

}  // namespace kiln
