// Meshes as VTK's unstructured grids.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/data/text.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

using Point = std::array<double, 3>;

/// VTK's names of types.
constexpr std::array<const char*, 10> vtk_types{"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                "UInt32", "Int64", "UInt64", "Float32", "Float64"};

/// A shape of cells: VTK's number (vtkCellType.h), its nodes, and the least dimension of points.
struct Shape {
  const char* name;
  std::uint8_t vtk;
  int nodes, dimension;
};
constexpr std::array<Shape, 8> shapes{{{"vertices", 1, 1, 1},
                                       {"lines", 3, 2, 1},
                                       {"triangles", 5, 3, 1},
                                       {"quadrilaterals", 9, 4, 1},
                                       {"tetrahedra", 10, 4, 3},
                                       {"pyramids", 14, 5, 3},
                                       {"wedges", 13, 6, 3},
                                       {"hexahedra", 12, 8, 3}}};
const Shape& shape_of(CellShape shape) { return shapes[static_cast<std::size_t>(shape)]; }

bool is_coordinates(const FileDat& dat) {
  return is_floating(dat.type) && dat.dim >= 1 && dat.dim <= 3;
}

const FileDat& find_coordinates(const MeshFile& mesh, const std::string& name) {
  const std::string wanted = name.empty() ? parts::coordinates : name;
  const FileDat* dat = mesh.find_dat(wanted);
  if (dat == nullptr && name.empty()) {
    int fitting = 0;
    for (const FileDat& one : mesh.dats)
      if (is_coordinates(one) && one.dim > 1) dat = &one, ++fitting;
    if (fitting != 1)
      refuse("there is no dat {}, and {} others could be coordinates: say which", quote(wanted),
             fitting);
  }
  if (dat == nullptr) refuse("there is no dat {}", quote(wanted));
  if (!is_coordinates(*dat))
    refuse("dat {}: found {} of type {}, expected 1 to 3 floats or doubles as coordinates",
           quote(wanted), dat->dim, name_of(dat->type));
  return *dat;
}

/// The cells of a picture: the map of this name or, of an empty one, the best that leads to the
/// points.
const FileMap& find_cells(const MeshFile& mesh, const FileDat& points, const VtuChoice& choice) {
  const auto fits = [&](const FileMap& map) {
    if (map.to != points.set) return false;
    if (choice.shape) return shape_of(*choice.shape).nodes == map.arity;
    return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& one) {
      return one.nodes == map.arity && one.dimension <= points.dim;
    });
  };
  const std::string expected = choice.shape ? fmt::format("{} ({})", shape_of(*choice.shape).nodes,
                                                          shape_of(*choice.shape).name)
                               : points.dim < 3 ? "1 to 4"
                                                : "1 to 6 or 8";
  if (const std::string& name = choice.cells; !name.empty()) {
    const FileMap* map = mesh.find_map(name);
    if (map == nullptr) refuse("there is no map {}", quote(name));
    if (!fits(*map))
      refuse("map {}: found {} entries to {}, expected {} to {}", quote(name), map->arity,
             quote(map->to), expected, quote(points.set));
    return *map;
  }
  const FileMap* best = mesh.find_map(parts::cell_nodes);
  if (best != nullptr && fits(*best)) return *best;
  best = nullptr;
  for (const FileMap& map : mesh.maps)
    if (fits(map) && (best == nullptr || map.arity > best->arity)) best = &map;
  if (best == nullptr) refuse("there is no map with {} entries to {}", expected, quote(points.set));
  return *best;
}

std::vector<Point> points_of(const FileDat& dat) {
  const auto dim = static_cast<std::size_t>(dat.dim);
  std::vector<Point> points(dat.bytes.size() / size_of(dat.type) / dim);
  with_type(dat.type, [&](auto zero) {
    const auto values = values_of<decltype(zero)>(dat);
    for (std::size_t at = 0; at < values.size(); ++at)
      points[at / dim][at % dim] = static_cast<double>(values[at]);
  });
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

/// What the cells are. Points at one z can only have quadrilaterals.
CellShape decide(const VtuChoice& choice, const FileMap& map, const std::vector<Point>& points) {
  if (choice.shape) return *choice.shape;
  if (map.arity != 4)
    return static_cast<CellShape>(std::ranges::find(shapes, map.arity, &Shape::nodes) -
                                  shapes.begin());
  if (std::all_of(points.begin(), points.end(),
                  [&](const Point& p) { return p[2] == points[0][2]; }))
    return CellShape::quad;
  refuse(
      "map {}: cells of 4 nodes in space are tetrahedra or quadrilaterals: say which (--shape "
      "tetra or --shape quad)",
      quote(map.name));
}

/// The cells' nodes as VTK wants them, quadrilaterals once round: those that list theirs by row
/// cross themselves as they are, and not after the last two have changed places. So do the bottom
/// and the top of a hexahedron.
std::vector<std::int32_t> connectivity(const FileMap& map, CellShape shape,
                                       const std::vector<Point>& points) {
  std::vector<std::int32_t> nodes = map.values;
  if (shape != CellShape::quad && shape != CellShape::hexahedron) return nodes;
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
    // The length and the values are one text, which can be cut behind groups of three bytes.
    const auto length = static_cast<std::uint64_t>(bytes.size());
    const std::size_t to_group = std::min<std::size_t>(1, bytes.size());
    Bytes front;
    append_le(front, length);
    append(front, bytes.first(to_group));
    append_base64(data_, front);
    append_base64(data_, bytes.subspan(to_group));
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

void add_cells(Document& out, const FileMap& map, CellShape shape,
               const std::vector<Point>& points) {
  const auto nodes = connectivity(map, shape, points);
  std::vector<std::int64_t> ends(nodes.size() / static_cast<std::size_t>(map.arity));
  for (std::size_t k = 0; k < ends.size(); ++k)
    ends[k] = static_cast<std::int64_t>(k + 1) * map.arity;
  const std::vector<std::uint8_t> kinds(ends.size(), shape_of(shape).vtk);
  out.open("<Cells>");
  out.array("connectivity", ScalarType::i32, 1, std::as_bytes(std::span(nodes)));
  out.array("offsets", ScalarType::i64, 1, std::as_bytes(std::span(ends)));
  out.array("types", ScalarType::u8, 1, std::as_bytes(std::span(kinds)));
  out.open("</Cells>");
}

/// The data that a picture has, by where they are.
struct ShownDats {
  std::vector<const FileDat*> on_points, on_cells;

  ShownDats(const MeshFile& mesh, const VtuChoice& choice, const FileDat& coordinates,
            const FileMap& cells) {
    for (const std::string& name : choice.dats) {
      const FileDat* dat = mesh.find_dat(name);
      if (dat == nullptr) {
        std::vector<std::string_view> names;
        for (const FileDat& one : mesh.dats) names.push_back(one.name);
        refuse("there is no dat {}{}", quote(name), did_you_mean(name, names));
      }
      if (dat->set != coordinates.set && dat->set != cells.from)
        refuse("dat {} is on {}, expected one on the points ({}) or the cells ({})", quote(name),
               quote(dat->set), quote(coordinates.set), quote(cells.from));
      (dat->set == coordinates.set ? on_points : on_cells).push_back(dat);
    }
  }
};

Bytes vtu_of(const MeshFile& mesh, const VtuChoice& choice) {
  value_or_throw(check(mesh));
  const FileDat& coordinates = find_coordinates(mesh, choice.coordinates);
  const FileMap& cells = find_cells(mesh, coordinates, choice);
  const auto points = points_of(coordinates);
  const CellShape shape = decide(choice, cells, points);
  const ShownDats shown(mesh, choice, coordinates, cells);
  Document out;
  out.open("<?xml version=\"1.0\"?>");
  out.open(
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">");
  out.open("<UnstructuredGrid>");
  out.open(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", points.size(),
                       mesh.find_set(cells.from)->size));
  add_dats(out, "PointData", shown.on_points);
  add_dats(out, "CellData", shown.on_cells);
  out.open("<Points>");
  out.array("Points", ScalarType::f64, 3, std::as_bytes(std::span(points)));
  out.open("</Points>");
  add_cells(out, cells, shape, points);
  out.open("</Piece>");
  out.open("</UnstructuredGrid>");
  return out.finish();
}

Bytes pvtu_of(const MeshFile& mesh, const VtuChoice& choice,
              const std::vector<std::string>& names) {
  const FileDat& coordinates = find_coordinates(mesh, choice.coordinates);
  const ShownDats shown(mesh, choice, coordinates, find_cells(mesh, coordinates, choice));
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "<PUnstructuredGrid GhostLevel=\"0\">\n";
  const auto array = [&](std::string_view name, ScalarType type, int components) {
    text +=
        fmt::format("<PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
                    vtk_types[static_cast<std::size_t>(type)], escaped(one_line(name)), components);
  };
  for (const auto& [tag, dats] :
       {std::pair("PPointData", shown.on_points), std::pair("PCellData", shown.on_cells)}) {
    text += fmt::format("<{}>\n", tag);
    for (const FileDat* dat : dats) array(dat->name, dat->type, dat->dim);
    text += fmt::format("</{}>\n", tag);
  }
  text += "<PPoints>\n";
  array("Points", ScalarType::f64, 3);
  text += "</PPoints>\n";
  for (const std::string& name : names)
    text += fmt::format("<Piece Source=\"{}\"/>\n", escaped(name));
  text += "</PUnstructuredGrid>\n</VTKFile>\n";
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Expected<Bytes> write_pvtu(const MeshFile& piece, const VtuChoice& choice,
                           const std::vector<std::string>& names) {
  return expected_from([&] { return pvtu_of(piece, choice, names); });
}

Expected<Bytes> write_vtu(const MeshFile& mesh, const VtuChoice& choice) {
  return expected_from([&] { return vtu_of(mesh, choice); });
}

}  // namespace kiln::mesh
