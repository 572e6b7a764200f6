// The text of two sections: lines of tasks, a separator, lines of edges, a separator. One pass; the
// symbols look like Python and are read as data.
#include "expr/text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "format/task_graph/form.hpp"

namespace kiln::task_graph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// A carriage return counts as a blank, so that files with CR LF are read as they are.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::string_view separator = "---";

class TextReader {
 public:
  TextReader(std::string_view text, File& file)
      : at_(text.data()), end_(at_ + text.size()), file_(file) {
    if (rest().starts_with("\xEF\xBB\xBF")) at_ += 3;
  }

  void read() {
    reserve();
    while (!ends_section("a task's id, or the separator ---")) read_task();
    while (!ends_section("an edge, as 0 2->1 0, or the second separator ---")) read_edge();
    skip_empty_lines();
    if (at_ != end_) refuse_here("nothing behind the second separator");
  }

 private:
  // ---- Lines

  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  /// Whether nothing but a comment is left of the line; steps to the next one.
  bool end_line() {
    skip_blanks();
    if (at_ == end_) return true;
    if (*at_ == '#') at_ = std::find(at_, end_, '\n');
    if (at_ == end_) return true;
    if (*at_ != '\n') return false;
    ++at_;
    ++line_;
    return true;
  }

  void skip_empty_lines() {
    while (at_ != end_)
      if (!end_line()) return;
  }

  void expect_end_of_line() {
    if (!end_line()) refuse_here("the end of the line");
  }

  /// Steps over the separator; false where something else of the section follows.
  bool ends_section(std::string_view expected) {
    skip_empty_lines();
    if (at_ == end_) refuse_here(expected);
    if (!rest().starts_with(separator)) return false;
    at_ += separator.size();
    expect_end_of_line();
    return true;
  }

  /// What stands here, up to the next blank.
  std::string found() const {
    if (at_ == end_) return "the end of the file";
    if (*at_ == '\n') return "the end of the line";
    return shown(word());
  }
  std::string_view word() const {
    const char* stop = at_;
    while (stop != end_ && !is_blank(*stop) && *stop != '\n') ++stop;
    return {at_, static_cast<std::size_t>(stop - at_)};
  }

  [[noreturn]] void refuse_here(std::string_view expected) const {
    refuse(file_.name, line_, found(), expected);
  }

  /// The number that starts here; nothing but a blank, an arrow or a comment may follow.
  template <class T>
  T number(std::string_view expected) {
    skip_blanks();
    T value{};
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::result_out_of_range)
      refuse_here(sizeof(T) == 8 ? "an integer of 64 bits" : "a position of 32 bits");
    const bool ends = stop == end_ || is_blank(*stop) || *stop == '\n' || *stop == '#' ||
                      (*stop == '-' && stop + 1 != end_ && stop[1] == '>');
    if (error != std::errc{} || !ends) refuse_here(expected);
    at_ = stop;
    return value;
  }

  /// Room for what the sections can have, so that nothing moves: as many as they have lines, but
  /// for no more than so many bytes make.
  void reserve() {
    constexpr std::string_view least_task = "0 a.json {}\n", least_edge = "0 0->1 0\n";
    const auto lines = [](std::string_view section, std::string_view least) {
      const auto ends = std::count(section.begin(), section.end(), '\n');
      return std::min(static_cast<std::size_t>(ends), section.size() / least.size()) + 1;
    };
    const std::string_view text = rest();
    const std::size_t middle = std::min(text.find("\n---"), text.size());
    file_.tasks.reserve(lines(text.substr(0, middle), least_task));
    file_.edges.reserve(lines(text.substr(middle), least_edge));
  }

  // ---- Tasks

  void read_task() {
    Task task{.line = line_};
    task.id = number<std::int64_t>("a task's id, an integer, or the separator ---");
    skip_blanks();
    task.spec = word();
    at_ += task.spec.size();
    if (task.spec.empty()) refuse_here("a specification's file name");
    TaskSymbols symbols = read_symbols();
    expect_end_of_line();
    task.symbols = std::move(symbols.symbols);
    if (symbols.partition) {
      task.partition = partition_of(*symbols.partition);
      if (!task.partition)
        refuse(file_.name, task.line, "the partition " + value_text(*symbols.partition),
               partition_words);
    }
    file_.tasks.push_back(std::move(task));
  }

  static std::string value_text(const expr::Value& value) {
    const auto* text = std::get_if<std::string>(&value.data());
    return text ? shown(*text) : value.text();
  }

  TaskSymbols read_symbols() {
    if (!take('{')) refuse_here("the task's symbols, as {\"n\": 64}");
    symbols_.clear();
    while (!take('}')) {
      std::string name = read_name();
      if (!take(':')) refuse_here("a colon behind the symbol's name");
      symbols_.emplace_back(std::move(name), read_value());
      if (take(',')) continue;
      if (!take('}')) refuse_here("a comma or }; expressions are not evaluated");
      break;
    }
    for (const auto& [index, first] : repeated(symbols_))
      tell_repeated(symbols_[first], symbols_[index]);
    return without_partition(symbols_);
  }

  void tell_repeated(const Symbol& first, const Symbol& again) {
    if (!(first.second == again.second))
      refuse(file_.name, line_,
             "the symbol " + shown(again.first) + " with " + value_text(first.second) +
                 " and with " + value_text(again.second),
             "each symbol once");
    file_.warnings.push_back(place_of(file_.name, line_) + ": found the symbol " +
                             shown(again.first) + " again with the same value, expected it once");
  }

  bool take(char letter) {
    skip_blanks();
    if (at_ == end_ || *at_ != letter) return false;
    ++at_;
    return true;
  }

  bool at_string() const {
    const char* quoted = at_;
    if (quoted != end_ && *quoted == 'u') ++quoted;  // as Python 2 writes texts that it read
    return quoted != end_ && (*quoted == '"' || *quoted == '\'');
  }

  std::string read_name() {
    skip_blanks();
    if (!at_string()) refuse_here("a symbol's name in quotes, or }");
    std::string name = read_string();
    if (name.empty()) refuse(file_.name, line_, "a symbol without a name", "a name");
    return name;
  }

  std::string read_string() {
    if (*at_ == 'u') ++at_;
    // Nearly all are plain: without escapes, and ASCII.
    for (const char* stop = at_ + 1; stop != end_; ++stop) {
      if (*stop == *at_) {
        std::string value(at_ + 1, stop);
        at_ = stop + 1;
        return value;
      }
      if (*stop == '\\' || static_cast<signed char>(*stop) < ' ') break;
    }
    const std::string_view line = rest().substr(0, rest().find('\n'));
    std::size_t used = 0;
    auto value = expr::read_string(line, used);
    if (!value) refuse_here("a string of UTF-8 that ends in its line");
    at_ += used;
    return *std::move(value);
  }

  expr::Value read_value() {
    skip_blanks();
    if (at_string()) return read_string();
    const char* stop = at_;
    while (stop != end_ && (is_digit(*stop) || is_letter(*stop) || *stop == '_' || *stop == '.' ||
                            *stop == '+' || *stop == '-'))
      ++stop;
    const std::string_view text(at_, static_cast<std::size_t>(stop - at_));
    std::optional<expr::Value> value = constant(text);
    if (!value)
      refuse_here("a number, a string, True or False: symbols are data, nothing is evaluated");
    at_ = stop;
    return *std::move(value);
  }

  std::optional<expr::Value> constant(std::string_view text) const {
    if (text == "True") return true;
    if (text == "False") return false;
    std::string_view digits = text;
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.remove_prefix(1);
    if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.')) return std::nullopt;
    if (digits.find_first_not_of("0123456789lL") == digits.npos) return integer(negative, digits);
    double real = 0;
    if (!expr::read_number(digits, real)) return std::nullopt;
    if (!(real <= std::numeric_limits<double>::max())) refuse_here("a number that a double holds");
    return negative ? -real : real;
  }

  /// Python 2 writes an L behind long ones, and reads a leading 0 as octal.
  std::optional<expr::Value> integer(bool negative, std::string_view digits) const {
    if (digits.ends_with('L') || digits.ends_with('l')) digits.remove_suffix(1);
    if (digits.size() > 1 && digits[0] == '0') refuse_here("an integer without leading zeros");
    std::uint64_t magnitude = 0;
    const char* const stop = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), stop, magnitude);
    const std::uint64_t most = std::uint64_t{INT64_MAX} + (negative ? 1 : 0);
    if (read.ec == std::errc::result_out_of_range || magnitude > most)
      refuse_here("an integer of 64 bits");
    if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
    return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  }

  // ---- Edges

  void read_edge() {
    constexpr std::string_view position = "an argument's position, 0 or more";
    Edge edge{.line = line_};
    edge.from = number<std::int64_t>("an edge, as 0 2->1 0, or the second separator ---");
    edge.from_position = number<std::uint32_t>(position);
    skip_blanks();
    if (!rest().starts_with("->")) refuse_here("the arrow ->");
    at_ += 2;
    edge.to = number<std::int64_t>("the id of the task that the edge leads to");
    edge.to_position = number<std::uint32_t>(position);
    expect_end_of_line();
    file_.edges.push_back(edge);
  }

  const char* at_;
  const char* end_;
  File& file_;
  std::uint32_t line_ = 1;
  std::vector<Symbol> symbols_;  ///< of one task; its memory serves all
};

}  // namespace

void read_text(std::string_view text, File& file) { TextReader(text, file).read(); }

}  // namespace kiln::task_graph
