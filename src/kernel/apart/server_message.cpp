#include "kernel/apart/server_message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace kiln::apart {
namespace {

/// Texts are separated by zero bytes, which neither paths nor environments can hold.
void add(std::string& message, std::string_view text) { message.append(text).push_back('\0'); }

std::optional<std::string> next(std::string_view& message) {
  const auto end = message.find('\0');
  if (end == message.npos) return {};
  std::string text(message.substr(0, end));
  message.remove_prefix(end + 1);
  return text;
}

}  // namespace

std::string encode(const ServerRequest& request) {
  std::string message;
  add(message, request.folder.string());
  add(message, std::to_string(request.limit.count()));
  for (const auto& [name, value] : request.environment) {
    add(message, name);
    add(message, value);
  }
  return message;
}

std::optional<ServerRequest> decode_request(std::string_view message) {
  ServerRequest request;
  const auto folder = next(message), limit = next(message);
  if (!folder || !limit) return {};
  request.folder = *folder;
  request.limit = std::chrono::milliseconds(std::strtoll(limit->c_str(), nullptr, 10));
  while (!message.empty()) {
    auto name = next(message), value = next(message);
    if (!name || !value) return {};
    request.environment.emplace_back(std::move(*name), std::move(*value));
  }
  return request;
}

std::string encode(const ProcessResult& result) {
  return std::to_string(result.exit_code) + " " + std::to_string(result.signal) + " " +
         std::to_string(static_cast<int>(result.timed_out));
}

std::optional<ProcessResult> decode_result(std::string_view message) {
  ProcessResult result;
  int timed_out = 0;
  const std::string text(message);
  if (std::sscanf(text.c_str(), "%d %d %d", &result.exit_code, &result.signal, &timed_out) != 3)
    return {};
  result.timed_out = timed_out != 0;
  return result;
}

std::optional<std::string> receive(int socket) {
  std::string message(longest_message, '\0');
  ssize_t got = -1;
  do {
    got = ::recv(socket, message.data(), message.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return {};
  message.resize(static_cast<std::size_t>(got));
  return message;
}

bool send(int socket, std::string_view message) {
  ssize_t sent = -1;
  do {
    sent = ::send(socket, message.data(), message.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace kiln::apart
