#include "store/layer/entry_form.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace kiln {
namespace {

// What is kept of a maker's texts.

constexpr std::string_view cut_mark = "\n[cut]";

bool belongs_to_path(char c) {
  constexpr std::string_view signs = "._-+~@%/,=";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80 || signs.find(c) != std::string_view::npos;
}

/// Whether a slash here can be the first of an absolute path: after nothing, after a sign that no
/// relative path ends in, or after an option's letter ("-I/usr/include").
bool may_begin(std::string_view text, std::size_t slash) {
  if (slash == 0) return true;
  const char before = text[slash - 1];
  if (before == '=' || before == ',' || !belongs_to_path(before)) return true;
  const bool option = slash >= 2 && text[slash - 2] == '-' && (before == 'I' || before == 'L');
  return option && (slash == 2 || !belongs_to_path(text[slash - 3]));
}

/// At most the bytes that are kept, not ending inside a character.
std::string bounded(std::string text) {
  if (text.size() <= Metadata::longest_detail) return text;
  std::size_t end = Metadata::longest_detail - cut_mark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text.append(cut_mark);
}

}  // namespace

std::string without_folders(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '/' || !may_begin(text, at)) {
      kept += text[at++];
      continue;
    }
    std::size_t end = at, last = at, parts = 0;
    for (; end < text.size() && belongs_to_path(text[end]) && text[end] != ',' && text[end] != '=';
         ++end) {
      if (text[end] == '/') last = end;
      // A part begins at each slash that something other than a slash follows.
      parts += text[end] == '/' && end + 1 < text.size() && text[end + 1] != '/' &&
               belongs_to_path(text[end + 1]);
    }
    if (parts < 2) last = at - 1;  // "/ 2", "//", "/dev": no user's folder
    kept += text.substr(last + 1, end - last - 1);
    at = end;
  }
  return kept;
}

Metadata kept_metadata(const Metadata& given) {
  Metadata kept = given;
  // The database keeps no NaN, and no sign of a zero; a checksum over either would not hold.
  if (!std::isfinite(kept.cost_seconds) || kept.cost_seconds <= 0) kept.cost_seconds = 0;
  kept.options = bounded(without_folders(given.options));
  kept.build_log = bounded(without_folders(given.build_log));
  return kept;
}

// The head of an entry.

namespace {

constexpr std::string_view head_name = "entry head";
// Nothing else that Kiln signs may begin so: a signature over a head can never be one over another
// thing.
constexpr std::string_view head_magic = "Kiln entry head\n";
constexpr std::uint32_t version = 1;

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

/// Whether what may be absent follows: 1, or 0 where it does not.
bool is_given(Cursor& cursor, std::string_view field) {
  const std::size_t at = cursor.at();
  const auto given = cursor.number<std::uint8_t>(field);
  if (given > 1) cursor.refuse(at, field, fmt::format("{} found, 0 or 1 expected", given));
  return given == 1;
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
    append_block(bytes, *text);
  append_block(bytes, head.canonical);
  append_le(bytes, head.size);
  append(bytes, head.content.bytes);
  return bytes;
}

Expected<EntryHead> decode_head(ByteView bytes) {
  Cursor cursor(bytes, head_name);
  cursor.expect_magic(head_magic, "not the head of an entry");
  cursor.expect_version(version);
  EntryHead head;
  head.kind = take_kind(cursor);
  head.metadata.schema = cursor.number<std::uint32_t>("schema");
  head.metadata.cost_seconds = take_cost(cursor);
  if (is_given(cursor, "source")) head.metadata.source = cursor.value<Digest>("source");
  head.metadata.label = take_text(cursor, Layer::largest_text, "label");
  head.metadata.fingerprint = take_text(cursor, Layer::largest_text, "fingerprint");
  head.metadata.options = take_detail(cursor, "options");
  head.metadata.build_log = take_detail(cursor, "build log");
  const ByteView canonical = take_block(cursor, Layer::largest_canonical, "canonical bytes");
  head.size = cursor.number<std::uint64_t>("size");
  head.content = cursor.value<Digest>("content");
  cursor.expect_end();
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  head.canonical.assign(canonical.begin(), canonical.end());
  head.key = key_of(canonical);
  return head;
}

// What single entries and packs share.

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

std::optional<Signature> take_signature(Cursor& cursor) {
  if (!is_given(cursor, "signature")) return std::nullopt;
  Signature signature;
  signature.signer = cursor.value<PublicKey>("signer");
  signature.bytes = cursor.value<std::array<std::byte, 64>>("signature");
  return signature;
}

void append_signature(Bytes& to, const std::optional<Signature>& signature) {
  append_le(to, static_cast<std::uint8_t>(signature.has_value()));
  if (!signature) return;
  append(to, signature->signer.bytes);
  append(to, signature->bytes);
}

}  // namespace entry_form

// Single entries.

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
  append_block(bytes, head_bytes);
  entry_form::append_signature(bytes, signature);
  // Over what stands before: the content has its own in the head.
  append(bytes, blake2b(bytes).bytes);
  append(bytes, content);
  return bytes;
}

Expected<DecodedEntry> decode_entry(ByteView bytes) {
  Cursor cursor(bytes, entry_name);
  cursor.expect_magic(entry_magic, "not an entry of a Kiln store");
  entry_form::Head head = entry_form::take_head(cursor);
  DecodedEntry entry;
  entry.signature = entry_form::take_signature(cursor);
  const std::size_t covered = cursor.at();
  const Digest digest = cursor.value<Digest>("digest");
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
