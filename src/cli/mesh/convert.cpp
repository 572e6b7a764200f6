// `kiln mesh convert`: the definition.
#include "cli/mesh/commands.hpp"
#include "cli/mesh/options.hpp"

namespace kiln::cli {
namespace {

// In the order of mesh::CellShape.
constexpr std::string_view shapes[] = {"vertex", "line",    "triangle", "quad",
                                       "tetra",  "pyramid", "wedge",    "hexahedron"};

constexpr Option mesh_convert_options[] = {
    {.name = "dat",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "For .vtu: data to show, on the points or on the cells.",
     .repeat = Repeat::yes},
    {.name = "coordinates",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "For .vtu: the data that the points' coordinates are. Default: p_x, else the only "
             "data that could be."},
    {.name = "cells",
     .kind = Kind::text,
     .value_name = "MAP",
     .help = "For .vtu: the map whose elements are drawn. Default: pcell, else the map of most "
             "nodes."},
    {.name = "shape",
     .kind = Kind::choice,
     .value_name = "SHAPE",
     .help = "For .vtu: what the cells are. Default: by the number of their nodes vertices, lines, "
             "triangles and quadrilaterals, with coordinates in space pyramids (5), wedges (6) and "
             "hexahedra (8), too; 4 nodes in space must be named.",
     .choices = shapes},
    options::map_sets,
    options::dat_set,
};

constexpr Example mesh_convert_examples[] = {
    {"kiln mesh convert new_grid.dat new_grid.h5", "Text to HDF5."},
    {"kiln mesh convert flow.h5 flow.vtu --dat p_q", "A picture of the flow for ParaView."},
    {"kiln mesh convert mesh.h5 mesh.vtu --map tets=cells:nodes --shape tetra",
     "Tetrahedra of another program's file."},
    {"kiln mesh convert new_grid.h5 wall.vtu --cells pbedge --dat p_bound",
     "The boundary alone, coloured by its kind."},
};

}  // namespace

constinit const Command mesh_convert_command{
    .name = "mesh convert",
    .summary = "write a mesh file in another format",
    .description =
        "Reads a mesh file (HDF5 or text, told by its content) and writes it as the second name's "
        "extension says: .h5 and .hdf5 are HDF5, .dat is text, .vtu is VTK's format, which is only "
        "written. What the new format has no place for is named in a note.",
    .options = mesh_convert_options,
    .positional = {.value_name = "FILE",
                   .help = "The file to read (- is standard input), then the file to write.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file,
                   .access_rest = Access::write},
    .examples = mesh_convert_examples,
};

}  // namespace kiln::cli
