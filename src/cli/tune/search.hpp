#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tune/conduct/conduct.hpp"

/// One search: `kiln tune` makes one, a campaign makes many.
namespace kiln::cli {

class Context;

/// What the options say. Throws Error (bad_input).
tune::SearchSettings search_settings(const Context& context);

/// The lock that this user's tuners share, so that they do not disturb each other's measurements.
/// Nothing, and a note on standard error, where its folder cannot be used: another user may have
/// taken its name, which must not prevent tuning.
std::optional<tune::MachineLock> lock_of_tuners();

/// What a search goes on with or starts from; with --json notes alone. Throws as print.
void print_beginning(const Context& context, const tune::SearchBeginning& beginning);

// The result of a search, as commands print it.

/// One object; `device` is its name.
nlohmann::ordered_json json_of_search(const tune::Tunable& tunable, const std::string& device,
                                      const std::filesystem::path& journal,
                                      const tune::TunerResult& result);

/// Prints a note, once in a search, when it has waited for another tuner for more than a second.
class WaitNotice {
 public:
  /// For the progress line; empty while the search does not wait.
  std::string note(const tune::TunerState& state);

 private:
  bool is_said_ = false;
};

/// Prints on standard error what kernels printed while they were measured, if anything.
void print_kernel_output(const tune::TunerResult& result);

/// How many times faster the winner is than the built-in parameters; 1 where those have no time.
double faster_by(const tune::TunerResult& result);

}  // namespace kiln::cli
