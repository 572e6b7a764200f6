#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// Text on a terminal: its width and colours, wrapped paragraphs, tables, and the line that shows
/// progress.
namespace kiln::cli {

enum class Stream { output = 1, errors = 2 };

/// Whether this stream is a terminal that can move its cursor, so that a person watches it. No
/// stream of a rank is: its launcher stands between.
bool is_terminal(Stream stream);

/// Width in characters: what COLUMNS says, else that of the stream's terminal; 80 where it is none.
int columns(Stream stream);

enum class Style { bold, dim, good, bad };

/// The text with colour codes: where the stream is a terminal or CLICOLOR_FORCE is set, and
/// NO_COLOR is not.
std::string styled(Style style, std::string_view text, Stream stream = Stream::output);

/// Characters that a UTF-8 text takes on a terminal, each code point counted as one.
std::size_t display_width(std::string_view text);

/// The text broken between words into lines of at most `width` characters, each after `indent`
/// blanks; a longer word stands alone. Empty lines between paragraphs stay.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// "1 file", "2 files".
std::string plural(std::size_t number, std::string_view noun);

/// Names on the left, explanations wrapped on the right.
std::string definition(std::string_view name, std::string_view meaning, std::size_t column,
                       std::size_t width);

/// Aligned columns with a heading. Columns whose every cell is a number stand to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading);
  /// As many cells as the heading has; further ones are an error of the caller (std::logic_error).
  /// A cell may hold anything: it stays in its line and does not steer the terminal.
  void row(std::vector<std::string> cells);
  template <class... Cells>
  void row(const Cells&... cells) {
    row(std::vector<std::string>{fmt::vformat("{}", fmt::make_format_args(cells))...});
  }
  std::string text() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

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
  /// So many are done in all, if there were not more before.
  void reach(std::size_t done, std::string_view note);
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
