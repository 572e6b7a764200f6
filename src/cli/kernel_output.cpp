#include "cli/kernel_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace kiln::cli {

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
