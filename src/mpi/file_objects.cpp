// Between a rank's part of a mesh file and a distributed Mesh, by the public interface of both.
#include <fmt/format.h>

#include "base/data/text.hpp"
#include "kiln/mpi/transport.hpp"
#include "mpi/file_block.hpp"

namespace kiln::mpi {

using mesh::quote;

namespace {

template <class T>
const T& find_part(const MeshFileBlock& file, const char* kind, const std::vector<T>& list,
                   const std::string& name) {
  std::vector<std::string_view> names;
  for (const T& one : list) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  for (const std::string& left : file.left_out)
    if (left.starts_with(name + ": "))
      throw Error(Errc::not_found, fmt::format("left out when the file was read: {}", left));
  throw Error(Errc::not_found,
              fmt::format("the file has no {} {}{}", kind, quote(name), did_you_mean(name, names)));
}

/// The one of this name, made if it is not there yet.
template <class T, class Make>
T find_or_make(std::map<std::string, T>& made, const std::string& name, const Make& make) {
  const auto at = made.find(name);
  return at != made.end() ? at->second : made.emplace(name, make()).first->second;
}

template <class T>
T& place_for(std::vector<T>& list, const std::string& name) {
  for (T& one : list)
    if (one.name == name) return one;
  T& added = list.emplace_back();
  added.name = name;
  return added;
}

/// Rows of the set that this rank declared.
std::int64_t rows_of_set(const mesh::Mesh& mesh, const mesh::Set& set) {
  try {
    return static_cast<std::int64_t>(mesh.declared_rows(set).count);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    return static_cast<std::int64_t>(set.size());  // it is not partitioned yet
  }
}

const Communicator& ranks_of(const mesh::Mesh& mesh, std::string_view who) {
  if (mesh.transport() == nullptr)
    throw Error(Errc::bad_input,
                fmt::format("{}: the Mesh is in one part, expected one with a Transport of "
                            "kiln::mpi::transport()",
                            who));
  return communicator_of(*mesh.transport());
}

}  // namespace

FileBlockObjects::FileBlockObjects(mesh::Mesh& mesh, MeshFileBlock file)
    : mesh_(&mesh), file_(std::move(file)) {
  check_block(file_);
}

mesh::Set FileBlockObjects::set(const std::string& name) {
  return find_or_make(sets_, name, [&] {
    const SetBlock& found = find_part(file_, "set", file_.sets, name);
    return mesh_->set(name, static_cast<std::size_t>(found.count));
  });
}

mesh::Map FileBlockObjects::map(const std::string& name) {
  return find_or_make(maps_, name, [&] {
    const MapBlock& found = find_part(file_, "map", file_.maps, name);
    return mesh_->map(name, set(found.from), set(found.to), static_cast<std::size_t>(found.arity),
                      found.values);
  });
}

mesh::Dat FileBlockObjects::dat(const std::string& name, mesh::DataLayout layout) {
  const mesh::Dat dat = find_or_make(dats_, name, [&] {
    const DatBlock& found = find_part(file_, "dat", file_.dats, name);
    return mesh_->dat(name, mesh::DataSet(set(found.set), static_cast<std::size_t>(found.dim)),
                      found.type, found.bytes.data(), found.bytes.size() / size_of(found.type),
                      layout);
  });
  if (dat.layout() != layout)
    throw Error(Errc::bad_input,
                fmt::format("dat {}: it was asked for in another layout before", quote(name)));
  return dat;
}

mesh::Const FileBlockObjects::constant(const std::string& name) {
  return find_or_make(constants_, name, [&] {
    const mesh::FileConst& found = find_part(file_, "constant", file_.constants, name);
    return mesh_->constant(name, found.type, found.bytes.data(),
                           static_cast<std::size_t>(found.dim));
  });
}

void MeshFileBlock::store(const mesh::Mesh& mesh, const mesh::Set& set) {
  place_for(sets, set.name()).count = rows_of_set(mesh, set);
}

void MeshFileBlock::store(const mesh::Mesh& mesh, const mesh::Map& map) {
  if (find_set(map.from().name()) == nullptr) store(mesh, map.from());
  if (find_set(map.to().name()) == nullptr) store(mesh, map.to());
  place_for(maps, map.name()) = {map.name(), map.from().name(), map.to().name(),
                                 static_cast<int>(map.arity()), map.fetch()};
}

void MeshFileBlock::store(const mesh::Mesh& mesh, const mesh::Dat& dat) {
  if (find_set(dat.set().name()) == nullptr) store(mesh, dat.set());
  place_for(dats, dat.name()) = {dat.name(), dat.set().name(),  static_cast<int>(dat.dim()),
                                 dat.type(), dat.fetch_bytes(), {}};
}

FileBlockObjects read_hdf5(mesh::Mesh& mesh, const std::filesystem::path& path,
                           const mesh::FileLayout& layout) {
  return {mesh, MeshFileBlock::read(ranks_of(mesh, "kiln::mpi::read_hdf5"), path, layout)};
}

void write_hdf5(const mesh::Mesh& mesh, const std::filesystem::path& path,
                const std::vector<mesh::Map>& maps, const std::vector<mesh::Dat>& dats) {
  const Communicator& comm = ranks_of(mesh, "kiln::mpi::write_hdf5");
  MeshFileBlock block;
  for (const mesh::Map& map : maps) block.store(mesh, map);
  for (const mesh::Dat& dat : dats) block.store(mesh, dat);
  block.write(comm, path);
}

}  // namespace kiln::mpi
