#pragma once

#include <optional>
#include <string>

#include "base/process.hpp"
#include "kernel/apart/server.hpp"

/// What client and server say: one message each, on a SOCK_SEQPACKET socket.
namespace kiln::apart {

constexpr std::size_t longest_message = 64 << 10;

std::string encode(const ServerRequest& request);
std::optional<ServerRequest> decode_request(std::string_view message);

std::string encode(const ProcessResult& result);
std::optional<ProcessResult> decode_result(std::string_view message);

/// Receives one message; empty at the end of the connection or of patience.
std::optional<std::string> receive(int socket);
bool send(int socket, std::string_view message);

}  // namespace kiln::apart
