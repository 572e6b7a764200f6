#include "store/pack_export.hpp"

#include <map>

namespace kiln {
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

Expected<Exported> export_pack(LocalStore& store,
                               const std::function<bool(const EntryInfo&)>& wanted,
                               const SigningKey* key) {
  const auto list = store.list();
  if (!list) return tl::unexpected(list.error());
  Exported exported;
  Contents contents;
  std::vector<PackEntry> entries;
  for (const auto& info : *list) {
    if (!wanted(info)) continue;
    const auto canonical = store.canonical_of(info.kind, info.key);
    if (!canonical && canonical.error().code() == Errc::not_found) continue;
    if (!canonical) {
      exported.left_out.push_back({info.kind, info.key, canonical.error().message()});
      continue;
    }
    auto found = store.look_up(info.kind, info.key, *canonical);
    if (found.entry)
      entries.push_back(pack_entry(info.kind, *canonical, *std::move(found.entry), contents));
    else
      exported.left_out.push_back({info.kind, info.key, found.reason});
    if (found.entry && key != nullptr) sign(entries.back(), *key);
  }
  exported.entries = entries.size();
  exported.contents = contents.size();
  auto pack = write_pack(std::move(entries));
  if (!pack) return tl::unexpected(pack.error());
  exported.pack = *std::move(pack);
  return exported;
}

Expected<Bytes> sign_pack(ByteView pack, const SigningKey& key) {
  auto entries = read_pack(pack);
  if (!entries) return tl::unexpected(entries.error());
  for (auto& entry : *entries) sign(entry, key);
  return write_pack(*std::move(entries));
}

}  // namespace kiln
