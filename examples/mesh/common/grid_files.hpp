#pragma once

#include <stdexcept>
#include <string>

#include "kiln/mesh/file.hpp"

/// A mesh file, and its parts as applications take them that name them. Throws kiln::Error where it
/// cannot be read, std::runtime_error where a part is absent or of another shape: all name the
/// file.
class GridFile {
 public:
  /// HDF5 or text, as `kiln mesh naca0012` writes them.
  explicit GridFile(const std::string& path)
      : path_(path), file_(kiln::mesh::MeshFile::read(path)) {}

  std::size_t set(const char* name) const {
    const auto* set = file_.find_set(name);
    if (set == nullptr) fail("set", name);
    return static_cast<std::size_t>(set->size);
  }
  std::span<const std::int32_t> map(const char* name, int arity) const {
    const auto* map = file_.find_map(name);
    if (map == nullptr || map->arity != arity) fail("map", name);
    return map->values;
  }
  template <class T>
  std::span<const T> dat(const char* name, int dim) const {
    const auto* dat = file_.find_dat(name);
    if (dat == nullptr || dat->dim != dim || dat->type != kiln::mesh::scalar_type_of<T>())
      fail("dat", name);
    return kiln::mesh::values_of<T>(*dat);
  }

 private:
  [[noreturn]] void fail(const char* kind, const char* name) const {
    throw std::runtime_error(path_ + ": no " + kind + " " + name +
                             " as this application's meshes have it");
  }
  std::string path_;
  kiln::mesh::MeshFile file_;
};
