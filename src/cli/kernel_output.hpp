#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/file_descriptor.hpp"

namespace kiln::cli {

class Progress;

/// Receives what kernels print, while it lives: drivers write that to descriptor 1 of their
/// process, which leads to standard error otherwise (separate_results). One at a time.
class KernelOutput {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// The sink is called from a thread of its own and from within flush(), never twice at once.
  /// Where the system gives no pipe, kernels go on printing to standard error.
  explicit KernelOutput(Sink sink);
  ~KernelOutput();
  KernelOutput(const KernelOutput&) = delete;
  KernelOutput& operator=(const KernelOutput&) = delete;

  /// When it returns, the sink has all that kernels which have ended have printed.
  void flush();

 private:
  void read_until_told();
  void read_what_is_there();

  Sink sink_;
  FileDescriptor from_, told_;
  std::mutex mutex_;
  std::thread reader_;
};

/// The beginning of what a kernel printed, and how much it was in all.
struct KernelText {
  static constexpr std::size_t most = 64u << 10;
  std::string text;
  std::uint64_t bytes = 0;

  void add(std::string_view more);
  /// Adds "kernel_output", and "kernel_output_bytes" where some was left out, if there is any.
  void add_to(nlohmann::ordered_json& object) const;
  /// Writes the text to standard error, and how much is left out.
  void show() const;
  /// Says on standard error how much is left out, if any is.
  void say_what_is_left_out() const;
};

/// What the kernels of one spec after another print, in the way that a command's output asks for:
/// kept for a field of JSON, else on standard error, where a line of progress gives way.
class KernelOutputOfSpecs {
 public:
  enum class To { json, errors };
  /// How much of a spec's output goes to standard error.
  enum class Shown { all, beginning };
  KernelOutputOfSpecs(To to, Shown shown, Progress& progress);

  /// What was printed since the last call; empty where it went to standard error.
  KernelText take();

 private:
  void receive(std::string_view text);

  To to_;
  Shown shown_;
  Progress* progress_;
  std::mutex mutex_;
  KernelText kept_;
  std::optional<KernelOutput> output_;  // last: its thread ends first
};

}  // namespace kiln::cli
