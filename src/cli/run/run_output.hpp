#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/os/output_capture.hpp"
#include "kiln/spec/run.hpp"

/// What a run of a specification shows: its result, and what its kernels printed meanwhile; runs in
/// processes of their own.
namespace kiln::cli {

class Context;
class Progress;

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
  std::optional<OutputCapture> output_;  // last: its thread ends first
};

/// The result of one spec: text for people (what ran where and how long, the first values of each
/// result), or with --json one object a line; with --explain where each program came from.
/// What the kernel printed becomes a field of that object.
void print_run(const Context& context, const spec::SpecResult& run, const KernelText& printed);

/// A spec that did not run: a line on standard error, or with --json an object with the status.
void print_failure(const Context& context, const std::string& file, const Error& error,
                   const KernelText& printed);

// Specifications run in processes of their own (isolate.cpp).

/// `kiln run --isolate`: every spec in a child process of its own (this program again), so that a
/// kernel which crashes the driver, hangs or writes out of bounds fails alone. Prints one line a
/// spec, then a summary; returns 1 if any spec is not ok.
int run_isolated(const Context& context);

/// In a child of `kiln run --isolate`: ends this process when its parent has gone, so that a kernel
/// which hangs does not run on for ever after `kill -9`. Elsewhere it does nothing.
void end_with_parent();

/// Runs one spec once in a process of its own on oclgrind's device, which checks every access of
/// the kernel: what it finds, as one line; empty where it finds nothing. Nothing comes back where
/// oclgrind is not installed, where it cannot run the spec, or where this process is such a child.
std::optional<std::string> oclgrind_finding(const Context& context, const std::string& spec);

/// What a log of oclgrind says of accesses outside of buffers: the first, and how many there are;
/// empty where there is none.
std::string invalid_access_in(std::string_view log);

}  // namespace kiln::cli
