#pragma once

#include <functional>
#include <map>

#include "kiln/kernel.hpp"
#include "kiln/spec/file.hpp"
#include "kiln/timeline.hpp"

/// Running specification files, as `kiln run` and `kiln verify` do. docs/running.md explains it.
namespace kiln::spec {

/// The data of a buffer argument: a .npy file, or the caller's elements, which stay until the run
/// ends.
class InputData {
 public:
  InputData(std::filesystem::path file) : file_(std::move(file)) {}
  InputData(const char* file) : file_(file) {}
  InputData(std::string file) : file_(std::move(file)) {}
  template <HostElements Data>
  requires(!std::is_same_v<Data, std::string>) InputData(const Data& data)
      : data_(std::as_bytes(std::span(std::ranges::data(data), std::ranges::size(data)))) {}
  const std::filesystem::path& file() const { return file_; }
  /// The same elements, of numbers of a type of OpenCL C ("float"): a run is refused (bad_input)
  /// where the argument has others. Empty: not known.
  InputData of_numbers(std::string type) && {
    number_type_ = std::move(type);
    return std::move(*this);
  }
  std::span<const std::byte> data() const { return data_; }
  const std::string& number_type() const { return number_type_; }

 private:
  std::filesystem::path file_;
  std::span<const std::byte> data_;
  std::string number_type_;
};

struct SpecRunOptions {
  std::map<std::string, expr::Value> set = {};     ///< symbols; an unknown name is an error
  std::map<std::string, expr::Value> set_if = {};  ///< ignored where the file has no such symbol
  SpecDialect dialect = SpecDialect::automatic;
  std::vector<std::filesystem::path> source_folders = {};  ///< for kernels and their includes
  /// Data by argument position. Inputs that are not given are random numbers of `seed`.
  std::map<std::uint32_t, InputData> in = {};
  /// .npy files to write arguments to after the run, and to compare them with.
  std::map<std::uint32_t, std::filesystem::path> out = {}, expect = {};
  double rtol = 1e-5;                        ///< of comparing floating-point numbers
  std::string partition = {};                ///< as RunOptions::partition; empty: the file's own
  std::vector<std::size_t> local_size = {};  ///< empty: the file's own
  std::uint64_t seed = 0;
  std::int64_t runs = 1;  ///< `auto` learns from run to run
  Bounds bounds = Bounds::unchecked;
  bool timeline = false;  ///< keep when what happened, for SpecResult::timeline
};

/// How one program was found: which layer answered, why those before it did not.
struct ProgramLookup {
  std::string program, key;
  struct Step {
    std::string layer;  ///< "memory", "local store", "compile", "load"
    bool answered = false;
    std::string reason;
    std::int64_t start_ns = 0, end_ns = 0;  ///< of the host's steady clock
  };
  std::vector<Step> steps;
  std::string text;  ///< the same as lines for people
};

/// What a run did, and its data.
struct SpecResult {
  std::string file;
  BoundSpec bound;
  RunSummary summary;                 ///< of the last run
  std::vector<std::int64_t> wall_ns;  ///< of each run
  std::vector<ProgramLookup> programs;
  /// Tuned values on record that the run used, by symbol or macro, and where they are from.
  std::vector<std::pair<std::string, std::int64_t>> tuned;
  std::string tuned_from, tuned_text;
  std::string not_tuned;  ///< why values on record were not used; empty where there are none
  std::vector<TimelineSpan> timeline;  ///< by their start; of all runs
  std::string difference;  ///< how an argument differs from what was expected; empty: it does not

  /// The bytes of a buffer argument after the run. Throws Error (bad_input) for any other position.
  KILN_API std::span<const std::byte> bytes(std::uint32_t position) const;
  /// The same as elements, whose size must be that of the argument's scalars.
  template <class T>
  std::span<const T> values(std::uint32_t position) const {
    const auto all = bytes(position);
    check_scalar(position, sizeof(T));
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }

  /// For Kiln's own modules.
  std::shared_ptr<const class Arrays> arrays;

 private:
  KILN_API void check_scalar(std::uint32_t position, std::size_t bytes) const;
};

/// Reads a file, gets its program from the store or compiles it, fills the arguments, runs the
/// kernel on one device or split over those of the Runtime, and reads the results back. A split run
/// gives the result of one device; where that cannot be shown, `summary.reason` says why there was
/// none. Throws Error: not_found, bad_input, build, device, unsupported (a part of a graph), io.
/// Several threads may run files on one Runtime.
KILN_API SpecResult run(const Runtime& runtime, const std::filesystem::path& file,
                        const SpecRunOptions& options = {});

/// What one split of a kernel turned out to be.
struct Verdict {
  std::string split;    ///< as given: "3", "1:2", "auto"
  std::string outcome;  ///< "equal", "refused", "wrong"
  std::string reason;   ///< why refused, where wrong
};

struct VerifyOptions {
  std::map<std::string, expr::Value> set = {}, set_if = {};  ///< as SpecRunOptions
  SpecDialect dialect = SpecDialect::automatic;
  std::vector<std::filesystem::path> source_folders = {};
  std::vector<std::string> splits = {};  ///< empty: "0" to "10"
  double rtol = 0;                       ///< 0: to the bit
  /// Whether the whole runs have zones around each buffer, so that a kernel which writes outside of
  /// one is an Error (device).
  Bounds bounds = Bounds::checked;
  /// Told of each split when it is known. May throw, which ends the verification.
  std::function<void(const Verdict&)> report = {};
};

/// Runs a file whole on one device of each kind, and then with every split, merged and (where Kiln
/// would do so later) in place or with slices, on random data. Every element of a split result must
/// be what one of those devices computes alone: kinds of devices round differently, so no one of
/// them is the truth for all. What is shown is remembered in the store. Throws Error where the file
/// does not run at all.
KILN_API std::vector<Verdict> verify(const Runtime& runtime, const std::filesystem::path& file,
                                     const VerifyOptions& options = {});

}  // namespace kiln::spec
