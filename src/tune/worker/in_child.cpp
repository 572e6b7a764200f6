#include "tune/worker/in_child.hpp"

#include "tune/worker/child.hpp"

namespace kiln::tune {
namespace {

constexpr std::size_t most_outcome_bytes = 64 << 10;

/// One letter, '+' or '-' (an error), then the text.
std::string outcome_of(const std::function<std::string()>& function) {
  try {
    return "+" + function();
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

}  // namespace

Expected<std::string> in_child(const std::function<std::string()>& function,
                               std::chrono::milliseconds limit) {
  Child child;
  const auto started = child.start([&](int channel) {
    const std::string text = outcome_of(function).substr(0, most_outcome_bytes);
    send_all(channel, text.data(), text.size());
  });
  if (!started) return tl::unexpected(started.error());
  // Until the end, which comes after the last byte; a text that stays without one hangs.
  std::string text(most_outcome_bytes + 1, '\0');
  std::size_t size = 0;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (size < text.size() &&
         receive_all(child.channel(), text.data() + size, 1, until) == Received::whole)
    ++size;
  text.resize(size);
  if (text.empty())
    return tl::unexpected(
        Error(Errc::device, "the process that queries the device died or did not answer"));
  if (text.front() == '-') return tl::unexpected(Error(Errc::not_found, text.substr(1)));
  return text.substr(1);
}

}  // namespace kiln::tune
