// The text files of OP2's applications: read line by line, written as printf would.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "mesh/io/encoding.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

/// Reads numbers between blanks off the lines of a text. After a failure it stands before what
/// was wrong, for found(). Not thread-safe.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  /// The line that it stands in, from 1.
  std::int64_t line() const { return line_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// The next number of this line; false for anything else, a number that does not fit included.
  template <class T>
  bool number(T& value) {
    T read{};
    const char* stop = after(read);
    if (stop == nullptr) return false;
    value = read;
    at_ = stop;
    return true;
  }

  /// The same for a number that may not be below zero.
  template <class T>
  bool count(T& value) {
    T read{};
    const char* stop = after(read);
    if (stop == nullptr || read < 0) return false;
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
  /// The end of the number that stands here; null where there is none.
  template <class T>
  const char* after(T& value) {
    skip_blanks();
    const auto [stop, error] = std::from_chars(at_, end_, value);
    const bool ends = stop == end_ || is_blank(*stop) || *stop == '\n';
    return error == std::errc{} && ends ? stop : nullptr;
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
};

/// One line of four or three numbers, and which file it announces.
struct Header {
  std::int32_t nodes = 0, cells = 0, edges = 0, bedges = 0;
  bool aero = false;
};

/// What a line holds, as messages name it: "cell 12".
struct Record {
  const char* name;
  std::int32_t number;
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : scan_(text) {}

  Expected<MeshFile> read() {
    if (!header() || !fits()) return tl::unexpected(std::move(*error_));
    MeshFile mesh = header_.aero ? aero() : airfoil();
    if (!error_ && !scan_.at_end()) refuse("the end of the file");
    if (error_) return tl::unexpected(std::move(*error_));
    return mesh;
  }

 private:
  bool refuse(std::string_view expected) {
    error_.emplace(Errc::bad_input, fmt::format("line {}: found {}, expected {}", scan_.line(),
                                                scan_.found(), expected));
    return false;
  }
  bool refuse_line(const Record& record, const char* fields) {
    return refuse(fmt::format("{} {}: {}", record.name, record.number, fields));
  }

  bool header() {
    std::int32_t counts[4] = {};
    int got = 0;
    while (got < 4 && (got < 3 || scan_.more_in_line())) {
      if (!scan_.count(counts[got]))
        return refuse(
            "the numbers of nodes, cells, edges and boundary edges, or of nodes, cells "
            "and boundary nodes");
      ++got;
    }
    header_ = {counts[0], counts[1], counts[2], counts[3], got == 3};
    if (header_.aero) std::swap(header_.edges, header_.bedges);
    return scan_.end_line() || refuse("the end of the line after four numbers");
  }

  /// Whether the text is long enough for what its header announces, so that no header decides how
  /// much memory is taken: two bytes a number, the last line's end aside.
  bool fits() {
    const std::int64_t numbers = 2ll * header_.nodes + 4ll * header_.cells + 4ll * header_.edges +
                                 (header_.aero ? 1ll : 4ll) * header_.bedges;
    if (2 * numbers <= static_cast<std::int64_t>(scan_.left()) + 1) return true;
    error_.emplace(Errc::bad_input,
                   fmt::format("line 1: the header announces {} numbers, which take at least {} "
                               "bytes; found {} bytes after it",
                               numbers, 2 * numbers - 1, scan_.left()));
    return false;
  }

  /// The next number, which is that of an element of a set.
  bool element(std::int32_t& value, std::int32_t size, const Record& record, const char* fields,
               const char* set) {
    const LineScanner before = scan_;
    if (!scan_.number(value)) return refuse_line(record, fields);
    // Negative numbers are too large ones here.
    if (static_cast<std::uint32_t>(value) < static_cast<std::uint32_t>(size)) return true;
    scan_ = before;
    scan_.more_in_line();  // to the word
    return refuse(
        fmt::format("{} {}: a {} from 0 to {}", record.name, record.number, set, size - 1));
  }

  bool end_of(const Record& record, const char* fields) {
    return scan_.end_line() || refuse(fmt::format("{} {}: the end of the line after {}",
                                                  record.name, record.number, fields));
  }

  void nodes(MeshFile& mesh) {
    constexpr const char* fields = "x and y";
    const auto size = static_cast<std::size_t>(header_.nodes);
    FileDat& dat =
        mesh.dats.emplace_back(FileDat{parts::coordinates, parts::nodes, 2, ScalarType::f64,
                                       Bytes(size * 2 * sizeof(double)), "double"});
    auto* xy = reinterpret_cast<double*>(dat.bytes.data());
    for (std::int32_t n = 0; n < header_.nodes && !error_; ++n, xy += 2)
      if (!scan_.number(xy[0]) || !scan_.number(xy[1]))
        refuse_line({"node", n}, fields);
      else
        end_of({"node", n}, fields);
  }

  void cells(MeshFile& mesh) {
    constexpr const char* fields = "four nodes";
    FileMap& map = add_map(mesh, parts::cell_nodes, parts::cells, parts::nodes, 4);
    std::int32_t* entry = map.values.data();
    for (std::int32_t n = 0; n < header_.cells && !error_; ++n) {
      const Record record{"cell", n};
      for (int k = 0; k < 4 && !error_; ++k)
        element(*entry++, header_.nodes, record, fields, "node");
      if (!error_) end_of(record, fields);
    }
  }

  void edges(MeshFile& mesh) {
    constexpr const char* fields = "two nodes and two cells";
    std::int32_t* node =
        add_map(mesh, parts::edge_nodes, parts::edges, parts::nodes, 2).values.data();
    std::int32_t* cell =
        add_map(mesh, parts::edge_cells, parts::edges, parts::cells, 2).values.data();
    for (std::int32_t n = 0; n < header_.edges && !error_; ++n, node += 2, cell += 2) {
      const Record record{"edge", n};
      (void)(element(node[0], header_.nodes, record, fields, "node") &&
             element(node[1], header_.nodes, record, fields, "node") &&
             element(cell[0], header_.cells, record, fields, "cell") &&
             element(cell[1], header_.cells, record, fields, "cell") && end_of(record, fields));
    }
  }

  void boundary_edges(MeshFile& mesh) {
    constexpr const char* fields = "two nodes, a cell and the kind of boundary";
    std::int32_t* node =
        add_map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 2).values.data();
    std::int32_t* cell =
        add_map(mesh, parts::bedge_cells, parts::bedges, parts::cells, 1).values.data();
    const auto size = static_cast<std::size_t>(header_.bedges);
    FileDat& dat = mesh.dats.emplace_back(FileDat{parts::bound, parts::bedges, 1, ScalarType::i32,
                                                  Bytes(size * sizeof(std::int32_t)), "int"});
    auto* bound = reinterpret_cast<std::int32_t*>(dat.bytes.data());
    for (std::int32_t n = 0; n < header_.bedges && !error_; ++n, node += 2, ++cell, ++bound) {
      const Record record{"boundary edge", n};
      (void)(element(node[0], header_.nodes, record, fields, "node") &&
             element(node[1], header_.nodes, record, fields, "node") &&
             element(cell[0], header_.cells, record, fields, "cell") &&
             (scan_.number(*bound) || refuse_line(record, fields)) && end_of(record, fields));
    }
  }

  void boundary_nodes(MeshFile& mesh) {
    constexpr const char* fields = "a node";
    std::int32_t* node =
        add_map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 1).values.data();
    for (std::int32_t n = 0; n < header_.bedges && !error_; ++n, ++node) {
      const Record record{"boundary node", n};
      (void)(element(*node, header_.nodes, record, fields, "node") && end_of(record, fields));
    }
  }

  FileMap& add_map(MeshFile& mesh, const char* name, const char* from, const char* to, int arity) {
    // The maps of one line are filled side by side: room for all, so that none moves.
    mesh.maps.reserve(5);
    const auto size = static_cast<std::size_t>(mesh.find_set(from)->size);
    return mesh.maps.emplace_back(FileMap{
        name, from, to, arity, std::vector<std::int32_t>(size * static_cast<std::size_t>(arity))});
  }

  MeshFile airfoil() {
    MeshFile mesh;
    mesh.sets = {{parts::nodes, header_.nodes},
                 {parts::edges, header_.edges},
                 {parts::bedges, header_.bedges},
                 {parts::cells, header_.cells}};
    nodes(mesh);
    cells(mesh);
    edges(mesh);
    boundary_edges(mesh);
    return mesh;
  }

  MeshFile aero() {
    MeshFile mesh;
    mesh.sets = {{parts::nodes, header_.nodes},
                 {parts::bedges, header_.bedges},
                 {parts::cells, header_.cells}};
    nodes(mesh);
    cells(mesh);
    boundary_nodes(mesh);
    return mesh;
  }

  LineScanner scan_;
  Header header_;
  std::optional<Error> error_;
};

}  // namespace

Expected<MeshFile> read_text(ByteView text) { return TextReader(as_text(text)).read(); }

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

tl::unexpected<Error> not_as_text(std::string message) {
  return fail(Errc::bad_input, "no text file can hold this mesh: " + std::move(message));
}

std::int32_t size_of_set(const MeshFile& mesh, const char* name) {
  const FileSet* set = mesh.find_set(name);
  return set == nullptr ? 0 : static_cast<std::int32_t>(set->size);
}

/// The map of this name, which has to be as the file needs it.
Expected<const std::int32_t*> map(const MeshFile& mesh, const char* name, const char* from,
                                  const char* to, int arity) {
  const FileMap* found = mesh.find_map(name);
  if (found != nullptr && found->from == from && found->to == to && found->arity == arity)
    return found->values.data();
  return not_as_text(
      fmt::format("expected a map {} from {} to {} of them in {}", quote(name), from, arity, to));
}

Expected<void> append_nodes(LineWriter& out, const MeshFile& mesh) {
  const FileDat* dat = mesh.find_dat(parts::coordinates);
  if (dat == nullptr || dat->set != parts::nodes || dat->dim != 2 || !is_floating(dat->type))
    return not_as_text(fmt::format("expected a dat {} of two floats or doubles on {}",
                                   quote(parts::coordinates), parts::nodes));
  const auto append = [&](const auto values) {
    for (std::size_t at = 0; at < values.size(); at += 2) {
      out.number(static_cast<double>(values[at]));
      out.number(static_cast<double>(values[at + 1]));
      out.end_line();
    }
  };
  if (dat->type == ScalarType::f64)
    append(values_of<double>(*dat));
  else
    append(values_of<float>(*dat));
  return {};
}

/// A line an element: the targets of each map, one after another.
struct TextColumn {
  const std::int32_t* values;
  int arity;
};

void append_lines(LineWriter& out, std::int32_t elements,
                  std::initializer_list<TextColumn> columns) {
  for (std::int32_t n = 0; n < elements; ++n) {
    for (const TextColumn& column : columns)
      for (int k = 0; k < column.arity; ++k)
        out.number(
            column.values[static_cast<std::size_t>(n) * static_cast<std::size_t>(column.arity) +
                          static_cast<std::size_t>(k)]);
    out.end_line();
  }
}

Expected<void> append_airfoil(LineWriter& out, const MeshFile& mesh) {
  const auto edge = map(mesh, parts::edge_nodes, parts::edges, parts::nodes, 2);
  if (!edge) return tl::unexpected(edge.error());
  const auto edge_cell = map(mesh, parts::edge_cells, parts::edges, parts::cells, 2);
  if (!edge_cell) return tl::unexpected(edge_cell.error());
  const auto bedge = map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 2);
  if (!bedge) return tl::unexpected(bedge.error());
  const auto bedge_cell = map(mesh, parts::bedge_cells, parts::bedges, parts::cells, 1);
  if (!bedge_cell) return tl::unexpected(bedge_cell.error());
  const FileDat* bound = mesh.find_dat(parts::bound);
  if (bound == nullptr || bound->set != parts::bedges || bound->dim != 1 ||
      bound->type != ScalarType::i32)
    return not_as_text(
        fmt::format("expected a dat {} of one int on {}", quote(parts::bound), parts::bedges));
  append_lines(out, size_of_set(mesh, parts::edges), {{*edge, 2}, {*edge_cell, 2}});
  append_lines(out, size_of_set(mesh, parts::bedges),
               {{*bedge, 2}, {*bedge_cell, 1}, {values_of<std::int32_t>(*bound).data(), 1}});
  return {};
}

Expected<void> append_aero(LineWriter& out, const MeshFile& mesh) {
  const auto node = map(mesh, parts::bedge_nodes, parts::bedges, parts::nodes, 1);
  if (!node) return tl::unexpected(node.error());
  append_lines(out, size_of_set(mesh, parts::bedges), {{*node, 1}});
  return {};
}

bool is_airfoil(const MeshFile& mesh) { return mesh.find_set(parts::edges) != nullptr; }

}  // namespace

Expected<Bytes> write_text(const MeshFile& mesh) {
  if (auto checked = check(mesh); !checked) return tl::unexpected(checked.error());
  const bool airfoil = is_airfoil(mesh);
  const auto cell = map(mesh, parts::cell_nodes, parts::cells, parts::nodes, 4);
  if (!cell) return tl::unexpected(cell.error());
  LineWriter out;
  out.number(size_of_set(mesh, parts::nodes));
  out.number(size_of_set(mesh, parts::cells));
  if (airfoil) out.number(size_of_set(mesh, parts::edges));
  out.number(size_of_set(mesh, parts::bedges));
  out.end_line();
  if (auto nodes = append_nodes(out, mesh); !nodes) return tl::unexpected(nodes.error());
  append_lines(out, size_of_set(mesh, parts::cells), {{*cell, 4}});
  if (auto rest = airfoil ? append_airfoil(out, mesh) : append_aero(out, mesh); !rest)
    return tl::unexpected(rest.error());
  return out.take();
}

std::vector<std::string> lost_in_text(const MeshFile& mesh) {
  const bool airfoil = is_airfoil(mesh);
  std::vector<std::string> lost;
  const auto keep = [&](const std::string& name, std::initializer_list<const char*> kept) {
    for (const char* one : kept)
      if (name == one) return;
    lost.push_back(name);
  };
  for (const FileSet& set : mesh.sets)
    keep(set.name, {parts::nodes, parts::edges, parts::bedges, parts::cells});
  for (const FileMap& one : mesh.maps)
    if (airfoil)
      keep(one.name, {parts::edge_nodes, parts::edge_cells, parts::bedge_nodes, parts::bedge_cells,
                      parts::cell_nodes});
    else
      keep(one.name, {parts::bedge_nodes, parts::cell_nodes});
  for (const FileDat& dat : mesh.dats)
    if (airfoil)
      keep(dat.name, {parts::coordinates, parts::bound});
    else
      keep(dat.name, {parts::coordinates});
  for (const FileConst& constant : mesh.constants) lost.push_back(constant.name);
  return lost;
}

}  // namespace kiln::mesh
