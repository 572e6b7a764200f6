#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.hpp"

/// The compile server: a helper that stays. Every process that uses PoCL's compiler first parses a
/// kernel library for half a second, longer than a usual kernel then takes. The server's
/// workers, as many as there are processors, do one job after another; a job that kills its
/// compiler kills its worker, and the next finds another. It belongs to the process that started it
/// and ends with it; meanwhile other processes of the same user with the same environment use it,
/// too.
namespace kiln::apart {

/// A job to be done in its folder, as run_helper() prepares it.
struct ServerRequest {
  std::filesystem::path folder;
  std::chrono::milliseconds limit{120'000};
  std::vector<std::pair<std::string, std::string>> environment;  ///< for this job alone
};

/// How the job ended. Empty where no server can be had, or it ended first: then the job is still to
/// be done, in a helper of its own. Thread-safe.
std::optional<ProcessResult> ask_server(const std::filesystem::path& helper,
                                        const ServerRequest& request);

/// The server's whole life, in kiln-compile: serves a listening socket until standard input ends.
/// `path` is the socket's name, which is removed at the end.
int serve(int listener, const std::filesystem::path& path);

}  // namespace kiln::apart
