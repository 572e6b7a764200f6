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
#include "store/layer/layer.hpp"
#include "store/layer/memory_layer.hpp"

namespace kiln {

/// Which Parameters a Request gets, and what is put on record of them. Thread-safe; what was looked
/// up once is found without a lock.
class TuningRecords {
 public:
  /// `store` may be null. Both outlive it.
  TuningRecords(Layer* store, const Generators& generators)
      : store_(store), generators_(generators) {}

  /// Adds a source; what was looked up before does not come from it.
  void mount(std::unique_ptr<ParameterSource> source);

  /// See Resolver for these.
  using Fits = std::function<bool(const Measurement&)>;
  ChosenParameters choose(const Request& request, const Device& device, const Fits& fits);
  void record(const Request& request, const Device& device,
              const std::vector<Measurement>& measurements);
  TuningRecord stored(const Request& request, const Device& device) const;
  static constexpr double trusted_gain = 1.05;

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
  /// The Parameters that these give; nothing where that is not to be trusted.
  std::optional<ChosenParameters> fallback(const Request& request, const Device& device,
                                           const Generator& maker, const Fits& usable);

  Layer* store_;
  const Generators& generators_;
  std::mutex sources_mutex_;
  std::vector<std::shared_ptr<const ParameterSource>> sources_;
  /// What is on record, nothing included: defaults are each Request's own.
  MemoryLayer<Subject, Records, SubjectHash> records_;
  /// Filled where the records above have nothing to use.
  MemoryLayer<Subject, Fallbacks, SubjectHash> fallbacks_;
  std::mutex recording_;  ///< of record(): what it adds to must be what it replaces
};

}  // namespace kiln
