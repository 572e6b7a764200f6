#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/request/request.hpp"
#include "kernel/resolver/resolver.hpp"
#include "tune/measure/outcome.hpp"

/// What a front end supplies: a problem with a space of configurations, and what compiles and
/// measures them on a device.
namespace kiln::tune {

/// An Outcome with the reason for people: the compiler's first error, what differed.
struct Report {
  Outcome outcome;
  std::string message;
  double compiling = 0, running = 0;  ///< seconds that this took, as far as it is known
  bool elsewhere = false;             ///< measured by another machine, which may say anything
};

/// Compiles all that a configuration needs, in a process next to the one that measures, and leaves
/// it in the Resolver's store, where that one finds it. Throws kiln::Error: the configuration is
/// then not measured. One thread.
using Compile = std::function<void(ConfigurationId)>;

/// What the process that measures asks for: SubjectBench (bench.hpp). One thread at a time.
class Bench {
 public:
  virtual ~Bench() = default;
  /// What must be there before anything is prepared and may take as long as a candidate: the
  /// reference's compile and run. Called once. Throws kiln::Error where the problem itself cannot
  /// run.
  virtual void begin() {}
  /// Compiles a configuration, runs it once on the inputs and compares what it wrote with the
  /// reference; says why it can not be used, else a time, which counts for nothing. What it
  /// throws is a failure of `build`, `resources` or `launch`, by its kind.
  virtual Report prepare(ConfigurationId id) = 0;
  /// Seconds that `launches` runs of a prepared configuration take on the device's own clock, one
  /// after another. Throws kiln::Error.
  virtual double run(ConfigurationId id, std::size_t launches) = 0;
  /// Puts a configuration's Parameters on record with its time and the standard configuration's (0:
  /// not known) in the same search, in seconds: from now on they are used where this problem comes.
  /// Throws kiln::Error.
  virtual void record(ConfigurationId id, double seconds, double standard) = 0;
  /// What is used for this problem now because it is on record, if the space has it.
  virtual std::optional<ConfigurationId> on_record() { return std::nullopt; }
};

/// What is tuned, in parts that can be compared: a search that is nearly the same can be found by
/// it.
struct TuningProblem {
  std::string family;
  std::int64_t version = 0;   ///< of the family's generator
  std::string problem_class;  ///< as Request's
  std::int64_t size = 0;      ///< as Request::problem_size
  bool operator==(const TuningProblem&) const = default;
  static TuningProblem of(const Request& request) {
    return {request.family, request.version, request.problem_class, request.problem_size};
  }
};

/// What a front end registers for the tuner: a search space, and how to measure a configuration of
/// it. Pure data but for open(); knows its device by its facts, not by a handle, since
/// measuring happens in a process of its own.
class Tunable {
 public:
  virtual ~Tunable() = default;
  /// For people: "sgemm, m 1024, n 1024, k 1024, by columns".
  virtual std::string label() const = 0;
  /// All that makes results comparable but the device: family, version, problem. Two Tunables of
  /// one identity may share their results.
  virtual std::string identity() const = 0;
  /// The same in parts, as tuning records have them.
  virtual TuningProblem problem() const { return {identity(), 0, "", 0}; }
  /// Problem classes of the family whose searches may be near this one's.
  virtual std::vector<std::string> classes_like() const { return {}; }
  virtual const SearchSpace& space() const = 0;
  /// What is used where nothing is on record, if the space has it: measured first, so that what
  /// is found is never worse.
  virtual std::optional<ConfigurationId> standard() const = 0;
  /// In the process that measures. Resolver and queue (profiled, in order) outlive the Bench.
  /// Throws kiln::Error where the problem itself cannot run.
  virtual std::unique_ptr<Bench> open(Resolver& resolver, const ContextPtr& context,
                                      const Queue& queue) const = 0;
  /// The same for compiling ahead; empty where configurations cannot be compiled without a Bench.
  virtual Compile open_compiler(Resolver&, const ContextPtr&, const Queue&) const { return {}; }
};

}  // namespace kiln::tune
