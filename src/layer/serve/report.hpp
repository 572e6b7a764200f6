#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "kernel/resolver/explain.hpp"

// What the layer has done, for the user who asks: KILN_LAYER_REPORT names a file that gets a text
// for each program that was built and each variant that was learnt; where its name ends in .jsonl a
// line of JSON. docs/exec.md has the fields; `kiln exec --explain` shows them. A report that cannot
// be written is logged once: the application is not to hear of it.
namespace kiln::layer {

/// Whether a report is asked for.
bool is_reporting();

/// One program's build.
struct BuildReport {
  enum class Outcome : std::uint8_t {
    served,      ///< from the store, or made by the helper
    kept,        ///< built by the driver, and kept
    left,        ///< to the driver
    own_binary,  ///< of the application
  };
  Explanation found = {};
  Outcome outcome = Outcome::served;
  std::string reason = {};  ///< why it was left to the driver
  std::int64_t started_ns = now_ns();

  /// What is to be filled while it is looked for; null where no report is asked for.
  Explanation* wanted() { return is_reporting() ? &found : nullptr; }
};

/// To be called when it is over, which it takes the time of.
void report(const BuildReport& build) noexcept;

/// A variant of a kernel that a launch needed and its program lacked.
struct VariantReport {
  std::string program, kernel, variant;
  bool is_compiled = false;  ///< by Kiln; else the driver had compiled it, and it was taken in
  std::string reason = {};   ///< why it could not be compiled
  std::int64_t started_ns = now_ns();
};
void report(const VariantReport& variant) noexcept;

/// What was found of a kernel's local size, where the program passes none.
struct LocalSizeReport {
  std::string program, kernel;
  std::string sizes;          ///< which launches it is of: local_sizes.hpp
  std::string local;          ///< "256", "16x8"; empty: the driver's own stays
  std::string reason;         ///< "1.80 times faster (31 launches)"
  bool is_on_record = false;  ///< an earlier process has found it
};
void report(const LocalSizeReport& found) noexcept;

}  // namespace kiln::layer
