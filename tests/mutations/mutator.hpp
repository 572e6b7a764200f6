#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"

namespace kiln::mutations {

/// A file that a command takes, or one that it refuses in an interesting place.
struct Seed {
  std::string name;
  Bytes bytes;
};

/// What the seeds are written in. Text is changed by its words (JSON's strings, numbers and
/// punctuation) as well as by its bytes.
enum class Form { binary, text };

/// Changes seeds at random: bits, bytes, integers at the ends of their ranges, parts left out,
/// repeated, moved, cut off or taken from another seed; of texts also whole words. What input a
/// number gives depends on the seeds, the start value and the number alone.
class Mutator {
 public:
  Mutator(std::vector<Seed> seeds, Form form, std::uint64_t start);

  /// The input of a number; one in 16 is a seed as it is.
  Bytes input(std::uint64_t number) const;

 private:
  using Random = std::mt19937_64;

  const Seed& any(Random& random) const;
  Bytes changed_bytes(Bytes bytes, Random& random) const;
  Bytes changed_words(const Bytes& bytes, Random& random) const;
  void change_once(Bytes& bytes, Random& random) const;

  std::vector<Seed> seeds_;
  Form form_;
  std::uint64_t start_;
  std::vector<std::string> words_;  ///< of all seeds
};

}  // namespace kiln::mutations
