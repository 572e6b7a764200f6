#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tune/session/tuner.hpp"

/// What a search came to, as commands print it.
namespace kiln::cli {

/// One object; `device` is its name.
nlohmann::ordered_json json_of_search(const tune::Tunable& tunable, const std::string& device,
                                      const std::filesystem::path& journal,
                                      const tune::TunerResult& result);

/// Says once of a search that another tuner is waited for, when that has taken a moment.
class WaitNotice {
 public:
  /// For the progress line; empty where nobody is waited for.
  std::string note(const tune::TunerState& state);

 private:
  bool is_said_ = false;
};

/// Says on standard error what kernels have printed while they were measured, if anything.
void print_kernel_output(const tune::TunerResult& result);

/// How many times faster the winner is than what is built in; 1 where that has no time.
double faster_by(const tune::TunerResult& result);

}  // namespace kiln::cli
