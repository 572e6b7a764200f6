#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mesh/file/line_scanner.hpp"
#include "mesh/file/quote.hpp"
#include "mesh/file/text.hpp"
#include "mesh/file/text_parts.hpp"

namespace kiln::mesh {
namespace {

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

std::string LineScanner::found() const {
  if (at_ == end_) return "the end of the file";
  if (*at_ == '\n') return "the end of the line";
  const char* stop = at_;
  while (stop != end_ && !is_blank(*stop) && *stop != '\n') ++stop;
  return quote({at_, static_cast<std::size_t>(stop - at_)});
}

Expected<MeshFile> read_text(ByteView text) { return TextReader(as_text(text)).read(); }

}  // namespace kiln::mesh
