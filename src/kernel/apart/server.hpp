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
/// too. One that does not answer (it was stopped, say) costs a process one wait and no more: the
/// process asks no server again, and the server loses its name, so that the next process starts
/// another.
namespace kiln::apart {

/// A job to be done in its folder, as run_helper() prepares it.
struct ServerRequest {
  std::filesystem::path folder;
  std::chrono::milliseconds limit{120'000};
  std::vector<std::pair<std::string, std::string>> environment;  ///< for this job alone
  /// How long the server may say nothing at all, at each step of the way: it may have to load the
  /// driver's library meanwhile. Not for the server.
  std::chrono::milliseconds patience{10'000};
};

/// As many clients wait in a server's socket until it accepts them.
inline constexpr int listen_backlog = 128;

/// How the job ended. Empty where no server can be had, it ended first or does not answer: then the
/// job is still to be done, in a helper of its own. Thread-safe.
std::optional<ProcessResult> ask_server(const std::filesystem::path& helper,
                                        const ServerRequest& request);

/// What it answered was not true: this process asks it no more.
void give_server_up(const std::filesystem::path& helper);

/// A program file as it is now: its path, size and time. Another file has another text.
std::string identity_of(const std::filesystem::path& program);

/// The server's whole life, in kiln-compile: serves a listening socket until standard input ends.
/// `path` is the socket's name, which is removed at the end.
int serve(int listener, const std::filesystem::path& path);

}  // namespace kiln::apart
