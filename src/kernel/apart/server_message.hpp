#pragma once

#include <optional>
#include <string>

#include "base/process.hpp"
#include "kernel/apart/server.hpp"

/// What client and server say, on a SOCK_SEQPACKET socket. The client sends its request. The server
/// answers with the greeting at once, with still_working now and then while the job waits or is
/// done, and with the result in the end. So a client can tell a server that is busy from one that
/// was stopped, and from a program that is no server.
namespace kiln::apart {

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

}  // namespace kiln::apart
