// The text files of OP2's applications: read line by line, written as printf would. What a line of
// which set holds is described once, for both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

/// Numbers of a line: an element's targets by a map, or its components of a dat.
struct TextColumn {
  const char* name;    ///< of the map or dat
  const char* to;      ///< the map's target set; null: a dat
  int width;           ///< so many numbers
  ScalarType type;     ///< of them, as they are read
  const char* wanted;  ///< a dat's numbers, for messages: "one int"
};

/// The lines of a set's elements, one each.
struct TextRecord {
  const char* set;
  const char* element;  ///< as messages name one: "cell"
  const char* fields;   ///< what its line holds: "four nodes"
  std::vector<TextColumn> columns;

  int width() const {
    int numbers = 0;
    for (const TextColumn& column : columns) numbers += column.width;
    return numbers;
  }
};

/// A file: a line with the sizes of the records' sets, then the records.
using TextFormat = std::vector<TextRecord>;

constexpr TextColumn targets(const char* map, const char* to, int arity) {
  return {map, to, arity, ScalarType::i32, nullptr};
}

TextRecord node_record() {
  return {parts::nodes,
          "node",
          "x and y",
          {{parts::coordinates, nullptr, 2, ScalarType::f64, "two floats or doubles"}}};
}
TextRecord cell_record() {
  return {parts::cells, "cell", "four nodes", {targets(parts::cell_nodes, parts::nodes, 4)}};
}

/// new_grid.dat.
const TextFormat& airfoil_format() {
  static const TextFormat format{
      node_record(),
      cell_record(),
      {parts::edges,
       "edge",
       "two nodes and two cells",
       {targets(parts::edge_nodes, parts::nodes, 2), targets(parts::edge_cells, parts::cells, 2)}},
      {parts::bedges,
       "boundary edge",
       "two nodes, a cell and the kind of boundary",
       {targets(parts::bedge_nodes, parts::nodes, 2),
        targets(parts::bedge_cells, parts::cells, 1),
        {parts::bound, nullptr, 1, ScalarType::i32, "one int"}}}};
  return format;
}

/// FE_grid.dat.
const TextFormat& aero_format() {
  static const TextFormat format{
      node_record(),
      cell_record(),
      {parts::bedges, "boundary node", "a node", {targets(parts::bedge_nodes, parts::nodes, 1)}}};
  return format;
}

/// Reads numbers between blanks off the lines of a text. After a failure it stands before what
/// was wrong, for found(). Not thread-safe.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  /// The line that it stands in, from 1.
  std::int64_t line() const { return line_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// The next number of this line, of integers one that lies in a range; false for anything else, a
  /// number that does not fit included.
  template <class T>
  bool number(T& value, std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX) {
    skip_blanks();
    T read{};
    const auto [stop, error] = std::from_chars(at_, end_, read);
    if (error != std::errc{} || !(stop == end_ || is_blank(*stop) || *stop == '\n')) return false;
    if constexpr (std::is_integral_v<T>)
      if (read < least || read > most) return false;
    value = read;
    at_ = stop;
    return true;
  }

  /// Whether the line ends here; steps to the next one.
  bool end_line() {
    skip_blanks();
    if (at_ == end_) return true;
    if (*at_ != '\n') return false;
    ++at_;
    ++line_;
    return true;
  }

  /// Whether nothing but blanks and empty lines is left.
  bool at_end() {
    while (at_ != end_)
      if (!end_line()) return false;
    return true;
  }

  /// Whether a further word stands in this line.
  bool more_in_line() {
    skip_blanks();
    return at_ != end_ && *at_ != '\n';
  }

  /// What stands here, for messages: the word, "the end of the line", "the end of the file".
  std::string found() const {
    if (at_ == end_) return "the end of the file";
    if (*at_ == '\n') return "the end of the line";
    const char* stop = at_;
    while (stop != end_ && !is_blank(*stop) && *stop != '\n') ++stop;
    return quote({at_, static_cast<std::size_t>(stop - at_)});
  }

 private:
  // A carriage return counts as a blank, so that files with CR LF are read as they are.
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : scan_(text) {}

  /// Throws bad_input.
  MeshFile read() {
    const TextFormat& format = header();
    for (const TextRecord& record : format) lines(record);
    if (!scan_.at_end()) refuse_here("the end of the file");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse_here(std::string_view expected) const {
    refuse("line {}: found {}, expected {}", scan_.line(), scan_.found(), expected);
  }

  /// Makes the sets. Four numbers announce airfoil's file, three aero's.
  const TextFormat& header() {
    std::array<std::int32_t, 4> sizes{};
    std::size_t got = 0;
    for (; got < 4 && (got < 3 || scan_.more_in_line()); ++got)
      if (!scan_.number(sizes[got], 0))
        refuse_here(
            "the numbers of nodes, cells, edges and boundary edges, or of nodes, cells and "
            "boundary nodes");
    if (!scan_.end_line()) refuse_here("the end of the line after four numbers");
    const TextFormat& format = got == 3 ? aero_format() : airfoil_format();
    // No header decides how much memory is taken: a number has two bytes, the last line's end
    // aside.
    std::int64_t numbers = 0;
    for (std::size_t at = 0; at < format.size(); ++at) {
      numbers += std::int64_t{sizes[at]} * format[at].width();
      mesh_.sets.push_back({format[at].set, sizes[at]});
    }
    if (2 * numbers > static_cast<std::int64_t>(scan_.left()) + 1)
      refuse(
          "line 1: the header announces {} numbers, which take at least {} bytes; found {} bytes "
          "after it",
          numbers, 2 * numbers - 1, scan_.left());
    // As the applications declare them: cells last.
    std::rotate(mesh_.sets.begin() + 1, mesh_.sets.begin() + 2, mesh_.sets.end());
    return format;
  }

  /// A column, and where its next numbers go.
  struct Filled {
    const TextColumn& column;
    std::byte* next;
    std::int32_t targets;  ///< in the map's target set
  };
  /// Makes the column's map or dat.
  Filled add(const TextRecord& record, const TextColumn& column) {
    const auto numbers = static_cast<std::size_t>(mesh_.find_set(record.set)->size) *
                         static_cast<std::size_t>(column.width);
    if (column.to != nullptr) {
      FileMap& map = mesh_.maps.emplace_back(FileMap{
          column.name, record.set, column.to, column.width, std::vector<std::int32_t>(numbers)});
      return {column, reinterpret_cast<std::byte*>(map.values.data()),
              static_cast<std::int32_t>(mesh_.find_set(column.to)->size)};
    }
    FileDat& dat = mesh_.dats.emplace_back(FileDat{
        column.name, record.set, column.width, column.type, Bytes(numbers * size_of(column.type)),
        column.type == ScalarType::f64 ? "double" : "int"});
    return {column, dat.bytes.data(), 0};
  }

  void lines(const TextRecord& record) {
    std::vector<Filled> columns;
    for (const TextColumn& column : record.columns) columns.push_back(add(record, column));
    const auto size = static_cast<std::int32_t>(mesh_.find_set(record.set)->size);
    for (std::int32_t element = 0; element < size; ++element) {
      for (Filled& filled : columns)
        for (int k = 0; k < filled.column.width; ++k) read_one(filled, record, element);
      if (!scan_.end_line())
        refuse_here(fmt::format("{} {}: the end of the line after {}", record.element, element,
                                record.fields));
    }
  }

  void read_one(Filled& filled, const TextRecord& record, std::int32_t element) {
    const auto read = [&](auto zero, auto... range) {
      const bool good = scan_.number(reinterpret_cast<decltype(zero)&>(*filled.next), range...);
      filled.next += sizeof zero;
      return good;
    };
    if (filled.column.type == ScalarType::f64 ? read(double{})
        : filled.column.to == nullptr         ? read(std::int32_t{})
                                              : read(std::int32_t{}, 0, filled.targets - 1))
      return;
    LineScanner ahead = scan_;
    if (std::int32_t outside; filled.column.to != nullptr && ahead.number(outside))
      refuse_here(fmt::format("{} {}: a {} from 0 to {}", record.element, element,
                              std::string_view(filled.column.to) == parts::nodes ? "node" : "cell",
                              filled.targets - 1));
    refuse_here(fmt::format("{} {}: {}", record.element, element, record.fields));
  }

  LineScanner scan_;
  MeshFile mesh_;
};

}  // namespace

Expected<MeshFile> read_text(ByteView text) {
  return expected_from([&] { return TextReader(as_text(text)).read(); });
}

namespace {

/// Appends lines of numbers to bytes that grow ahead of them.
class LineWriter {
 public:
  void number(std::int32_t value) {
    char* to = room();
    written(std::to_chars(to, to + longest, value).ptr);
  }
  void number(double value) { written(write_decimals(room(), value)); }
  void end_line() { at_[-1] = '\n'; }

  Bytes take() {
    bytes_.resize(static_cast<std::size_t>(at_ - begin()));
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t longest = longest_decimals + 2;
  static constexpr std::size_t step = 1u << 20;

  char* begin() { return reinterpret_cast<char*>(bytes_.data()); }
  char* room() {
    if (const auto used = static_cast<std::size_t>(at_ - begin()); bytes_.size() - used < longest) {
      bytes_.resize(bytes_.size() + bytes_.size() / 2 + step);
      at_ = begin() + used;
    }
    return at_;
  }
  void written(char* end) {
    *end = ' ';
    at_ = end + 1;
  }

  Bytes bytes_;
  char* at_ = begin();
};

const TextFormat& format_of(const MeshFile& mesh) {
  return mesh.find_set(parts::edges) != nullptr ? airfoil_format() : aero_format();
}

/// A column's numbers in a mesh. Throws bad_input where the mesh has another map or dat.
struct TextValues {
  TextValues(const MeshFile& mesh, const TextRecord& record, const TextColumn& column)
      : width(static_cast<std::size_t>(column.width)), type(column.type) {
    constexpr std::string_view cannot = "no text file can hold this mesh: expected a";
    if (column.to != nullptr) {
      const FileMap* map = mesh.find_map(column.name);
      if (map == nullptr || map->from != record.set || map->to != column.to ||
          map->arity != column.width)
        refuse("{} map {} from {} to {} of them in {}", cannot, quote(column.name), record.set,
               column.width, column.to);
      values = map->values.data();
      return;
    }
    const FileDat* dat = mesh.find_dat(column.name);
    if (dat == nullptr || dat->set != record.set || dat->dim != column.width ||
        !(dat->type == type || (is_floating(type) && is_floating(dat->type))))
      refuse("{} dat {} of {} on {}", cannot, quote(column.name), column.wanted, record.set);
    values = dat->bytes.data();
    type = dat->type;
  }

  void append(LineWriter& out, std::size_t element) const {
    for (std::size_t at = element * width; at < (element + 1) * width; ++at)
      if (type == ScalarType::i32)
        out.number(static_cast<const std::int32_t*>(values)[at]);
      else if (type == ScalarType::f32)
        out.number(double{static_cast<const float*>(values)[at]});
      else
        out.number(static_cast<const double*>(values)[at]);
  }

  std::size_t width;
  ScalarType type;
  const void* values = nullptr;
};

/// A record's numbers, column by column; all maps are looked for before any dat.
std::vector<std::vector<TextValues>> values_of_records(const MeshFile& mesh,
                                                       const TextFormat& format) {
  for (const TextRecord& record : format)
    for (const TextColumn& column : record.columns)
      if (column.to != nullptr) TextValues(mesh, record, column);
  std::vector<std::vector<TextValues>> all;
  for (const TextRecord& record : format) {
    auto& values = all.emplace_back();
    for (const TextColumn& column : record.columns) values.emplace_back(mesh, record, column);
  }
  return all;
}

Bytes text_of(const MeshFile& mesh) {
  value_or_throw(check(mesh));
  const TextFormat& format = format_of(mesh);
  const auto records = values_of_records(mesh, format);
  std::vector<std::size_t> sizes;
  for (const TextRecord& record : format) {
    const FileSet* set = mesh.find_set(record.set);
    sizes.push_back(set == nullptr ? 0 : static_cast<std::size_t>(set->size));
  }
  LineWriter out;
  for (const std::size_t size : sizes) out.number(static_cast<std::int32_t>(size));
  out.end_line();
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t element = 0; element < sizes[r]; ++element) {
      for (const TextValues& values : records[r]) values.append(out, element);
      out.end_line();
    }
  return out.take();
}

}  // namespace

Expected<Bytes> write_text(const MeshFile& mesh) {
  return expected_from([&] { return text_of(mesh); });
}

std::vector<std::string> lost_in_text(const MeshFile& mesh) {
  std::set<std::string_view> kept;
  for (const TextRecord& record : format_of(mesh)) {
    kept.insert(record.set);
    for (const TextColumn& column : record.columns) kept.insert(column.name);
  }
  std::vector<std::string> lost;
  const auto look = [&](const auto& list) {
    for (const auto& part : list)
      if (!kept.contains(part.name)) lost.push_back(part.name);
  };
  look(mesh.sets);
  look(mesh.maps);
  look(mesh.dats);
  look(mesh.constants);
  return lost;
}

}  // namespace kiln::mesh
