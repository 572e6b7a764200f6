#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace kiln::cli {

/// "verify 12/40 [#####     ] 30 % 1m20s to go  blur.json", at most `width` characters.
std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          std::int64_t elapsed_ns, std::string_view note, std::size_t width);

/// "3s", "1m20s", "2h05m".
std::string brief_time(std::int64_t ns);

/// One line on standard error that says how far long work is and how long it has to go. Silent
/// where standard error is no terminal; redrawn at most ten times a second. Thread-safe.
class Progress {
 public:
  /// `total` steps of `what`.
  Progress(std::string what, std::size_t total);
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

  std::mutex mutex_;
  std::string what_, note_;
  std::size_t total_, done_ = 0;
  std::int64_t start_ns_, drawn_ns_ = 0;
  bool visible_, shown_ = false;
};

}  // namespace kiln::cli
