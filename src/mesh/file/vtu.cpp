#include "mesh/file/vtu.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/suggest.hpp"
#include "mesh/file/base64.hpp"
#include "mesh/file/quote.hpp"
#include "mesh/file/text_parts.hpp"

namespace kiln::mesh {
namespace {

using Point = std::array<double, 3>;

/// VTK's names of types and of the shapes of cells (vtkCellType.h).
constexpr std::array<const char*, 10> vtk_types{"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                "UInt32", "Int64", "UInt64", "Float32", "Float64"};
constexpr std::array<std::uint8_t, 5> shapes{0, 1, 3, 5, 9};  // by the number of nodes

tl::unexpected<Error> cannot(std::string message) {
  return fail(Errc::bad_input, std::move(message));
}

bool is_coordinates(const FileDat& dat) {
  return is_floating(dat.type) && dat.dim >= 1 && dat.dim <= 3;
}

/// The only one that fits, where none is named.
template <class T>
struct Only {
  const T* found = nullptr;
  int count = 0;
  void see(const T& one) {
    found = &one;
    ++count;
  }
};

Expected<const FileDat*> find_coordinates(const MeshFile& mesh, const std::string& name) {
  const std::string wanted = name.empty() ? parts::coordinates : name;
  const FileDat* dat = mesh.find_dat(wanted);
  if (dat == nullptr && name.empty()) {
    Only<FileDat> only;
    for (const FileDat& one : mesh.dats)
      if (is_coordinates(one) && one.dim > 1) only.see(one);
    if (only.count != 1)
      return cannot(fmt::format("there is no dat {}, and {} others could be coordinates: say which",
                                quote(wanted), only.count));
    dat = only.found;
  }
  if (dat == nullptr) return cannot(fmt::format("there is no dat {}", quote(wanted)));
  if (!is_coordinates(*dat))
    return cannot(
        fmt::format("dat {}: found {} of type {}, expected 1 to 3 floats or doubles as "
                    "coordinates",
                    quote(wanted), dat->dim, name_of(dat->type)));
  return dat;
}

bool is_cells(const FileMap& map, const std::string& points) {
  return map.to == points && map.arity >= 1 && map.arity < static_cast<int>(shapes.size());
}

Expected<const FileMap*> find_cells(const MeshFile& mesh, const std::string& name,
                                    const std::string& points) {
  if (!name.empty()) {
    const FileMap* map = mesh.find_map(name);
    if (map == nullptr) return cannot(fmt::format("there is no map {}", quote(name)));
    if (!is_cells(*map, points))
      return cannot(fmt::format("map {}: found {} entries to {}, expected 1 to 4 to {}",
                                quote(name), map->arity, quote(map->to), quote(points)));
    return map;
  }
  const FileMap* best = mesh.find_map(parts::cell_nodes);
  if (best != nullptr && is_cells(*best, points)) return best;
  best = nullptr;
  for (const FileMap& map : mesh.maps)
    if (is_cells(map, points) && (best == nullptr || map.arity > best->arity)) best = &map;
  if (best == nullptr)
    return cannot(fmt::format("there is no map to {} of 1 to 4 nodes", quote(points)));
  return best;
}

std::vector<Point> points_of(const FileDat& dat) {
  std::vector<Point> points(dat.bytes.size() / size_of(dat.type) /
                            static_cast<std::size_t>(dat.dim));
  const auto fill = [&](const auto values) {
    std::size_t at = 0;
    for (Point& point : points)
      for (std::size_t k = 0; k < static_cast<std::size_t>(dat.dim); ++k)
        point[k] = static_cast<double>(values[at++]);
  };
  if (dat.type == ScalarType::f64)
    fill(values_of<double>(dat));
  else
    fill(values_of<float>(dat));
  return points;
}

/// The square of twice the area that a closed path of four points goes round; one that crosses
/// itself goes round its two halves in opposite directions.
double area_of(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Point p{c[0] - a[0], c[1] - a[1], c[2] - a[2]}, q{d[0] - b[0], d[1] - b[1], d[2] - b[2]};
  const double x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2],
               z = p[0] * q[1] - p[1] * q[0];
  return x * x + y * y + z * z;
}

/// The cells' nodes as VTK wants them, once round: cells that list theirs by row cross themselves
/// as they are, and not after the last two have changed places.
std::vector<std::int32_t> connectivity(const FileMap& map, const std::vector<Point>& points) {
  std::vector<std::int32_t> nodes = map.values;
  if (map.arity != 4) return nodes;
  const auto at = [&](std::int32_t node) { return points[static_cast<std::size_t>(node)]; };
  for (std::size_t k = 0; k < nodes.size(); k += 4) {
    const Point a = at(nodes[k]), b = at(nodes[k + 1]), c = at(nodes[k + 2]), d = at(nodes[k + 3]);
    if (area_of(a, b, d, c) > area_of(a, b, c, d)) std::swap(nodes[k + 2], nodes[k + 3]);
  }
  return nodes;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// The document: heads of arrays above, their numbers at the end.
class Document {
 public:
  void open(std::string_view tag) { append(head_, fmt::format("{}\n", tag)); }

  void array(std::string_view name, ScalarType type, int components, ByteView bytes) {
    // Names are a file's: what is no text is escaped, and what XML would read as its own, too.
    append(head_, fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
                              "format=\"appended\" offset=\"{}\"/>\n",
                              vtk_types[static_cast<std::size_t>(type)], escaped(one_line(name)),
                              components, data_.size()));
    // The length and the values are one text.
    Base64 base64(data_);
    base64.add(bytes_of(static_cast<std::uint64_t>(bytes.size())));
    base64.add(bytes);
    base64.finish();
  }

  Bytes finish() {
    append(head_, std::string_view("<AppendedData encoding=\"base64\">\n_"));
    append(head_, ByteView(data_));
    append(head_, std::string_view("\n</AppendedData>\n</VTKFile>\n"));
    return std::move(head_);
  }

 private:
  Bytes head_, data_;
};

void add_dats(Document& out, const char* tag, const std::vector<const FileDat*>& dats) {
  out.open(fmt::format("<{}>", tag));
  for (const FileDat* dat : dats) out.array(dat->name, dat->type, dat->dim, dat->bytes);
  out.open(fmt::format("</{}>", tag));
}

void add_cells(Document& out, const FileMap& map, const std::vector<Point>& points) {
  const auto nodes = connectivity(map, points);
  std::vector<std::int64_t> ends(nodes.size() / static_cast<std::size_t>(map.arity));
  for (std::size_t k = 0; k < ends.size(); ++k)
    ends[k] = static_cast<std::int64_t>(k + 1) * map.arity;
  const std::vector<std::uint8_t> kinds(ends.size(), shapes[static_cast<std::size_t>(map.arity)]);
  out.open("<Cells>");
  out.array("connectivity", ScalarType::i32, 1, std::as_bytes(std::span(nodes)));
  out.array("offsets", ScalarType::i64, 1, std::as_bytes(std::span(ends)));
  out.array("types", ScalarType::u8, 1, std::as_bytes(std::span(kinds)));
  out.open("</Cells>");
}

}  // namespace

Expected<Bytes> write_vtu(const MeshFile& mesh, const VtuChoice& choice) {
  if (auto checked = check(mesh); !checked) return tl::unexpected(checked.error());
  const auto coordinates = find_coordinates(mesh, choice.coordinates);
  if (!coordinates) return tl::unexpected(coordinates.error());
  const auto cells = find_cells(mesh, choice.cells, (*coordinates)->set);
  if (!cells) return tl::unexpected(cells.error());
  std::vector<const FileDat*> on_points, on_cells;
  for (const std::string& name : choice.dats) {
    const FileDat* dat = mesh.find_dat(name);
    if (dat == nullptr) {
      std::vector<std::string_view> names;
      for (const FileDat& one : mesh.dats) names.push_back(one.name);
      return cannot(fmt::format("there is no dat {}{}", quote(name), did_you_mean(name, names)));
    }
    if (dat->set != (*coordinates)->set && dat->set != (*cells)->from)
      return cannot(fmt::format(
          "dat {} is on {}, expected one on the points ({}) or the cells ({})", quote(name),
          quote(dat->set), quote((*coordinates)->set), quote((*cells)->from)));
    (dat->set == (*coordinates)->set ? on_points : on_cells).push_back(dat);
  }
  const auto points = points_of(**coordinates);
  Document out;
  out.open("<?xml version=\"1.0\"?>");
  out.open(
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">");
  out.open("<UnstructuredGrid>");
  out.open(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", points.size(),
                       mesh.find_set((*cells)->from)->size));
  add_dats(out, "PointData", on_points);
  add_dats(out, "CellData", on_cells);
  out.open("<Points>");
  out.array("Points", ScalarType::f64, 3, std::as_bytes(std::span(points)));
  out.open("</Points>");
  add_cells(out, **cells, points);
  out.open("</Piece>");
  out.open("</UnstructuredGrid>");
  return out.finish();
}

}  // namespace kiln::mesh
