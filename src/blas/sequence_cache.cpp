#include "blas/sequence_cache.hpp"

namespace kiln::blas {

std::unique_ptr<SolutionSequence> SequenceCache::take(const Shape& shape) {
  const std::uint64_t hash = shape.hash();
  for (auto& place : set_of(hash)) {
    if (place.hash.load(std::memory_order_relaxed) != hash) continue;
    std::unique_ptr<SolutionSequence> found(
        place.sequence.exchange(nullptr, std::memory_order_acquire));
    if (found && found->shape() == shape) return found;
    if (found) put(std::move(found));
  }
  return nullptr;
}

void SequenceCache::put(std::unique_ptr<SolutionSequence> sequence) {
  const std::uint64_t hash = sequence->shape().hash();
  auto& set = set_of(hash);
  SolutionSequence* ours = sequence.release();
  const auto try_place = [&](Place& place) {
    SolutionSequence* nobody = nullptr;
    if (!place.sequence.compare_exchange_strong(nobody, ours, std::memory_order_release))
      return false;
    place.hash.store(hash, std::memory_order_relaxed);
    return true;
  };
  for (auto& place : set)
    if (try_place(place)) return;
  // Full: one after another has to go.
  auto& place = set[victim_.fetch_add(1, std::memory_order_relaxed) % ways];
  delete place.sequence.exchange(ours, std::memory_order_acq_rel);
  place.hash.store(hash, std::memory_order_relaxed);
}

void SequenceCache::clear() {
  for (auto& set : all_)
    for (auto& place : set) delete place.sequence.exchange(nullptr, std::memory_order_acquire);
}

}  // namespace kiln::blas
