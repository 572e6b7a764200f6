#include "store/verified_lookup.hpp"

#include <algorithm>

namespace kiln {

Lookup verified_lookup(Database::Found& found, ByteView canonical, const BlobFolder& blobs) {
  Row& row = found.row;
  if (found.state == Database::State::absent) return {{}, "no entry"};
  if (found.state == Database::State::damaged) return {{}, "checksum of the row differs"};
  if (!std::ranges::equal(row.canonical, canonical)) return {{}, "key collision"};
  if (!row.head.blob) {
    if (row.content.size() != row.head.size || xxh3(row.content) != row.head.checksum)
      return {{}, "checksum differs"};
    return {Entry{std::move(row.content), std::move(row.head.metadata)}, {}};
  }
  auto content = blobs.read(*row.head.blob, row.head.size, row.head.checksum);
  if (content) return {Entry{*std::move(content), std::move(row.head.metadata)}, {}};
  return {{},
          content.error().code() == Errc::not_found ? missing_content : content.error().message()};
}

}  // namespace kiln
