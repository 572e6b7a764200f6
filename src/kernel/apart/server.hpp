#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/process.hpp"

// The compile server: a helper that stays. Every process that uses PoCL's compiler first parses a
// kernel library for half a second, longer than a usual kernel then takes. The server's
// workers, as many as there are processors, do one job after another; a job that kills its
// compiler kills its worker, and the next finds another. It belongs to the process that started it
// and ends with it; meanwhile other processes of the same user with the same environment use it,
// too. One that does not answer (it was stopped, say) costs a process one wait and no more: the
// process asks no server again, and the server loses its name, so that the next process starts
// another.
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

// What client and server say, on a SOCK_SEQPACKET socket. The client sends its request. The server
// answers with the greeting at once, with still_working now and then while the job waits or is
// done, and with the result in the end. So a client can tell a server that is busy from one that
// was stopped, and from a program that is no server.

constexpr std::size_t longest_message = 64 << 10;
inline constexpr std::string_view still_working = "working";

std::string encode(const ServerRequest& request);
std::optional<ServerRequest> decode_request(std::string_view message);

std::string encode(const ProcessResult& result);
std::optional<ProcessResult> decode_result(std::string_view message);

/// Receives one message; empty at the end of the connection, and for one that is too long.
std::optional<std::string> receive(int socket);
/// Sends one message. Does not wait for a reader that was stopped: then, too, it says false.
bool send(int socket, std::string_view message);

/// The server's whole life, in kiln-compile: serves a listening socket until standard input ends.
/// `path` is the socket's name, which is removed at the end.
int serve(int listener, const std::filesystem::path& path);

}  // namespace kiln::apart
