#include "cli/run/run_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/data/text.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "kiln/json.hpp"

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
  complain("{} more bytes that the kernel printed are not shown", bytes - text.size());
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

namespace {

using Json = nlohmann::ordered_json;

double median_of_integers(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

/// Work-groups of a share: a cut goes along dimension 0, and every share has all of the others.
std::size_t groups_of(const spec::SpecResult& run, const RunSummary::Share& device) {
  std::size_t groups = device.groups;
  for (std::size_t d = 1; d < run.bound.global.size(); ++d)
    groups *= static_cast<std::size_t>(run.bound.global[d] / run.bound.local[d]);
  return groups;
}

template <class T>
std::string first_values(ByteView data) {
  std::string text;
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < most && (i + 1) * sizeof(T) <= data.size(); ++i) {
    T value;
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      text += fmt::format(" {:.6g}", value);
    else
      text += fmt::format(" {}", static_cast<std::int64_t>(value));
  }
  return data.size() > most * sizeof(T) ? text + " …" : text;
}

std::string first_values(const spec::Type& type, ByteView data) {
  // In the order of spec::Scalar.
  constexpr std::string (*forms[])(ByteView) = {
      first_values<std::int8_t>,   first_values<std::uint8_t>,  first_values<std::int16_t>,
      first_values<std::uint16_t>, first_values<std::int32_t>,  first_values<std::uint32_t>,
      first_values<std::int64_t>,  first_values<std::uint64_t>, first_values<float>,
      first_values<double>};
  return forms[static_cast<int>(type.scalar)](data);
}

void print_explanations(const spec::SpecResult& run) {
  if (!run.tuned_text.empty()) print("  tuned: {}\n", one_line(run.tuned_text));
  if (!run.not_tuned.empty()) print("  not tuned: {}\n", one_line(run.not_tuned));
  for (const auto& program : run.programs) print(program.text);
}

void print_run_text(const Context& context, const spec::SpecResult& run) {
  std::string global;
  for (const auto size : run.bound.global)
    global += (global.empty() ? "" : " x ") + std::to_string(size);
  print("{}: {} work-items, {}{}\n", run.file, global, duration(median_of_integers(run.wall_ns)),
        run.wall_ns.size() > 1 ? fmt::format(" (median of {})", run.wall_ns.size()) : "");
  for (std::size_t i = 0; i < run.summary.shares.size(); ++i) {
    const auto& device = run.summary.shares[i];
    if (device.groups == 0) continue;
    const auto groups = groups_of(run, device);
    print("  device {} {}: {} work-group{}, kernel {}{}\n", i, device.device, groups,
          groups == 1 ? "" : "s", duration(static_cast<double>(device.kernel_ns)),
          device.transfer_ns > 0
              ? ", transfers " + duration(static_cast<double>(device.transfer_ns))
              : "");
  }
  if (!run.summary.reason.empty()) print("  not split: {}\n", run.summary.reason);
  for (const auto& argument : run.bound.arguments)
    if (argument.kind == spec::ArgumentKind::output || argument.kind == spec::ArgumentKind::inout)
      print("  argument {} {}[{}]:{}\n", argument.position, argument.type.opencl_name(),
            argument.count, first_values(argument.type, run.bytes(argument.position)));
  if (context.flag("explain")) print_explanations(run);
}

/// "failed" or "refused" (Kiln declines: unsupported, or the result could be wrong).
const char* status_of(const Error& error) {
  return error.code() == Errc::refused || error.code() == Errc::unsupported ? "refused" : "failed";
}

}  // namespace

void print_run(const Context& context, const spec::SpecResult& run, const KernelText& printed) {
  if (context.flag("json")) {
    Json object = Json::parse(
        json_of(run, context.flag("explain") ? Programs::included : Programs::left_out));
    printed.add_to(object);
    print_json(object);
  } else if (!context.flag("quiet")) {
    print_run_text(context, run);
  }
  if (!run.difference.empty() && !context.flag("json")) complain(run.file + ": " + run.difference);
}

void print_failure(const Context& context, const std::string& file, const Error& error,
                   const KernelText& printed) {
  if (!context.flag("json")) return complain_of(file, error.message());
  Json object{{"spec", file},
              {"status", status_of(error)},
              {"seconds", 0.0},
              {"message", error.message()},
              {"code", kiln::name_of(error.code())}};
  printed.add_to(object);
  print_json(object);
}

}  // namespace kiln::cli
