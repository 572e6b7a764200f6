#pragma once

#include <memory>
#include <streambuf>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "tune/measure/outcome.hpp"
#include "tune/space/search_space.hpp"

/// Spaces that were measured before, by whomever: reading them from files, and timing their
/// configurations without a device.
namespace kiln::tune {

/// The characters of a file that may be compressed (gzip), one after the other, without holding all
/// of them. Reads the bytes that it was made with, which must outlive it. What is damaged ends
/// the text early and shows in error(). Not thread-safe.
class TextSource : public std::streambuf {
 public:
  /// A compressed file of few bytes may stand for a huge text: more than `most` characters end it.
  TextSource(ByteView bytes, std::uint64_t most);
  ~TextSource() override;

  /// Why the text ended before its end; empty where it did not.
  const std::string& error() const { return error_; }

 private:
  struct Stream;
  int_type underflow() override;
  int_type refuse(std::string why);

  ByteView left_;
  std::uint64_t most_, given_ = 0;
  std::unique_ptr<Stream> stream_;  ///< null: not compressed
  std::string buffer_, error_;
};

/// A space of which every configuration was measured, or as many as a file holds: what strategies
/// can be compared on without a device.
struct MeasuredSpace {
  std::string device, kernel;     ///< as the file says; may be empty
  SearchSpace space;              ///< of the measured configurations alone
  std::vector<Outcome> outcomes;  ///< by ConfigurationId; times in milliseconds
  double fastest = 0;             ///< the least time

  std::size_t failures() const;
  /// All of it, as what was measured on another device.
  std::vector<Trial> trials() const;
};

/// Reads a Kernel Tuner cache file or a T4 results file, compressed (gzip) or not, whatever its
/// name. `name` is part of errors, which are one line: "NAME: byte 17: …", "NAME: configuration
/// '16,1': …". The text may take 4 GiB; only what counts of it is held. docs/formats/tuning.md
/// has both layouts. A file without one time is an error.
Expected<MeasuredSpace> read_measured_space(ByteView bytes, std::string_view name);

/// A measured space as a bad machine would show it: each sample is off by up to a share of its
/// true time, evenly, and from a certain sample on everything takes a multiple of it.
class NoisySampler : public Sampler {
 public:
  struct Trouble {
    double noise = 0.2;         ///< of the true time, to either side
    std::size_t slow_from = 0;  ///< the sample, from 0, with which the slow-down begins
    double slow_down = 1;       ///< a factor
  };

  NoisySampler(const MeasuredSpace& measured, const Trouble& trouble, std::uint64_t seed)
      : measured_(measured), trouble_(trouble), random_(seed) {}

  Outcome sample(ConfigurationId id, std::size_t launches) override {
    const Outcome& truth = measured_.outcomes[id];
    const std::size_t number = taken_++;
    if (!truth.ok()) return truth;
    const double off = 1 + trouble_.noise * (2 * random_.unit() - 1);
    const double slow = number >= trouble_.slow_from ? trouble_.slow_down : 1;
    return Outcome::of_time(truth.time * off * slow * static_cast<double>(launches));
  }

 private:
  const MeasuredSpace& measured_;
  Trouble trouble_;
  Random random_;
  std::size_t taken_ = 0;
};

}  // namespace kiln::tune
