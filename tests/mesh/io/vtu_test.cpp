// VTK files, read back by Python's XML parser and a strict reader of what VTK's format asks for.
#include <gtest/gtest.h>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::bytes_from;
using testing::refusal;
using testing::two_squares;
using testing::two_squares_by_row;

/// Prints what a file holds, a line an array, or fails: every offset must be the end of the array
/// before, every array as long as its place asks for.
constexpr const char* reader = R"(
import base64, struct, sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == 'VTKFile' and root.get('type') == 'UnstructuredGrid'
assert root.get('byte_order') == 'LittleEndian' and root.get('header_type') == 'UInt64'
grid, appended = root
assert grid.tag == 'UnstructuredGrid' and appended.tag == 'AppendedData'
assert appended.get('encoding') == 'base64'
text = appended.text.strip()
assert text[0] == '_'
text = text[1:]
(piece,) = grid
points, cells = int(piece.get('NumberOfPoints')), int(piece.get('NumberOfCells'))
formats = {'Int8': 'b', 'UInt8': 'B', 'Int16': 'h', 'UInt16': 'H', 'Int32': 'i', 'UInt32': 'I',
           'Int64': 'q', 'UInt64': 'Q', 'Float32': 'f', 'Float64': 'd'}
assert [part.tag for part in piece] == ['PointData', 'CellData', 'Points', 'Cells']
arrays, end = {}, 0
for part in piece:
    for array in part:
        assert array.tag == 'DataArray' and array.get('format') == 'appended'
        offset = int(array.get('offset'))
        assert offset == end, (offset, end)
        (size,) = struct.unpack('<Q', base64.b64decode(text[offset:offset + 12])[:8])
        end = offset + (8 + size + 2) // 3 * 4
        data = base64.b64decode(text[offset:end], validate=True)[8:]
        assert len(data) == size
        form = formats[array.get('type')]
        values = struct.unpack('<%d%s' % (size // struct.calcsize(form), form), data)
        count = {'PointData': points, 'CellData': cells, 'Points': points}.get(part.tag)
        width = int(array.get('NumberOfComponents'))
        assert count is None or len(values) == count * width
        arrays[part.tag, array.get('Name')] = values
        print(part.tag, array.get('Name'), array.get('type'), width,
              *(values if len(values) <= 40 else ['...']))
assert end == len(text)
nodes, ends = arrays['Cells', 'connectivity'], arrays['Cells', 'offsets']
assert len(ends) == len(arrays['Cells', 'types']) == cells
assert not ends or ends[-1] == len(nodes)
assert all(0 <= node < points for node in nodes)
place = arrays['Points', 'Points']
for cell, kind in enumerate(arrays['Cells', 'types']):
    own = nodes[ends[cell - 1] if cell else 0:ends[cell]]
    assert len(own) == {1: 1, 3: 2, 5: 3, 9: 4, 10: 4, 12: 8, 13: 6, 14: 5}[kind]
    if kind == 9:
        x = [place[3 * node:3 * node + 3] for node in own]
        area = sum(x[k - 1][0] * x[k][1] - x[k][0] * x[k - 1][1] for k in range(4)) / 2
        assert area > 0, (cell, area)
print('points', points, 'cells', cells)
)";

class VtkFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "python3 is not installed";
  }

  /// What the reader prints of it, or its complaint.
  std::string seen(const MeshFile& mesh, const VtuChoice& choice = {}) {
    const auto bytes = write_vtu(mesh, choice);
    if (!bytes) return bytes.error().message();
    const auto path = folder_.path() / "mesh.vtu";
    value_or_throw(write_file(path, *bytes));
    const auto result = value_or_throw(
        run_process({.program = "/usr/bin/python3", .arguments = {"-c", reader, path}}));
    return result.exit_code == 0 ? result.output : result.errors;
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-vtu"));
};

TEST_F(VtkFiles, hold_cells_points_and_data) {
  MeshFile mesh = two_squares();
  mesh.dats.push_back({"p_q", "cells", 3, ScalarType::f32, bytes_from<float>({1, 2, 3, 4, 5, 6})});
  mesh.dats.push_back(
      {"rank", "nodes", 1, ScalarType::i16, bytes_from<std::int16_t>({0, 1, 2, -3, 4, 5})});
  EXPECT_EQ(seen(mesh, {{}, {}, {"p_q", "rank"}}),
            "PointData rank Int16 1 0 1 2 -3 4 5\n"
            "CellData p_q Float32 3 1.0 2.0 3.0 4.0 5.0 6.0\n"
            "Points Points Float64 3 0.0 0.0 0.0 1.0 0.0 0.0 2.0 0.0 0.0 0.0 1.0 0.0 1.0 1.0 0.0 "
            "2.0 1.0 0.0\n"
            "Cells connectivity Int32 1 0 1 4 3 1 2 5 4\n"
            "Cells offsets Int64 1 4 8\n"
            "Cells types UInt8 1 9 9\n"
            "points 6 cells 2\n");
}

TEST_F(VtkFiles, put_rows_of_nodes_once_round) {
  const std::string text = seen(two_squares_by_row());
  EXPECT_NE(text.find("Cells connectivity Int32 1 0 1 4 3 1 2 5 4\n"), std::string::npos) << text;
}

TEST_F(VtkFiles, draw_every_map_by_its_arity) {
  MeshFile mesh = two_squares();
  const std::string lines = seen(mesh, {{}, "pbedge", {"p_bound"}});
  EXPECT_NE(lines.find("CellData p_bound Int32 1 1 1 2 2 2 2\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("Cells types UInt8 1 3 3 3 3 3 3\n"), std::string::npos) << lines;
  mesh.maps[0] = {"pcell", "cells", "nodes", 3, {0, 1, 3, 1, 4, 3}};
  EXPECT_NE(seen(mesh).find("Cells types UInt8 1 5 5\n"), std::string::npos);
  EXPECT_NE(seen(two_squares_by_row(), {{}, "pbedge", {}}).find("Cells types UInt8 1 1 1\n"),
            std::string::npos);
}

/// A cube's corners, bottom and top once round, and one cell of some of them.
MeshFile cell_in_space(std::vector<std::int32_t> corners) {
  MeshFile mesh;
  const int arity = static_cast<int>(corners.size());
  mesh.sets = {{"nodes", 8}, {"cells", 1}};
  mesh.maps = {{"T", "cells", "nodes", arity, std::move(corners)}};
  mesh.dats = {
      {"x", "nodes", 3, ScalarType::f64, bytes_from<double>({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                                             0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1})}};
  return mesh;
}

TEST_F(VtkFiles, draw_cells_in_space_as_what_they_are) {
  const auto type = [&](std::vector<std::int32_t> corners, const VtuChoice& choice = {}) {
    const std::string text = seen(cell_in_space(std::move(corners)), choice);
    const auto at = text.find("Cells types UInt8 1 ");
    return at == std::string::npos ? text : text.substr(at + 20, text.find('\n', at) - at - 20);
  };
  EXPECT_EQ(type({0, 1, 2}), "5");
  EXPECT_EQ(type({0, 1, 2, 4}),
            "map 'T': cells of 4 nodes in space are tetrahedra or "
            "quadrilaterals: say which (--shape tetra or --shape quad)");
  EXPECT_EQ(type({0, 1, 2, 4}, {.shape = CellShape::tetra}), "10");
  EXPECT_EQ(type({0, 1, 2, 3}, {.shape = CellShape::quad}), "9");
  EXPECT_EQ(type({0, 1, 2, 3, 4}), "14");
  EXPECT_EQ(type({0, 1, 2, 4, 5, 6}), "13");
  EXPECT_EQ(type({0, 1, 2, 3, 4, 5, 6, 7}), "12");
  EXPECT_EQ(type({0, 1, 2, 3, 4}, {.shape = CellShape::tetra}),
            "there is no map with 4 (tetrahedra) entries to 'nodes'");
  EXPECT_EQ(type({0, 1, 2, 3, 4, 5, 6}), "there is no map with 1 to 6 or 8 entries to 'nodes'");
}

TEST_F(VtkFiles, put_hexahedra_by_row_once_round) {
  const std::string text = seen(cell_in_space({0, 1, 3, 2, 4, 5, 7, 6}));
  EXPECT_NE(text.find("connectivity Int32 1 0 1 2 3 4 5 6 7\n"), std::string::npos) << text;
}

TEST_F(VtkFiles, take_points_at_one_height_for_a_plane) {
  MeshFile mesh = two_squares();
  mesh.dats[0].dim = 3;
  mesh.dats[0].bytes = bytes_from<double>({0, 0, 7, 1, 0, 7, 2, 0, 7, 0, 1, 7, 1, 1, 7, 2, 1, 7});
  const std::string text = seen(mesh);
  EXPECT_NE(text.find("Cells types UInt8 1 9 9\n"), std::string::npos) << text;
}

TEST_F(VtkFiles, of_every_type_of_data) {
  MeshFile mesh = two_squares();
  VtuChoice choice;
  std::string expected;
  const char* names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};
  for (int type = 0; type < 10; ++type) {
    const auto scalar = static_cast<ScalarType>(type);
    mesh.dats.push_back({names[type], "cells", 2, scalar, Bytes(4 * size_of(scalar))});
    choice.dats.push_back(names[type]);
    const char* zeros = is_floating(scalar) ? " 0.0 0.0 0.0 0.0" : " 0 0 0 0";
    expected += "CellData " + choice.dats.back() + " " + names[type] + " 2" + zeros + "\n";
  }
  const std::string text = seen(mesh, choice);
  EXPECT_EQ(text.substr(0, expected.size()), expected);
}

TEST_F(VtkFiles, of_both_generated_meshes_have_positive_cells) {
  for (const auto variant : {Naca0012::Variant::airfoil, Naca0012::Variant::aero}) {
    const std::string text = seen(make_naca0012({20, 30, variant}).value(), {{}, {}, {"p_x"}});
    EXPECT_NE(text.find("cells 1800\n"), std::string::npos) << text;
  }
}

TEST_F(VtkFiles, stay_xml_whatever_the_names_are) {
  MeshFile mesh = two_squares();
  const std::string name = "<\"&\x01\n>";
  mesh.dats.push_back({name, "cells", 1, ScalarType::i8, Bytes(2)});
  EXPECT_EQ(seen(mesh, {{}, {}, {name}}).substr(0, 30), "CellData <\"&\\x01\\n> Int8 1 0 0");
}

TEST_F(VtkFiles, hold_empty_meshes) {
  MeshFile mesh;
  mesh.sets = {{"nodes", 0}, {"cells", 0}};
  mesh.maps = {{"pcell", "cells", "nodes", 4, {}}};
  mesh.dats = {{"p_x", "nodes", 2, ScalarType::f64, {}}};
  EXPECT_NE(seen(mesh).find("points 0 cells 0\n"), std::string::npos);
}

TEST(VtkChoice, finds_coordinates_and_cells_by_what_fits) {
  MeshFile mesh = two_squares();
  mesh.dats[0].name = "where";
  mesh.maps[0].name = "corners";
  EXPECT_TRUE(write_vtu(mesh));
  mesh.dats.push_back(mesh.dats[0]);
  mesh.dats.back().name = "speed";
  EXPECT_EQ(refusal(write_vtu(mesh)),
            "there is no dat 'p_x', and 2 others could be coordinates: say which");
  EXPECT_TRUE(write_vtu(mesh, {"speed", "", {}}));
}

TEST(VtkChoice, says_what_does_not_fit) {
  const MeshFile mesh = two_squares();
  EXPECT_EQ(refusal(write_vtu(mesh, {"", "", {"p_xx"}})),
            "there is no dat 'p_xx'; did you mean 'p_x'?");
  EXPECT_EQ(refusal(write_vtu(mesh, {"", "", {"p_bound"}})),
            "dat 'p_bound' is on 'bedges', expected one on the points ('nodes') or the cells "
            "('cells')");
  EXPECT_EQ(refusal(write_vtu(mesh, {"p_bound", "", {}})),
            "dat 'p_bound': found 1 of type int, expected 1 to 3 floats or doubles as coordinates");
  EXPECT_EQ(refusal(write_vtu(mesh, {"x", "", {}})), "there is no dat 'x'");
  EXPECT_EQ(refusal(write_vtu(mesh, {"", "pecell", {}})),
            "map 'pecell': found 2 entries to 'cells', expected 1 to 4 to 'nodes'");
  EXPECT_EQ(refusal(write_vtu(mesh, {"", "pcel", {}})), "there is no map 'pcel'");
}

TEST(Base64, is_that_of_rfc_4648) {
  const auto encoded = [](std::string_view text) {
    Bytes out(1, std::byte{'>'});
    append_base64(out, as_bytes(text));
    return std::string(as_text(out));
  };
  EXPECT_EQ(encoded(""), ">");
  EXPECT_EQ(encoded("f"), ">Zg==");
  EXPECT_EQ(encoded("fo"), ">Zm8=");
  EXPECT_EQ(encoded("foo"), ">Zm9v");
  EXPECT_EQ(encoded("foobar"), ">Zm9vYmFy");
  EXPECT_EQ(encoded("\xff\xfe\xfd"), ">//79");
}

}  // namespace
}  // namespace kiln::mesh
