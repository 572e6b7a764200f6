#include <fmt/format.h>

#include "base/data/text.hpp"
#include "mesh/io/mesh_file.hpp"
#include "mesh/model/basics.hpp"

// Between a file's parts and those of a Mesh, by the public interface of both.
namespace kiln::mesh {
namespace {

template <class T>
const T& find(const MeshFile& file, const char* kind, const std::vector<T>& list,
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
T& place(std::vector<T>& list, const std::string& name) {
  for (T& one : list)
    if (one.name == name) return one;
  T& added = list.emplace_back();
  added.name = name;
  return added;
}

void store_if_absent(MeshFile& file, const Set& set) {
  if (file.find_set(set.name()) == nullptr) file.store(set);
}

}  // namespace

FileObjects::FileObjects(Mesh& mesh, MeshFile file) : mesh_(&mesh), file_(std::move(file)) {
  // Maps of a file that was made by hand may be anything.
  value_or_throw(check(file_));
}

Set FileObjects::set(const std::string& name) {
  return find_or_make(sets_, name, [&] {
    const FileSet& found = find(file_, "set", file_.sets, name);
    return mesh_->set(name, static_cast<std::size_t>(found.size));
  });
}

Map FileObjects::map(const std::string& name) {
  return find_or_make(maps_, name, [&] {
    const FileMap& found = find(file_, "map", file_.maps, name);
    return mesh_->map(name, set(found.from), set(found.to), static_cast<std::size_t>(found.arity),
                      found.values);
  });
}

Dat FileObjects::dat(const std::string& name, DataLayout layout) {
  const Dat dat = find_or_make(dats_, name, [&] {
    const FileDat& found = find(file_, "dat", file_.dats, name);
    return mesh_->dat(name, DataSet(set(found.set), static_cast<std::size_t>(found.dim)),
                      found.type, found.bytes.data(), found.bytes.size() / size_of(found.type),
                      layout);
  });
  if (dat.layout() != layout)
    throw Error(Errc::bad_input,
                fmt::format("dat {}: it was asked for in another layout before", quote(name)));
  return dat;
}

Const FileObjects::constant(const std::string& name) {
  return find_or_make(constants_, name, [&] {
    const FileConst& found = find(file_, "constant", file_.constants, name);
    return mesh_->constant(name, found.type, found.bytes.data(),
                           static_cast<std::size_t>(found.dim));
  });
}

void MeshFile::store(const Set& set) {
  place(sets, set.name()).size = static_cast<std::int64_t>(set.size());
}

void MeshFile::store(const Map& map) {
  store_if_absent(*this, map.from());
  store_if_absent(*this, map.to());
  const auto owned = map.values().first(map.from().size() * map.arity());
  place(maps, map.name()) = {map.name(),
                             map.from().name(),
                             map.to().name(),
                             static_cast<int>(map.arity()),
                             {owned.begin(), owned.end()}};
}

void MeshFile::store(const Dat& dat) {
  store_if_absent(*this, dat.set());
  FileDat& to = place(dats, dat.name());
  to = {dat.name(), dat.set().name(), static_cast<int>(dat.dim()), dat.type(), {}};
  with_type(dat.type(), [&](auto zero) {
    to.bytes = bytes_of_values(dat.read<decltype(zero)>().first(dat.set().size() * dat.dim()));
  });
}

}  // namespace kiln::mesh
