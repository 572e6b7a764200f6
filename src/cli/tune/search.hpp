#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "blas/tune/blas_tunable.hpp"
#include "cli/command/context.hpp"
#include "tune/conduct/conduct.hpp"
#include "tune/report/run.hpp"

/// `kiln tune`: the search for the fastest parameters of a kernel. It makes one search, many
/// (campaign.cpp), or searches of a measured space (replay.cpp).
namespace kiln::cli {

// What is asked for (options.cpp).

/// Whether a word names a specification file or a tuning problem, not a routine of BLAS.
bool is_specification(const std::string& word);

/// The value of an option as "90s", "10m", "2h" or "1500ms"; a number alone counts seconds. Throws
/// Error (bad_input) for anything else, or for what is not above 0 or beyond a year.
std::chrono::milliseconds time_option(const Context& context, std::string_view option);

/// Throws Error (bad_input) for words and options of `kiln tune` that cannot be combined. Options
/// from the environment or the config file are ignored where they make no sense, never refused.
void refuse_combinations(const Context& context);

// `kiln tune` takes two kinds of files by one option, --from; their content tells them apart.

/// Throws Error (bad_input) where a file is a record of calls: `option` wants a measured space.
/// A file that cannot be read is left to whoever reads it.
void refuse_calls(const std::string& file, const std::string& option);
/// The other way round: --from without --replay wants a record of calls.
void refuse_measured_space(const std::string& file);

/// The device of --device, and the store's and the compiler's options.
blas::SearchPlace search_place(const Context& context);
/// A routine of BLAS, or a specification file (a word that ends in .json, or that is a file) with
/// --param. Loads no driver into this process: it looks at the device in a child. Throws Error.
tune::SearchTask search_task(const Context& context);
/// What the other options say. Throws Error (bad_input).
tune::SearchSettings search_settings(const Context& context);

// The other kinds of searches. They return the exit code and throw Error or Interrupted.

/// --replay: strategies on a measured space in place of a device. `strategies` are those that `all`
/// stands for.
int tune_replay(const Context& context, std::span<const std::string_view> strategies);
/// --from and --all: many searches.
int tune_campaign(const Context& context);

// How a search is shown (search.cpp).

/// The lock that this user's tuners share, so that they do not disturb each other's measurements.
/// Nothing, and a note on standard error, where its folder cannot be used: another user may have
/// taken its name, which must not prevent tuning.
std::optional<tune::MachineLock> lock_of_tuners();

/// What a search goes on with or starts from; with --json notes alone. Throws as print.
void print_beginning(const Context& context, const tune::SearchBeginning& beginning);

/// The result of a search as one object; `device` is its name.
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

/// A search as one HTML page that needs nothing outside itself: the best so far, what the
/// parameters matter, the times by each of them, failures by reason, the top ten.
std::string report_page(const tune::TuningRun& run);

}  // namespace kiln::cli
