#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tune/measure/outcome.hpp"
#include "tune/measure/tunable.hpp"
#include "tune/worker/child.hpp"

/// The process that measures. Worker asks it over a socket, and it answers with Answers; those that
/// compile ahead (compile_pool.hpp) answer in the same way.
namespace kiln::tune {

/// The numbers of an Answer, which are sent as they lie in memory: the two ends are one program.
struct AnswerNumbers {
  Failure failure{};
  bool has_id = false;  ///< whether `id` answers
  ConfigurationId id = 0;
  double seconds = 0;                 ///< of the runs that were asked for, by the device's clock
  double spent = 0;                   ///< seconds in the child
  double compiling = 0, running = 0;  ///< parts of these
  std::uint64_t printed_bytes = 0;  ///< that kernels wrote to standard output since the last answer
};

/// What a child says: how something went, and what it took.
struct Answer : AnswerNumbers {
  std::string message;
  std::string printed;  ///< the beginning of what kernels wrote

  Report report() const;
  void take(Report report);
};

/// To the other end of a channel; false where that is gone.
bool tell(int channel, const Answer& answer);
/// From there. Errors: unsupported where nothing comes within the bound, device where the other end
/// is gone.
Expected<Answer> hear(int channel, std::chrono::milliseconds limit);

/// Calls what fills an answer in, with the time that it takes; what it throws is a failure by its
/// kind.
Answer answered_by(const std::function<void(Answer&)>& work);

/// Whether a failure may have left the driver's context dead, so that whatever the same process
/// measures next would fail as well, without fault of its own. An access out of bounds does that:
/// drivers tell it as CL_OUT_OF_RESOURCES (-5), CL_INVALID_COMMAND_QUEUE (-36) or a number of their
/// own (NVIDIA: -9999), at the launch or at any call behind it. What is known to be the driver's
/// answer to a launch that merely wants too much is none.
bool may_have_lost_device(Failure failure, std::string_view message);

/// What the opening of a device may take: a driver may compile its own library at its first start.
inline constexpr std::chrono::milliseconds longest_opening{120'000};

/// How long a worker may take for one thing before it is taken to hang.
struct WorkerLimits {
  std::chrono::milliseconds open = longest_opening;  ///< driver, inputs
  std::chrono::milliseconds prepare{60'000};         ///< a compile and a run, the reference's, too
  std::chrono::milliseconds run{30'000};             ///< a sample
};

/// Measures in a child process, so that a candidate which hangs or takes the driver with it takes
/// only the child: the next question starts another. The child is a fork of this process, which
/// must not have used OpenCL nor started threads by then. One thread at a time.
///
/// A candidate that failed once is not asked for again: its failure is remembered.
///
/// A failure that may have left the driver's context dead (may_have_lost_device()) costs the child
/// its place, too, so that the next candidate meets a device that works. Where the device cannot be
/// opened again it is gone, and so are all answers: gone() says so.
class Worker : public Sampler {
 public:
  /// What the child does first: opens the device and gives its Bench. It owns what it returns.
  using Open = std::function<std::unique_ptr<Bench>()>;

  Worker(Open open, const WorkerLimits& limits) : open_(std::move(open)), limits_(limits) {}

  /// Starts the child and waits until its Bench is there and has begun. Errors: what open() and
  /// Bench::begin() threw; device: a child that died or does not open; timeout: a reference that
  /// does not end.
  Expected<void> start();

  /// Compiles, runs once and verifies where that was not done yet.
  Report prepare(ConfigurationId id);
  /// Prepares where needed, then times. Seconds.
  Outcome sample(ConfigurationId id, std::size_t launches) override;
  /// Bench::record in the child.
  Expected<void> record(ConfigurationId id, double seconds, double standard);
  /// Bench::on_record in the child; nothing where it cannot be asked.
  std::optional<ConfigurationId> on_record();

  /// Children that had to be replaced: crashes, hangs and failed launches.
  std::size_t replaced() const { return replaced_; }
  /// Set once the device worked and cannot be opened any more: why. Answers since then say nothing
  /// about candidates.
  const std::optional<Error>& gone() const { return gone_; }
  /// What kernels have written to standard output so far: the beginning, and how many bytes.
  const std::string& printed() const { return printed_; }
  std::uint64_t printed_bytes() const { return printed_bytes_; }
  /// Seconds that the child spent compiling, and running, so far.
  double compiling() const { return compiling_; }
  double running() const { return running_; }

 private:
  enum class Do : std::uint8_t { prepare, run, record, on_record };
  struct Question {
    Do what{};
    ConfigurationId id = 0;
    std::uint64_t launches = 0;
    double seconds = 0, standard = 0;
  };

  /// Asks the child; a child that dies or hangs is an answer, too, and gone.
  Answer ask(const Question& question, std::chrono::milliseconds limit);
  void serve(int channel) const;
  /// The child's word that a part of its start is done.
  Expected<void> hear_start(std::chrono::milliseconds limit, Errc late, std::string_view what);
  void note_output(const Answer& answer);
  /// Ends the child; how it ended where it had ended by itself.
  std::string stop();
  /// Another child for one that has ended, at once: whether there still is a device must be known
  /// before a failure is taken for the candidate's.
  void replace();

  Open open_;
  WorkerLimits limits_;
  Child child_;
  std::unordered_map<ConfigurationId, Report> prepared_;  ///< failures, and successes of this child
  std::size_t replaced_ = 0;
  std::optional<Error> gone_;
  double compiling_ = 0, running_ = 0;
  std::string printed_;
  std::uint64_t printed_bytes_ = 0;
};

}  // namespace kiln::tune
