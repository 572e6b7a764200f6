#include "store/canonical.hpp"

#include <bit>

#include "kiln/error.hpp"
#include "store/canonical_format.hpp"

namespace kiln {

CanonicalWriter::CanonicalWriter(std::string_view schema, std::int64_t version) {
  bytes_.reserve(512);  // most Requests fit: one allocation a Key
  append(bytes_, canonical::magic);
  append_le(bytes_, canonical::grammar);
  text("schema", schema);
  integer("version", version);
}

void CanonicalWriter::header(std::uint8_t type, std::string_view tag, std::size_t length) {
  if (tag.size() > canonical::longest_tag)
    throw Error(Errc::internal, "a canonical tag has " + std::to_string(tag.size()) +
                                    " bytes; at most " + std::to_string(canonical::longest_tag));
  append_le(bytes_, type);
  append_le(bytes_, static_cast<std::uint8_t>(tag.size()));
  append(bytes_, tag);
  append_le(bytes_, static_cast<std::uint64_t>(length));
}

CanonicalWriter& CanonicalWriter::text(std::string_view tag, std::string_view value) {
  header(canonical::text, tag, value.size());
  append(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::integer(std::string_view tag, std::int64_t value) {
  header(canonical::integer, tag, sizeof value);
  append_le(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::number(std::string_view tag, double value) {
  header(canonical::number, tag, sizeof value);
  append_le(bytes_, std::bit_cast<std::uint64_t>(value));
  return *this;
}

CanonicalWriter& CanonicalWriter::bytes(std::string_view tag, ByteView value) {
  header(canonical::bytes, tag, value.size());
  append(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::digest(std::string_view tag, const Digest& value) {
  return bytes(tag, value.bytes);
}

CanonicalWriter& CanonicalWriter::begin(std::string_view tag) {
  header(canonical::group, tag, 0);
  open_.push_back(bytes_.size());
  return *this;
}

CanonicalWriter& CanonicalWriter::end() {
  if (open_.empty()) throw Error(Errc::internal, "a canonical group ends that was not begun");
  const std::size_t start = open_.back();
  open_.pop_back();
  // The length was unknown when the header was written; it stands just before the payload.
  const std::uint64_t length = bytes_.size() - start;
  std::memcpy(bytes_.data() + start - sizeof length, &length, sizeof length);
  return *this;
}

const Bytes& CanonicalWriter::view() const {
  if (!open_.empty()) throw Error(Errc::internal, "a canonical group was not ended");
  return bytes_;
}

Key CanonicalWriter::key() const { return key_of(view()); }

Key key_of(ByteView canonical) { return Key{blake2b(canonical)}; }

}  // namespace kiln
