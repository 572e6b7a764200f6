#include "kernel/apart/server_message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>

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

/// An integer within bounds, and nothing besides.
template <class Number>
bool read_number(std::string_view text, Number least, Number most, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least &&
         number <= most;
}

constexpr std::int64_t longest_limit_ms = 7 * 24 * 3'600'000;

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
  std::int64_t milliseconds = 0;
  if (!folder || !limit || !read_number<std::int64_t>(*limit, 0, longest_limit_ms, milliseconds))
    return {};
  request.folder = *folder;
  request.limit = std::chrono::milliseconds(milliseconds);
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
  constexpr int most_code = 255, most_signal = 64;
  ProcessResult result;
  int timed_out = 0;
  const auto first = message.find(' '), second = message.find(' ', first + 1);
  if (first == message.npos || second == message.npos ||
      !read_number(message.substr(0, first), -1, most_code, result.exit_code) ||
      !read_number(message.substr(first + 1, second - first - 1), 0, most_signal, result.signal) ||
      !read_number(message.substr(second + 1), 0, 1, timed_out))
    return {};
  result.timed_out = timed_out != 0;
  return result;
}

std::optional<std::string> receive(int socket) {
  std::string message(longest_message, '\0');
  ssize_t got = -1;
  do {
    got = ::recv(socket, message.data(), message.size(), MSG_TRUNC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0 || static_cast<std::size_t>(got) > message.size()) return {};
  message.resize(static_cast<std::size_t>(got));
  return message;
}

bool send(int socket, std::string_view message) {
  ssize_t sent = -1;
  do {
    sent = ::send(socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace kiln::apart
