#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tune/measure/tunable.hpp"
#include "tune/support.hpp"

namespace kiln::tune::testing {

/// A bench without a device: what happens with a configuration is what its number says.
class FakeBench : public Bench {
 public:
  enum : ConfigurationId {
    crashes = 3,
    hangs = 5,
    is_wrong = 7,
    does_not_build = 9,
    dies_later = 11
  };

  Report prepare(ConfigurationId id) override {
    if (id == crashes) ::raise(SIGSEGV);
    while (id == hangs) ::pause();
    if (id == is_wrong) return {Outcome::of(Failure::wrong_result), "number 3 is 4, expected 5"};
    if (id == does_not_build)
      throw Error(Errc::build, "line 1: note\nline 2: error: no such type\nline 3");
    return {Outcome::of_time(1), ""};
  }
  double run(ConfigurationId id, std::size_t launches) override {
    if (id == dies_later) ::abort();
    return time_of(id) * static_cast<double>(launches);
  }
  void record(ConfigurationId id, double seconds, double) override {
    if (id == crashes) throw Error(Errc::io, "cannot be recorded");
    recorded_ = {id, seconds};
  }
  /// 20 is the fastest.
  static double time_of(ConfigurationId id) {
    const double off = static_cast<double>(id) - 20;
    return 1e-3 * (1 + off * off / 100);
  }

 private:
  std::pair<ConfigurationId, double> recorded_;
};

/// All right until one configuration breaks the device for its process: whatever comes behind it
/// fails.
class PoisonedBench : public FakeBench {
 public:
  enum : ConfigurationId { poisons = 14, poisons_later = 60 };
  explicit PoisonedBench(Failure as) : as_(as) {}

  Report prepare(ConfigurationId id) override {
    poisoned_ |= id == poisons;
    if (!poisoned_) return {Outcome::of_time(1), ""};
    return {Outcome::of(as_), "clFinish: CL_OUT_OF_RESOURCES (-5)"};
  }
  double run(ConfigurationId id, std::size_t launches) override {
    poisoned_ |= id == poisons_later;
    if (poisoned_) throw Error(Errc::device, "clFinish: CL_INVALID_COMMAND_QUEUE (-36)");
    return time_of(id) * static_cast<double>(launches);
  }

 private:
  Failure as_;
  bool poisoned_ = false;
};

/// The device vanishes with one configuration, for every process: a file says so.
class LosingBench : public FakeBench {
 public:
  LosingBench(std::filesystem::path mark, ConfigurationId last)
      : mark_(std::move(mark)), last_(last) {
    if (std::filesystem::exists(mark_)) throw Error(Errc::not_found, "no such device");
  }
  Report prepare(ConfigurationId id) override {
    if (id == last_) std::ofstream(mark_) << "lost";
    if (std::filesystem::exists(mark_)) throw Error(Errc::device, "CL_DEVICE_NOT_AVAILABLE");
    return {Outcome::of_time(1), ""};
  }

 private:
  std::filesystem::path mark_;
  ConfigurationId last_;
};

/// 40 configurations, X = 0 to 39.
class FakeTunable : public Tunable {
 public:
  FakeTunable() : space_(make()) {}
  std::string label() const override { return "a fake"; }
  std::string identity() const override { return "fake 1"; }
  const SearchSpace& space() const override { return space_; }
  std::optional<ConfigurationId> standard() const override { return 0; }
  std::unique_ptr<Bench> open(Resolver&, const ContextPtr&, const Queue&) const override {
    return std::make_unique<FakeBench>();
  }

 private:
  static SearchSpace make() {
    Parameter x{"X", {}};
    for (int i = 0; i < 40; ++i) x.values.emplace_back(i);
    return value_or_throw(SearchSpace::build({x}, {}));
  }
  SearchSpace space_;
};

}  // namespace kiln::tune::testing
