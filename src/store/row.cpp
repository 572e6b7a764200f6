#include "store/row.hpp"

#include <bit>

namespace kiln {
namespace {

/// Lengths go in too: otherwise bytes could move from one field to the next unnoticed.
void add(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint64_t>(bytes.size()));
  append(to, bytes);
}

}  // namespace

Checksum row_checksum(const RowHead& head, ByteView canonical) {
  Bytes fields;
  fields.reserve(256 + canonical.size() + head.metadata.label.size());
  append_le(fields, static_cast<std::uint8_t>(head.kind));
  append(fields, head.key.digest.bytes);
  append_le(fields, head.metadata.schema);
  add(fields, as_bytes(head.metadata.label));
  add(fields, as_bytes(head.metadata.fingerprint));
  append_le(fields, std::bit_cast<std::uint64_t>(head.metadata.cost_seconds));
  append_le(fields, head.created);
  append_le(fields, head.size);
  append_le(fields, head.checksum.low);
  append_le(fields, head.checksum.high);
  append_le(fields, static_cast<std::uint8_t>(head.blob.has_value()));
  if (head.blob) append(fields, head.blob->bytes);
  add(fields, canonical);
  // Only where there are any: so the rows of layout 1 stay good, and an upgrade rewrites none.
  const Metadata& metadata = head.metadata;
  if (metadata.source || !metadata.options.empty() || !metadata.build_log.empty() ||
      metadata.made_elsewhere || metadata.signature) {
    add(fields, metadata.source ? ByteView(metadata.source->bytes) : ByteView());
    add(fields, as_bytes(metadata.options));
    add(fields, as_bytes(metadata.build_log));
  }
  if (metadata.made_elsewhere || metadata.signature) {
    append_le(fields, static_cast<std::uint8_t>(metadata.made_elsewhere));
    add(fields, metadata.signature ? ByteView(metadata.signature->signer.bytes) : ByteView());
    add(fields, metadata.signature ? ByteView(metadata.signature->bytes) : ByteView());
  }
  return xxh3(fields);
}

}  // namespace kiln
