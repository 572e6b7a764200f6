#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/data/bytes.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "tune/measure/tunable.hpp"

/// How configurations are measured, whatever they are configurations of: a front end supplies a
/// Subject, and the one Bench checks, warms up, resets and times it.
namespace kiln::tune {

/// A configuration that cannot be used, where its Error's kind would not tell why.
class Unusable : public Error {
 public:
  Unusable(Failure failure, const std::string& message)
      : Error(Errc::bad_input, message), failure_(failure) {}
  Failure failure() const { return failure_; }

 private:
  Failure failure_;
};

/// What an Error says of the configuration that it was thrown for: an Unusable its own failure, one
/// that the compiler throws `build` with its first error, what the device or the runtime's checks
/// refuse `resources`, all else `launch`.
Report report_of(const Error& error);

/// A problem on a device, as a front end supplies it: inputs are in place once it is made, the
/// reference result at the latest after make_reference(). One thread.
class Subject {
 public:
  /// A configuration that is compiled and has all but its data.
  class Form {
   public:
    virtual ~Form() = default;
    /// Runs once on the data that results are compared in, and waits. Throws kiln::Error.
    virtual void run_once() = 0;
    /// Seconds that so many runs take one after another, by the device's clock. They may take
    /// several sets of the same data by turns (data_sets()). Throws kiln::Error.
    virtual double run(std::size_t launches) = 0;
  };
  /// Which data get their initial contents back.
  enum class Reset : std::uint8_t {
    compared,    ///< those that results are compared in
    accumulated  ///< those that runs read and write, where many runs would overflow them
  };

  virtual ~Subject() = default;
  /// The part of the reference result that the device computes. Called once, before make(). Throws
  /// kiln::Error.
  virtual void make_reference() {}
  virtual const SearchSpace& space() const = 0;
  /// What the record is kept under, with the problem's size.
  virtual Request request() const = 0;
  /// Throws kiln::Error: Unusable, or what report_of() can tell.
  virtual std::unique_ptr<Form> make(ConfigurationId id) = 0;
  virtual void reset(Reset which) = 0;
  /// How the compared data differ from the reference; "" where they do not.
  virtual std::string difference() = 0;
  /// What goes on record, but for the times.
  virtual kiln::Measurement measurement(ConfigurationId id) const {
    return {parameters_of(space(), id), request().problem_size, 0, {}, "kiln tune", {}};
  }
  /// Whether a measurement on record was made on just this problem, as far as its size does not
  /// tell.
  virtual bool is_of_this(const kiln::Measurement&) const { return true; }
};

/// Sets of the same data that runs take by turns, so that inputs of a small problem come from
/// memory, as they do in an application, and not from the nearest cache: as many as exceed the
/// caches, where that is not too much memory. At least one.
inline std::size_t data_sets(std::uint64_t bytes) {
  constexpr std::uint64_t most = 4, bytes_of_all = std::uint64_t{256} << 20;
  return std::clamp<std::uint64_t>(bytes_of_all / std::max<std::uint64_t>(bytes, 1), 1, most);
}

/// The first number that is farther than `bound` from what it should be, in words; "" where there
/// is none. Two NaNs are equal, and one is no number. For float and double.
template <class Number>
std::string difference_of(ByteView found, ByteView expected, double bound);

/// What a search's winner has to be faster than: the best configuration that a Resolver has on
/// record for a request, of those measurements that `is_of_this` takes; where it has none, what is
/// in use of what comes with Kiln. Nothing where the space has neither.
std::optional<ConfigurationId> best_known(
    const SearchSpace& space, const Request& request, Resolver& keeper, const Device& device,
    const std::function<bool(const kiln::Measurement&)>& is_of_this);

/// Measures configurations of a Subject. What was found right is kept ready, or made again and
/// warmed up by a run; every timed run starts from data as they were.
class SubjectBench final : public Bench {
 public:
  /// `keeper` is the Resolver that records go to, for this device.
  SubjectBench(std::unique_ptr<Subject> subject, Resolver& keeper, DevicePtr device)
      : subject_(std::move(subject)), keeper_(keeper), device_(std::move(device)) {}

  void begin() override { subject_->make_reference(); }
  Report prepare(ConfigurationId id) override;
  double run(ConfigurationId id, std::size_t launches) override;
  void record(ConfigurationId id, double seconds, double standard) override;
  std::optional<ConfigurationId> on_record() override;

 private:
  Subject::Form& keep(ConfigurationId id, std::unique_ptr<Subject::Form> form);
  void run_compared(Subject::Form& form);

  std::unique_ptr<Subject> subject_;
  Resolver& keeper_;
  DevicePtr device_;
  std::set<ConfigurationId> right_;  ///< those that were
  std::map<ConfigurationId, std::unique_ptr<Subject::Form>> ready_;
};

}  // namespace kiln::tune
