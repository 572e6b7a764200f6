#include "store/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln {
namespace {

constexpr std::string_view pack_name = "pack";
constexpr std::string_view pack_magic = "KILNPACK";
constexpr std::uint32_t pack_version = 1;
constexpr std::size_t head_size = pack_magic.size() + sizeof pack_version;

auto place_of(const PackEntry& entry) { return std::tie(entry.head.kind, entry.head.key); }

/// A content of the pack while it is read.
struct Content {
  Digest digest;
  ByteView bytes;
  std::size_t at = 0;
  bool used = false;
};

void check_magic(Cursor& cursor) {
  cursor.expect_magic(pack_magic, "not a Kiln pack");
  cursor.expect_version(pack_version);
}

std::vector<PackEntry> take_entries(Cursor& cursor) {
  std::vector<PackEntry> entries;
  const auto count = cursor.count(entry_form::smallest_head + 1, "entries");
  entries.reserve(count);
  while (cursor.ok() && entries.size() < count) {
    const std::size_t at = cursor.at();
    PackEntry entry;
    entry.head = entry_form::take_head(cursor).head;
    entry.signature = entry_form::take_signature(cursor);
    if (!entries.empty() && place_of(entries.back()) >= place_of(entry))
      cursor.refuse(at, "entry", "it does not follow the one before it by kind and key");
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Of so many entries: each content is some entry's, which bounds the memory of this table.
std::vector<Content> take_contents(Cursor& cursor, std::size_t entries) {
  std::vector<Content> contents;
  const std::size_t at = cursor.at();
  const auto count = cursor.count(sizeof(std::uint64_t), "contents");
  if (count > entries)
    cursor.refuse(at, "contents", fmt::format("{} found, at most {} expected", count, entries));
  if (cursor.ok()) contents.reserve(count);
  while (cursor.ok() && contents.size() < count) {
    Content content;
    content.at = cursor.at();
    content.bytes = cursor.take(cursor.number<std::uint64_t>("content"), "content");
    if (!cursor.ok()) break;
    content.digest = blake2b(content.bytes);
    if (!contents.empty() && contents.back().digest >= content.digest)
      cursor.refuse(content.at, "content", "it does not follow the one before it by digest");
    contents.push_back(content);
  }
  return contents;
}

/// Gives each entry its content. No content may be missing or left over.
void connect(Cursor& cursor, std::vector<PackEntry>& entries, std::vector<Content>& contents) {
  for (auto& entry : entries) {
    const auto found = std::lower_bound(
        contents.begin(), contents.end(), entry.head.content,
        [](const Content& content, const Digest& digest) { return content.digest < digest; });
    if (found == contents.end() || found->digest != entry.head.content ||
        found->bytes.size() != entry.head.size)
      return cursor.refuse(cursor.at(), "contents",
                           fmt::format("that of the {} {} is not among them",
                                       name_of(entry.head.kind), entry.head.key.hex()));
    entry.content = found->bytes;
    found->used = true;
  }
  for (const auto& content : contents)
    if (!content.used) return cursor.refuse(content.at, "content", "no entry uses it");
}

}  // namespace

Expected<Bytes> write_pack(std::vector<PackEntry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  const auto same =
      std::adjacent_find(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return place_of(a) == place_of(b); });
  if (same != entries.end())
    throw Error(Errc::internal, "two entries of a pack have the key " + same->head.key.hex());

  Bytes bytes;
  append(bytes, pack_magic);
  append_le(bytes, pack_version);
  append_le(bytes, static_cast<std::uint32_t>(entries.size()));
  std::map<Digest, ByteView> contents;
  for (const auto& entry : entries) {
    append_block(bytes, encode_head(entry.head));
    entry_form::append_signature(bytes, entry.signature);
    contents.emplace(entry.head.content, entry.content);
  }
  std::uint64_t size = bytes.size() + sizeof(std::uint32_t) + sizeof(Digest);
  for (const auto& [digest, content] : contents) size += sizeof(std::uint64_t) + content.size();
  if (size > largest_pack)
    return fail(Errc::bad_input,
                fmt::format("the pack would have {} bytes; at most {} are written: choose fewer "
                            "entries",
                            size, largest_pack));
  bytes.reserve(static_cast<std::size_t>(size));
  append_le(bytes, static_cast<std::uint32_t>(contents.size()));
  for (const auto& [digest, content] : contents) {
    append_le(bytes, static_cast<std::uint64_t>(content.size()));
    append(bytes, content);
  }
  append(bytes, blake2b(bytes).bytes);
  return bytes;
}

Expected<std::vector<PackEntry>> read_pack(ByteView bytes) {
  {
    Cursor cursor(bytes, pack_name);
    check_magic(cursor);
    if (cursor.ok() && cursor.left() < sizeof(Digest))
      cursor.refuse(cursor.at(), "end", "the pack is cut short");
    if (!cursor.ok()) return tl::unexpected(cursor.error());
  }
  const ByteView covered = bytes.first(bytes.size() - sizeof(Digest));
  Cursor cursor(covered, pack_name);
  cursor.take(head_size, "magic");
  // First of all: what was cut or changed on its way is one thing, with one message.
  if (!std::ranges::equal(blake2b(covered).bytes, bytes.last(sizeof(Digest))))
    cursor.refuse(covered.size(), "digest",
                  "it is not that of the bytes before it: the pack is damaged or cut short");
  auto entries = take_entries(cursor);
  auto contents = take_contents(cursor, entries.size());
  cursor.expect_end();
  if (cursor.ok()) connect(cursor, entries, contents);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return entries;
}

namespace {

void sign(PackEntry& entry, const SigningKey& key) {
  entry.signature = key.sign(encode_head(entry.head));
}

/// Contents by their digest, each held once. References to them last.
using Contents = std::map<Digest, Bytes>;

PackEntry pack_entry(Kind kind, ByteView canonical, Entry found, Contents& contents) {
  PackEntry entry{
      head_of(kind, canonical, found.content, found.metadata), found.metadata.signature, {}};
  entry.content = contents.try_emplace(entry.head.content, std::move(found.content)).first->second;
  return entry;
}

}  // namespace

Expected<ExportedPack> export_pack(LocalStore& store,
                                   const std::function<bool(const EntryInfo&)>& wanted,
                                   const SigningKey* key) {
  return guarded([&] {
    ExportedPack exported;
    Contents contents;
    std::vector<PackEntry> entries;
    for (const auto& info : value_or_throw(store.list())) {
      if (!wanted(info)) continue;
      const auto canonical = store.canonical_of(info.kind, info.key);
      if (!canonical && canonical.error().code() == Errc::not_found) continue;
      if (canonical && are_of_findings(*canonical)) continue;
      auto found = canonical ? store.look_up(info.kind, info.key, *canonical)
                             : Lookup{{}, canonical.error().message()};
      if (!found.entry) {
        exported.left_out.push_back({info.kind, info.key, found.reason});
        continue;
      }
      entries.push_back(pack_entry(info.kind, *canonical, *std::move(found.entry), contents));
      if (key != nullptr) sign(entries.back(), *key);
    }
    exported.entries = entries.size();
    exported.contents = contents.size();
    exported.pack = value_or_throw(write_pack(std::move(entries)));
    return exported;
  });
}

Expected<Bytes> sign_pack(ByteView pack, const SigningKey& key) {
  return read_pack(pack).and_then([&](std::vector<PackEntry> entries) {
    for (auto& entry : entries) sign(entry, key);
    return write_pack(std::move(entries));
  });
}

namespace {

struct Decision {
  ImportOutcome outcome = ImportOutcome::imported;
  std::string reason = {};
};

/// Equal but for where they came from.
bool same_entry(const Entry& present, const PackEntry& entry) {
  Metadata stored = present.metadata;
  stored.made_elsewhere = false;
  stored.signature.reset();
  return stored == entry.head.metadata && std::ranges::equal(present.content, entry.content);
}

Decision decide(const std::optional<Entry>& present, const PackEntry& entry) {
  if (!present) return {};
  const Metadata& stored = present->metadata;
  const bool gains_signature = stored.made_elsewhere && !stored.signature && entry.signature;
  if (same_entry(*present, entry))
    return {gains_signature ? ImportOutcome::imported : ImportOutcome::present};
  if (!stored.made_elsewhere) return {ImportOutcome::kept, "this machine made its own"};
  if (stored.signature && !entry.signature)
    return {ImportOutcome::kept, "the one in the store is signed, this one is not"};
  return {};
}

/// Decides and stores as one step, so that an entry which another process makes meanwhile stays.
Expected<Decision> take(LocalStore& store, const PackEntry& entry, ImportMode mode) {
  const EntryHead& head = entry.head;
  if (mode == ImportMode::dry_run)
    return decide(store.look_up(head.kind, head.key, head.canonical).entry, entry);
  Decision decision;
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    decision = decide(present, entry);
    if (decision.outcome != ImportOutcome::imported) return std::nullopt;
    return Entry{Bytes(entry.content.begin(), entry.content.end()),
                 metadata_from_elsewhere(head, entry.signature)};
  };
  if (auto done = store.update(head.kind, head.key, head.canonical, change); !done)
    return tl::unexpected(done.error());
  return decision;
}

}  // namespace

const char* name_of(ImportOutcome outcome) noexcept {
  constexpr const char* names[] = {"imported", "present", "kept", "refused"};
  const auto index = static_cast<std::size_t>(outcome);
  return index < std::size(names) ? names[index] : "unknown";
}

std::string refusal_of(const PackEntry& entry, const Trust& trust) {
  if (are_of_findings(entry.head.canonical)) return findings_refusal;
  return trust.refusal(entry.signature, encode_head(entry.head));
}

Expected<void> import_pack(LocalStore& store, const std::vector<PackEntry>& pack,
                           const Trust& trust, ImportMode mode, const ImportReport& report) {
  for (const auto& entry : pack) {
    Expected<Decision> decision = Decision{ImportOutcome::refused, refusal_of(entry, trust)};
    if (decision->reason.empty()) decision = take(store, entry, mode);
    if (!decision) return tl::unexpected(decision.error());
    report(entry, decision->outcome, decision->reason);
  }
  return {};
}

}  // namespace kiln
