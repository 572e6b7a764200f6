#include "mesh/plan/map_digests.hpp"

namespace kiln::mesh {
namespace {

Digest digest_of(ByteView bytes, MapDigests::Kind kind) {
  if (kind == MapDigests::Kind::strong) return blake2b(bytes);
  const Checksum sum = xxh3(bytes);
  Digest digest;
  std::memcpy(digest.bytes.data(), &sum.low, 8);
  std::memcpy(digest.bytes.data() + 8, &sum.high, 8);
  return digest;
}

}  // namespace

std::size_t MapDigests::NameHash::operator()(const Name& name) const noexcept {
  return static_cast<std::size_t>((name.identity * 0x9e3779b97f4a7c15u) ^
                                  (name.version * 0xc2b2ae3d27d4eb4fu) ^ name.rows);
}

template <class Compute>
Digest MapDigests::remembered(Name name, Compute&& compute) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
  }
  // Outside the lock: others need not wait, and two that compute the same get the same.
  const Digest digest = compute();
  const std::lock_guard lock(mutex_);
  ++computed_;
  if (known_.emplace(name, digest).second) by_age_.push_back(std::move(name));
  while (by_age_.size() > most_) {
    known_.erase(by_age_.front());
    by_age_.pop_front();
  }
  return digest;
}

Digest MapDigests::of_columns(const MapView& map, const std::vector<std::uint32_t>& components,
                              std::size_t rows, Kind kind) {
  return remembered({map.identity, map.version, components, rows, kind, false}, [&] {
    if (components.size() == map.arity)
      return digest_of(std::as_bytes(map.values.first(rows * map.arity)), kind);
    std::vector<std::int32_t> indexed;
    indexed.reserve(rows * components.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (const auto component : components)
        indexed.push_back(map.values[row * map.arity + component]);
    return digest_of(std::as_bytes(std::span<const std::int32_t>(indexed)), kind);
  });
}

Digest MapDigests::of_list(std::span<const std::int32_t> list, std::uint64_t identity,
                           std::uint64_t version, Kind kind) {
  return remembered({identity, version, {}, list.size(), kind, true},
                    [&] { return digest_of(std::as_bytes(list), kind); });
}

void MapDigests::forget(std::uint64_t identity) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& entry) { return entry.first.identity == identity; });
  std::erase_if(by_age_, [&](const Name& name) { return name.identity == identity; });
}

std::size_t MapDigests::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

}  // namespace kiln::mesh
