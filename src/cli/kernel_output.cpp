#include "cli/kernel_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace kiln::cli {

KernelOutput::KernelOutput(Sink sink) : sink_(std::move(sink)) {
  std::fflush(stdout);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  from_ = FileDescriptor(ends[0]);
  const FileDescriptor into(ends[1]);
  told_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  if (!told_ || ::fcntl(from_.get(), F_SETFL, O_NONBLOCK) != 0) return;
  reader_ = std::thread([this] { read_until_told(); });
  ::dup2(into.get(), STDOUT_FILENO);
}

KernelOutput::~KernelOutput() {
  if (!reader_.joinable()) return;
  std::fflush(stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::uint64_t end = 1;
  while (::write(told_.get(), &end, sizeof end) < 0 && errno == EINTR) {
  }
  reader_.join();
  read_what_is_there();
}

void KernelOutput::flush() {
  // Some drivers print through the C library, which keeps it back where it goes into a pipe.
  std::fflush(stdout);
  read_what_is_there();
}

void KernelOutput::read_until_told() {
  for (;;) {
    std::array<pollfd, 2> wait{{{from_.get(), POLLIN, 0}, {told_.get(), POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return;
    if (wait[1].revents != 0) return;
    if (wait[0].revents != 0) read_what_is_there();
  }
}

void KernelOutput::read_what_is_there() {
  const std::lock_guard lock(mutex_);
  std::array<char, 16u << 10> bytes;
  for (;;) {
    const ssize_t got = ::read(from_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    sink_({bytes.data(), static_cast<std::size_t>(got)});
  }
}

void KernelText::add(std::string_view more) {
  bytes += more.size();
  text += more.substr(0, most - text.size());
}

void KernelText::add_to(nlohmann::ordered_json& object) const {
  if (bytes == 0) return;
  object["kernel_output"] = text;
  if (bytes > text.size()) object["kernel_output_bytes"] = bytes;
}

void KernelText::show() const {
  std::fwrite(text.data(), 1, text.size(), stderr);
  say_what_is_left_out();
}

void KernelText::say_what_is_left_out() const {
  if (bytes <= text.size()) return;
  if (!text.ends_with('\n')) std::fputc('\n', stderr);
  complain(fmt::format("{} more bytes that the kernel printed are not shown", bytes - text.size()));
}

KernelOutputOfSpecs::KernelOutputOfSpecs(To to, Shown shown, Progress& progress)
    : to_(to), shown_(shown), progress_(&progress) {
  // Else standard error gets it from the driver, with nothing in between.
  if (to == To::json || shown == Shown::beginning || is_terminal(Stream::errors))
    output_.emplace([this](std::string_view text) { receive(text); });
}

void KernelOutputOfSpecs::receive(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = kept_.text.size();
  kept_.add(text);
  if (to_ == To::json) return;
  if (shown_ == Shown::beginning) text = std::string_view(kept_.text).substr(before);
  progress_->hide();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

KernelText KernelOutputOfSpecs::take() {
  if (!output_) return {};
  output_->flush();
  const std::lock_guard lock(mutex_);
  KernelText taken = std::exchange(kept_, {});
  if (to_ == To::json) return taken;
  if (shown_ == Shown::beginning) taken.say_what_is_left_out();
  return {};
}

}  // namespace kiln::cli
