#pragma once

#include <memory>
#include <string>

#include "tune/measure/sampler.hpp"

namespace kiln::tune {

/// One configuration of a Tunable, made ready: compiled, with its arguments bound. Owned and used
/// by one thread.
class Candidate {
 public:
  virtual ~Candidate() = default;
  /// Runs it once and compares what it computes with the reference. Failure::none: equal, within
  /// what the front end allows.
  virtual Failure verify() = 0;
  /// The device's time for `launches` runs right after one another, in seconds, together.
  virtual Outcome time(std::size_t launches) = 0;
};

/// What a front end registers for the tuner: a space, and how to make a candidate of it. The tuner
/// knows nothing else of kernels.
class Tunable {
 public:
  virtual ~Tunable() = default;
  /// For people and records: "gemm float 1024x1024x1024".
  virtual std::string name() const = 0;
  virtual const SearchSpace& space() const = 0;
  /// The configuration that is used without tuning, where it is in the space: measured first, so
  /// that a search that is cut short never loses to it.
  virtual std::optional<ConfigurationId> built_in() const = 0;
  /// Why a configuration cannot run here, as far as that can be told before a compile.
  virtual std::optional<std::string> refusal(ConfigurationId id) const = 0;
  /// Compiles and binds. Errors: what the compiler or the driver says. May be called by several
  /// threads at once.
  virtual Expected<std::unique_ptr<Candidate>> make(ConfigurationId id) = 0;
  /// Computes what all candidates are compared with; called once, before the first verify().
  virtual Expected<void> prepare_reference() = 0;
};

}  // namespace kiln::tune
