#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "blas/solution_sequence.hpp"

namespace kiln::blas {

/// Solution sequences that nobody is using at the moment, by shape. Who takes one owns it until it
/// is put back, so that threads never share a sequence: a second caller of the same shape builds
/// his own, and later both are here. Bounded; takes no lock. Thread-safe.
///
/// A set of `ways` places for each of `sets` hashes. A place that is being looked at is empty for
/// that moment; whoever else looks then misses, which costs him a build and nothing else.
class SequenceCache {
 public:
  SequenceCache() = default;
  ~SequenceCache() { clear(); }
  SequenceCache(const SequenceCache&) = delete;
  SequenceCache& operator=(const SequenceCache&) = delete;

  /// Null where there is none.
  std::unique_ptr<SolutionSequence> take(const Shape& shape);
  /// Takes the place of another one where its set is full.
  void put(std::unique_ptr<SolutionSequence> sequence);
  void clear();

 private:
  static constexpr std::size_t sets = 256, ways = 8;
  struct Place {
    std::atomic<std::uint64_t> hash{0};  ///< of what is here: a hint
    std::atomic<SolutionSequence*> sequence{nullptr};
  };
  using Set = std::array<Place, ways>;
  Set& set_of(std::uint64_t hash) { return all_[hash % sets]; }
  std::array<Set, sets> all_;
  std::atomic<unsigned> victim_{0};
};

}  // namespace kiln::blas
