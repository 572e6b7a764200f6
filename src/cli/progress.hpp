#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace kiln::cli {

/// "verify 12/40 [#####     ] 30 % 1m20s to go  blur.json", at most `width` characters.
std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          std::int64_t elapsed_ns, std::string_view note, std::size_t width);

/// "3s", "1m20s", "2h05m".
std::string brief_time(std::int64_t ns);

/// One line on standard error that says how far long work is and how long it has to go, redrawn at
/// most ten times a second. Where standard error is no terminal it is silent or, for work of hours,
/// adds a line every ten seconds. Thread-safe.
class Progress {
 public:
  enum class OffTerminal : bool { silent, lines };
  /// Where it is shown, and the time; tests have others than standard error.
  struct Surroundings {
    bool is_terminal = false;
    std::function<std::int64_t()> now_ns;
    std::function<void(std::string_view)> write;
    static Surroundings standard_error();
  };
  /// `total` steps of `what`.
  Progress(std::string what, std::size_t total, OffTerminal off_terminal = OffTerminal::silent,
           Surroundings surroundings = Surroundings::standard_error());
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `steps` more are done; the note says what is worked on now.
  void advance(std::size_t steps = 1, std::string_view note = {});
  /// Changes the note only.
  void note(std::string_view text);
  /// Removes the line until the next redraw, so that something else can be printed.
  void hide();

 private:
  void draw();
  void add_line(std::int64_t now);

  std::mutex mutex_;
  std::string what_, note_;
  std::size_t total_, done_ = 0;
  const OffTerminal off_terminal_;
  const Surroundings surroundings_;
  const std::int64_t start_ns_;
  std::int64_t drawn_ns_ = 0;
  bool shown_ = false;
};

}  // namespace kiln::cli
