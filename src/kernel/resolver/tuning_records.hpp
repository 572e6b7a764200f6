#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/request/parameters.hpp"
#include "kernel/request/stored_record.hpp"
#include "kernel/resolver/generator.hpp"
#include "kernel/resolver/shipped_records.hpp"
#include "store/layer/layer.hpp"
#include "store/layer/memory_layer.hpp"

namespace kiln {

/// Which Parameters a Request gets, and what is put on record of them. Thread-safe; what was looked
/// up once is found without a lock.
class TuningRecords {
 public:
  /// `store` and `shipped` may be null. All outlive it.
  TuningRecords(Layer* store, const Generators& generators, ShippedRecords* shipped = nullptr)
      : store_(store), generators_(generators), shipped_(shipped) {}

  /// Adds a source; what was looked up before does not come from it.
  void mount(std::unique_ptr<ParameterSource> source);

  /// See Resolver for these.
  using Fits = std::function<bool(const Measurement&)>;
  ChosenParameters choose(const Request& request, const Device& device, const Fits& fits);
  void record(const Request& request, const Device& device,
              const std::vector<Measurement>& measurements);
  TuningRecord stored(const Request& request, const Device& device) const;
  /// Of what was never compared with the built-in Parameters on the device at hand.
  static constexpr double trusted_gain = 1.05;
  static constexpr const char* shipped_origin = "shipped record";
  /// Of what comes with Kiln and was measured on a device like the one at hand, with these kernels.
  static constexpr double shipped_gain = 1.02;

 private:
  /// Looked up by views, on every call of a front end: nothing is allocated for it.
  struct View {
    std::string_view family, problem_class, device;
    bool operator==(const View&) const = default;
  };
  struct Subject {
    std::string family, problem_class, device;
    View view() const { return {family, problem_class, device}; }
    bool operator==(const View& other) const { return view() == other; }
    bool operator==(const Subject&) const = default;
  };
  struct SubjectHash {
    std::size_t operator()(const View& subject) const noexcept;
    std::size_t operator()(const Subject& subject) const noexcept {
      return (*this)(subject.view());
    }
  };
  /// What is known of a family, problem class and device.
  struct Records {
    TuningRecord stored;
    /// What each source has, with its name.
    std::vector<std::pair<std::string, TuningRecord>> mounted;
  };
  /// What is used for a family, problem class and device that have nothing on record.
  struct Fallbacks {
    RelatedRecords related;
    std::vector<std::pair<std::string, TuningRecord>> classes;  ///< of this device
  };
  const Records& records(const Request& request, const Device& device);
  const Fallbacks& fallbacks(const Request& request, const Device& device, const Generator& maker);
  const std::vector<ShippedFind>& found_shipped(const Request& request, const Device& device,
                                                const Generator& maker);
  /// The Parameters that fallbacks() give; nothing where that is not to be trusted.
  std::optional<ChosenParameters> fallback(const Request& request, const Device& device,
                                           const Generator& maker, const Fits& usable);
  /// The same of what comes with Kiln.
  std::optional<ChosenParameters> shipped(const Request& request, const Device& device,
                                          const Generator& maker, const Fits& usable);

  Layer* store_;
  const Generators& generators_;
  ShippedRecords* shipped_;
  std::mutex sources_mutex_;
  std::vector<std::shared_ptr<const ParameterSource>> sources_;
  /// What is on record, nothing included: defaults are each Request's own.
  MemoryLayer<Subject, Records, SubjectHash> records_;
  /// Filled where the records above have nothing to use.
  MemoryLayer<Subject, Fallbacks, SubjectHash> fallbacks_;
  /// Filled where these have nothing, either: the nearest device's first.
  MemoryLayer<Subject, std::vector<ShippedFind>, SubjectHash> found_shipped_;
  std::mutex recording_;  ///< of record(): what it adds to must be what it replaces
};

}  // namespace kiln
