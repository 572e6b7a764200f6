#include "store/layer/layers.hpp"

#include "base/clock.hpp"

namespace kiln {
namespace {

/// Asks one layer, and notes its answer.
std::optional<Entry> ask(Layer& layer, Kind kind, const Key& key, ByteView canonical,
                         Lookup& into) {
  LayerAnswer answer{layer.name(), false, "", now_ns(), 0};
  Lookup found = layer.get(kind, key, canonical);
  answer.end_ns = now_ns();
  answer.answered = found.entry.has_value();
  answer.reason = found.reason;
  into.trail.push_back(std::move(answer));
  return std::move(found.entry);
}

}  // namespace

LayeredStore::LayeredStore(std::unique_ptr<Layer> local, std::vector<Below> below)
    : local_(std::move(local)), below_(std::move(below)) {}

Lookup LayeredStore::get(Kind kind, const Key& key, ByteView canonical) {
  Lookup lookup;
  if (local_) lookup.entry = ask(*local_, kind, key, canonical, lookup);
  for (auto at = below_.begin(); !lookup.entry && at != below_.end(); ++at) {
    lookup.entry = ask(*at->layer, kind, key, canonical, lookup);
    if (lookup.entry && at->copied && local_)
      (void)local_->put(kind, key, canonical, lookup.entry->content, lookup.entry->metadata);
  }
  if (!lookup.entry)
    for (const auto& answer : lookup.trail)
      lookup.reason += (lookup.reason.empty() ? "" : "; ") + answer.layer + ": " + answer.reason;
  return lookup;
}

void LayeredStore::write_below(Kind kind, const Key& key, ByteView canonical, ByteView content,
                               const Metadata& metadata) {
  for (auto& below : below_)
    if (below.written) (void)below.layer->put(kind, key, canonical, content, metadata);
}

Expected<void> LayeredStore::put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                                 const Metadata& metadata) {
  write_below(kind, key, canonical, content, metadata);
  if (!local_) return fail(Errc::io, "there is no local store");
  return local_->put(kind, key, canonical, content, metadata);
}

Expected<void> LayeredStore::update(Kind kind, const Key& key, ByteView canonical,
                                    const Change& change) {
  std::optional<Entry> written;
  const auto noted = [&](const std::optional<Entry>& present) { return written = change(present); };
  auto done = guarded([&]() -> Expected<void> {
    if (local_) return local_->update(kind, key, canonical, noted);
    // There is nothing to change, so the new entry stands for itself.
    noted(std::nullopt);
    return fail(Errc::io, "there is no local store");
  });
  // Records change with every run and are a machine's own; programs and plans are the fleet's.
  if ((done || !local_) && written && kind != Kind::record)
    write_below(kind, key, canonical, written->content, written->metadata);
  return done;
}

std::string LayeredStore::near_miss(Kind kind, ByteView canonical) {
  return local_ ? local_->near_miss(kind, canonical) : std::string();
}

Reservation LayeredStore::reserve(const Key& key, std::chrono::milliseconds bound) {
  return local_ ? local_->reserve(key, bound) : Reservation();
}

Lookup ScratchStore::get(Kind kind, const Key& key, ByteView canonical) {
  if (kind == Kind::record && base_) return base_->get(kind, key, canonical);
  Lookup lookup = scratch_->get(kind, key, canonical);
  if (lookup.entry || !base_) return lookup;
  return base_->get(kind, key, canonical);
}

}  // namespace kiln
