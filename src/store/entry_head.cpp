// The head of a travelling entry, as bytes.

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/cursor.hpp"
#include "store/details.hpp"
#include "store/entry_form.hpp"
#include "store/local_store.hpp"

namespace kiln {
namespace {

constexpr std::string_view head_name = "entry head";
// Nothing else that Kiln signs may begin so: a signature over a head can never be one over another
// thing.
constexpr std::string_view head_magic = "Kiln entry head\n";
constexpr std::uint32_t version = 1;

void append_block(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint32_t>(bytes.size()));
  append(to, bytes);
}

/// A block of at most `limit` bytes.
ByteView take_block(Cursor& cursor, std::size_t limit, std::string_view field) {
  const std::size_t at = cursor.at();
  const ByteView bytes = cursor.block(field);
  if (bytes.size() > limit)
    cursor.refuse(at, field,
                  fmt::format("{} bytes found, at most {} expected", bytes.size(), limit));
  return bytes;
}
std::string take_text(Cursor& cursor, std::size_t limit, std::string_view field) {
  return std::string(as_text(take_block(cursor, limit, field)));
}

Kind take_kind(Cursor& cursor) {
  const std::size_t at = cursor.at();
  const auto found = cursor.number<std::uint8_t>("kind");
  if (found < 1 || found > 3)
    cursor.refuse(at, "kind", fmt::format("{} found, 1, 2 or 3 expected", found));
  return static_cast<Kind>(found);
}

/// Only what the store keeps as it is: else an entry that came and went would change its
/// bytes, and its signature would no longer hold.
double take_cost(Cursor& cursor) {
  const std::size_t at = cursor.at();
  const auto cost = std::bit_cast<double>(cursor.number<std::uint64_t>("cost"));
  if (!std::isfinite(cost) || std::signbit(cost))
    cursor.refuse(at, "cost", "finite seconds, not negative, expected");
  return cost;
}

std::optional<Digest> take_source(Cursor& cursor) {
  const std::size_t at = cursor.at();
  const auto given = cursor.number<std::uint8_t>("source");
  if (given > 1) cursor.refuse(at, "source", fmt::format("{} found, 0 or 1 expected", given));
  if (given != 1) return std::nullopt;
  const ByteView bytes = cursor.take(sizeof(Digest), "source");
  Digest digest;
  if (cursor.ok()) std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

/// A text of a compiler, refused where the store would change it: it tells folders, for example.
std::string take_detail(Cursor& cursor, std::string_view field) {
  const std::size_t at = cursor.at();
  std::string text = take_text(cursor, Metadata::longest_detail, field);
  if (without_folders(text) != text) cursor.refuse(at, field, "it names a folder");
  return text;
}

}  // namespace

EntryHead head_of(Kind kind, ByteView canonical, ByteView content, const Metadata& metadata) {
  EntryHead head{kind,
                 key_of(canonical),
                 Bytes(canonical.begin(), canonical.end()),
                 kept_metadata(metadata),
                 content.size(),
                 blake2b(content)};
  head.metadata.made_elsewhere = false;
  head.metadata.signature.reset();
  return head;
}

Bytes encode_head(const EntryHead& head) {
  const Metadata& metadata = head.metadata;
  Bytes bytes;
  bytes.reserve(256 + head.canonical.size() + metadata.label.size() + metadata.fingerprint.size() +
                metadata.options.size() + metadata.build_log.size());
  append(bytes, head_magic);
  append_le(bytes, version);
  append_le(bytes, static_cast<std::uint8_t>(head.kind));
  append_le(bytes, metadata.schema);
  append_le(bytes, std::bit_cast<std::uint64_t>(metadata.cost_seconds));
  append_le(bytes, static_cast<std::uint8_t>(metadata.source.has_value()));
  if (metadata.source) append(bytes, metadata.source->bytes);
  for (const std::string* text :
       {&metadata.label, &metadata.fingerprint, &metadata.options, &metadata.build_log})
    append_block(bytes, as_bytes(*text));
  append_block(bytes, head.canonical);
  append_le(bytes, head.size);
  append(bytes, head.content.bytes);
  return bytes;
}

Expected<EntryHead> decode_head(ByteView bytes) {
  Cursor cursor(bytes, head_name);
  if (cursor.left() < head_magic.size() ||
      as_text(cursor.take(head_magic.size(), "magic")) != head_magic)
    cursor.refuse(0, "magic", "not the head of an entry");
  const std::size_t at = cursor.at();
  if (const auto found = cursor.number<std::uint32_t>("version"); cursor.ok() && found != version)
    cursor.refuse(at, "version", fmt::format("{} found, {} expected", found, version),
                  Errc::unsupported);
  EntryHead head;
  head.kind = take_kind(cursor);
  head.metadata.schema = cursor.number<std::uint32_t>("schema");
  head.metadata.cost_seconds = take_cost(cursor);
  head.metadata.source = take_source(cursor);
  head.metadata.label = take_text(cursor, LocalStore::largest_text, "label");
  head.metadata.fingerprint = take_text(cursor, LocalStore::largest_text, "fingerprint");
  head.metadata.options = take_detail(cursor, "options");
  head.metadata.build_log = take_detail(cursor, "build log");
  const ByteView canonical = take_block(cursor, LocalStore::largest_canonical, "canonical bytes");
  head.size = cursor.number<std::uint64_t>("size");
  const ByteView content = cursor.take(sizeof(Digest), "content");
  cursor.expect_end();
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  std::copy(content.begin(), content.end(), head.content.bytes.begin());
  head.canonical.assign(canonical.begin(), canonical.end());
  head.key = key_of(canonical);
  return head;
}

}  // namespace kiln
