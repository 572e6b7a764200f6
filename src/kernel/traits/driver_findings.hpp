#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device/context.hpp"
#include "store/layer/layer.hpp"

// What drivers were found to do, by trying it: Kiln assumes nothing of a driver because of its name
// or version. Where something does not hold, Kiln goes the plain way, which every driver has.
namespace kiln {

/// The answer to one question about a driver.
struct Finding {
  bool holds = false;
  std::string reason;  ///< why not, or what was seen; one line, may be empty
  /// Whether it is true of the driver. Else the trial itself failed: it is not kept in the store,
  /// and another process tries again.
  bool lasts = true;
  bool operator==(const Finding&) const = default;
};

/// Answers by the names of what was asked, such as "variants" or "sin of float8".
using Findings = std::map<std::string, Finding>;

/// What is asked of drivers. A topic is tried at its first use, and kept by itself.
namespace topics {
inline constexpr std::string_view compiling = "compiling";  ///< kernel/apart/probe.hpp
inline constexpr std::string_view threads = "threads";      ///< pin_workers_as_found()
inline constexpr std::string_view lanes = "lanes";          ///< mesh/loop/lane_trial.hpp
inline constexpr std::string_view all[] = {compiling, threads, lanes};
}  // namespace topics

/// The findings of a process: in memory, and in the store as records of their own, by the driver
/// (Device::fingerprint), the processor's abilities and the C library: what a driver does depends
/// on all of them. Without a store the process remembers them, whatever object found them: a
/// program that makes many a Mesh without a store tries its driver once. Thread-safe.
class DriverFindings {
 public:
  /// What is remembered where there is no store.
  enum class WithoutStore { by_process, by_this };
  /// `store` may be null, and outlives this.
  explicit DriverFindings(Layer* store, WithoutStore otherwise = WithoutStore::by_process)
      : store_(store), shares_(store == nullptr && otherwise == WithoutStore::by_process) {}

  /// Makes those of `names` that are not known yet by one call of `probe`, which gets their names
  /// and answers each (a name that it leaves out is not kept and does not hold), then returns all
  /// that is known of the topic. One thread probes a topic and device at a time; a `probe` may ask
  /// for other topics, not for its own. What it throws goes to the caller, and nothing is kept.
  Findings get(std::string_view topic, const Device& device, const std::vector<std::string>& names,
               const std::function<Findings(const std::vector<std::string>& unknown)>& probe);

  /// What is known of a topic, with no trial.
  Findings known(std::string_view topic, const Device& device);

 private:
  /// What is known of one topic and device; `mutex` is held while it is read, tried or changed.
  struct Subject {
    std::mutex mutex;
    bool is_loaded = false;
    Findings findings;
  };
  Subject& subject(std::string_view topic, const Device& device);
  /// Of a subject whose mutex is held: from the store, or what the process remembers by now.
  Findings& load(Subject& subject, std::string_view topic, const Device& device);
  void keep(std::string_view topic, const Device& device, const Findings& findings);

  Layer* store_;
  const bool shares_;  ///< with the process
  std::mutex mutex_;
  std::map<std::string, Subject> subjects_;  ///< by topic and fingerprint
};

/// The processor's abilities as the system names them, and the C library's version: what a driver's
/// findings depend on but for itself. Read once a process.
const std::string& host_identity();

/// Pins a driver's threads (device/pinned_workers.hpp) where functions were found to run on threads
/// of its own: tried once a driver, a matter of a millisecond. Throws nothing: where it cannot be
/// tried, threads stay where they are. Thread-safe.
void pin_workers_as_found(DriverFindings& findings, const Context& context,
                          const DevicePtr& device);

}  // namespace kiln
