#include "store/entry_form.hpp"

#include <fmt/format.h>

#include "store/entry_parts.hpp"

namespace kiln {
namespace entry_form {

Head take_head(Cursor& cursor) {
  const std::size_t at = cursor.at();
  const ByteView bytes = cursor.block("head");
  if (!cursor.ok()) return {};
  auto head = decode_head(bytes);
  if (!head) {
    // Its offsets count from its own start, 4 bytes from here.
    cursor.refuse(at + 4, "head", head.error().message(), head.error().code());
    return {};
  }
  return {*std::move(head), bytes};
}

void append_head(Bytes& to, ByteView head_bytes) {
  append_le(to, static_cast<std::uint32_t>(head_bytes.size()));
  append(to, head_bytes);
}

std::optional<Signature> take_signature(Cursor& cursor) {
  const std::size_t at = cursor.at();
  const auto given = cursor.number<std::uint8_t>("signature");
  if (given > 1) cursor.refuse(at, "signature", fmt::format("{} found, 0 or 1 expected", given));
  if (given != 1) return std::nullopt;
  Signature signature;
  const ByteView signer = cursor.take(signature.signer.bytes.size(), "signer");
  const ByteView bytes = cursor.take(signature.bytes.size(), "signature");
  std::copy(signer.begin(), signer.end(), signature.signer.bytes.begin());
  std::copy(bytes.begin(), bytes.end(), signature.bytes.begin());
  return signature;
}

void append_signature(Bytes& to, const std::optional<Signature>& signature) {
  append_le(to, static_cast<std::uint8_t>(signature.has_value()));
  if (!signature) return;
  append(to, signature->signer.bytes);
  append(to, signature->bytes);
}

Digest take_digest(Cursor& cursor, std::string_view field) {
  Digest digest;
  const ByteView bytes = cursor.take(digest.bytes.size(), field);
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

}  // namespace entry_form

namespace {

constexpr std::string_view entry_name = "entry";
constexpr std::string_view entry_magic = "KILNENT1";

}  // namespace

Bytes encode_entry(const EntryHead& head, const std::optional<Signature>& signature,
                   ByteView content) {
  Bytes bytes;
  const Bytes head_bytes = encode_head(head);
  bytes.reserve(head_bytes.size() + content.size() + 160);
  append(bytes, entry_magic);
  entry_form::append_head(bytes, head_bytes);
  entry_form::append_signature(bytes, signature);
  // Over what stands before: the content has its own in the head.
  append(bytes, blake2b(bytes).bytes);
  append(bytes, content);
  return bytes;
}

Expected<DecodedEntry> decode_entry(ByteView bytes) {
  Cursor cursor(bytes, entry_name);
  if (cursor.left() < entry_magic.size() ||
      as_text(cursor.take(entry_magic.size(), "magic")) != entry_magic)
    cursor.refuse(0, "magic", "not an entry of a Kiln store");
  entry_form::Head head = entry_form::take_head(cursor);
  DecodedEntry entry;
  entry.signature = entry_form::take_signature(cursor);
  const std::size_t covered = cursor.at();
  const Digest digest = entry_form::take_digest(cursor, "digest");
  if (cursor.ok() && digest != blake2b(bytes.first(covered)))
    cursor.refuse(covered, "digest", "it is not that of the bytes before it");
  const std::size_t at = cursor.at();
  const ByteView content = cursor.take(head.head.size, "content");
  cursor.expect_end();
  if (cursor.ok() && blake2b(content) != head.head.content)
    cursor.refuse(at, "content", "its digest is not the one in the head");
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  entry.head = std::move(head.head);
  entry.head_bytes.assign(head.bytes.begin(), head.bytes.end());
  entry.content.assign(content.begin(), content.end());
  return entry;
}

Metadata metadata_from_elsewhere(const EntryHead& head, const std::optional<Signature>& signature) {
  Metadata metadata = head.metadata;
  metadata.made_elsewhere = true;
  metadata.signature = signature;
  return metadata;
}

}  // namespace kiln
