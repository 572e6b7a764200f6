#include <cstring>
#include <filesystem>

#include "cases.hpp"

namespace kiln::testing {
namespace {

using mesh::MeshFile;

/// A small mesh with numbers of many types.
MeshFile mesh_to_write(std::int64_t along, std::int64_t out) {
  MeshFile file = MeshFile::make({.along = along, .out = out});
  const auto cells = static_cast<std::size_t>(file.find_set("cells")->size);
  std::vector<float> q(cells * 3);
  std::vector<std::int8_t> kind(cells);
  for (std::size_t at = 0; at < q.size(); ++at) q[at] = static_cast<float>(at) * 0.25F - 7;
  for (std::size_t at = 0; at < kind.size(); ++at) kind[at] = static_cast<std::int8_t>(at % 200);
  file.dats.push_back({"flow/q", "cells", 3, mesh::ScalarType::f32,
                       mesh::bytes_of_values(std::span<const float>(q)), "float:soa"});
  file.dats.push_back({"kind", "cells", 1, mesh::ScalarType::i8,
                       mesh::bytes_of_values(std::span<const std::int8_t>(kind))});
  const std::vector<double> qinf{1, 2.5, -3};
  file.constants.push_back(
      {"qinf", mesh::ScalarType::f64, 3, mesh::bytes_of_values(std::span<const double>(qinf))});
  // A set that is smaller than the ranks are, and one without elements.
  file.sets.push_back({"corners", 2});
  file.sets.push_back({"holes", 0});
  file.maps.push_back({"pcorner", "corners", "nodes", 1, {3, 1}});
  file.maps.push_back({"phole", "holes", "nodes", 2, {}});
  file.dats.push_back({"weight", "corners", 1, mesh::ScalarType::f64,
                       mesh::bytes_of_values(std::span<const double>(qinf).first(2))});
  return file;
}

template <class T>
std::string difference(const char* kind, const std::vector<T>& one, const std::vector<T>& other,
                       auto same) {
  if (one.size() != other.size()) return std::string("number of ") + kind + "s";
  for (const T& part : one) {
    bool found = false;
    for (const T& candidate : other)
      found = found || (candidate.name == part.name && same(part, candidate));
    if (!found) return std::string(kind) + " " + part.name;
  }
  return {};
}

/// What differs, if anything.
std::string difference(const MeshFile& one, const MeshFile& other) {
  std::string found = difference("set", one.sets, other.sets,
                                 [](const auto& a, const auto& b) { return a.size == b.size; });
  if (found.empty())
    found = difference("map", one.maps, other.maps, [](const auto& a, const auto& b) {
      return a.from == b.from && a.to == b.to && a.arity == b.arity && a.values == b.values;
    });
  const auto same_data = [](const auto& a, const auto& b) {
    return a.type == b.type && a.dim == b.dim && a.bytes == b.bytes &&
           (a.type_text == b.type_text || a.type_text.empty());
  };
  if (found.empty())
    found = difference("dat", one.dats, other.dats, [&](const auto& a, const auto& b) {
      return a.set == b.set && same_data(a, b);
    });
  if (found.empty()) found = difference("constant", one.constants, other.constants, same_data);
  return found;
}

}  // namespace

/// Each rank's rows of a mesh to OUT; PLAIN is the same mesh by one process.
void write_file(const Environment& mpi, const Words& words) {
  const std::string out = words.at(0), plain = words.at(1);
  const MeshFile file = mesh_to_write(10, 7);
  mpi::MeshFileBlock::of(mpi.comm(), file).write(mpi.comm(), out);
  if (mpi.rank() != 0) return;
  file.write(plain);
  const MeshFile ours = MeshFile::read(out);
  expect(difference(file, ours).empty(), "differs from what was written: ", difference(file, ours));
  expect(difference(MeshFile::read(plain), ours).empty(), "differs from what one process writes");
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(out).parent_path()))
    expect(entry.path().extension() != ".part", "left behind: ", entry.path().string());
}

/// Reads IN and writes it to OUT, both by all ranks.
void copy_file(const Environment& mpi, const Words& words) {
  const auto block = mpi::MeshFileBlock::read(mpi.comm(), words.at(0));
  for (const mpi::SetBlock& set : block.sets) {
    const std::int64_t first = set.size * mpi.rank() / mpi.size();
    expect(set.first == first && set.count == set.size * (mpi.rank() + 1) / mpi.size() - first,
           "rows of ", set.name);
  }
  for (const mpi::MapBlock& map : block.maps)
    expect(
        map.values.size() == static_cast<std::size_t>(block.find_set(map.from)->count * map.arity),
        "rows of ", map.name);
  block.write(mpi.comm(), words.at(1));
  if (mpi.rank() != 0) return;
  const std::string found = difference(MeshFile::read(words.at(0)), MeshFile::read(words.at(1)));
  expect(found.empty(), "differs: ", found);
  for (const std::string& left : block.left_out) say("left out " + left);
}

/// Reads IN into a Mesh, cuts it by the partitioner NAME, and writes it to OUT.
void cut_file(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  mesh::Mesh here(mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu"}), transport);
  auto file = mpi::read_hdf5(here, words.at(0));
  const mesh::Map edge_cells = file.map("pecell");
  std::vector<mesh::Map> maps{file.map("pedge"), edge_cells, file.map("pcell"), file.map("phole"),
                              file.map("pcorner")};
  std::vector<mesh::Dat> dats{file.dat("p_x"), file.dat("flow/q", mesh::DataLayout::soa),
                              file.dat("kind"), file.dat("weight")};
  const mesh::Set cells = file.set("cells");
  const std::int64_t all = file.file().find_set("cells")->size;
  if (words.at(2) == "scotch") here.partition(mpi::scotch(cells, {edge_cells}));
  if (words.at(2) == "metis") here.partition(mpi::metis(cells, {edge_cells}));
  if (words.at(2) != "blocks") {
    expect(here.part(cells).global_size == all, "cells of all ranks");
    const auto owned = static_cast<double>(cells.size());
    expect(owned <= 1.06 * static_cast<double>(all) / mpi.size() + 1, owned, " cells of ", all);
  }
  mpi::write_hdf5(here, words.at(1), maps, dats);
  if (mpi.rank() != 0) return;
  // All that was taken along is as it was.
  const MeshFile before = MeshFile::read(words.at(0)), after = MeshFile::read(words.at(1));
  for (const mesh::FileMap& map : after.maps)
    expect(before.find_map(map.name)->values == map.values, "map ", map.name);
  for (const mesh::FileDat& dat : after.dats)
    expect(before.find_dat(dat.name)->bytes == dat.bytes, "dat ", dat.name);
  expect(after.maps.size() == maps.size() && after.dats.size() == dats.size(), "parts are missing");
}

void missing_parts(const Environment& mpi, const Words& words) {
  mesh::Mesh here(mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu"}),
                  mpi::transport(mpi.comm()));
  mpi::read_hdf5(here, words.at(0)).map("pcel");
}

/// The serial HDF5 library (libkiln-mesh.so's) and the parallel one in turns, in one process.
void both_libraries(const Environment& mpi, const Words& words) {
  const MeshFile file = mesh_to_write(8, 5);
  for (int round = 0; round < 3; ++round) {
    const std::string plain = words.at(0) + "/plain" + std::to_string(mpi.rank()) + ".h5",
                      all = words.at(0) + "/all.h5";
    file.write(plain);
    mpi::MeshFileBlock::of(mpi.comm(), file).write(mpi.comm(), all);
    expect(difference(file, MeshFile::read(plain)).empty(), "the serial library reads other data");
    const auto own = mpi::MeshFileBlock::read(mpi.comm(), all);
    const auto expected = mpi::MeshFileBlock::of(mpi.comm(), file);
    for (const mpi::DatBlock& dat : expected.dats)
      expect(own.find_dat(dat.name) != nullptr && own.find_dat(dat.name)->bytes == dat.bytes,
             "dat ", dat.name);
  }
}

}  // namespace kiln::testing
