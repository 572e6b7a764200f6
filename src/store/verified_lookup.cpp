#include "store/verified_lookup.hpp"

#include <algorithm>

namespace kiln {

namespace {

/// The content of a sound row, checked.
Expected<Bytes> content_of(Row& row, const BlobFolder& blobs) {
  if (row.head.blob) return blobs.read(*row.head.blob, row.head.size, row.head.checksum);
  if (row.content.size() != row.head.size || xxh3(row.content) != row.head.checksum)
    return fail(Errc::corrupt, "checksum differs");
  return std::move(row.content);
}

}  // namespace

Lookup verified_lookup(Database::Found& found, ByteView canonical, const BlobFolder& blobs,
                       TrustCheck& trust) {
  Row& row = found.row;
  if (found.state == Database::State::absent) return {{}, "no entry"};
  if (found.state == Database::State::damaged) return {{}, "checksum of the row differs"};
  if (!std::ranges::equal(row.canonical, canonical)) return {{}, "key collision"};
  auto content = content_of(row, blobs);
  if (!content)
    return {
        {},
        content.error().code() == Errc::not_found ? missing_content : content.error().message()};
  if (auto refusal = trust.refusal(row.head, canonical, *content); !refusal.empty())
    return {{}, std::move(refusal)};
  // This machine's own signature is for its own store: where the entry goes, it gets another.
  if (!row.head.metadata.made_elsewhere) row.head.metadata.signature.reset();
  return {Entry{*std::move(content), std::move(row.head.metadata)}, {}};
}

}  // namespace kiln
