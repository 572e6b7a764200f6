#pragma once

#include <initializer_list>
#include <string>

#include "mesh/io/mesh_file.hpp"

namespace kiln::mesh::testing {

template <class T>
Bytes bytes_from(std::initializer_list<T> values) {
  return bytes_of_values(std::span<const T>(values.begin(), values.size()));
}

/// Two squares side by side, with all the parts of airfoil's mesh: nodes 0 1 2 below, 3 4 5 above.
inline MeshFile two_squares() {
  MeshFile mesh;
  mesh.sets = {{"nodes", 6}, {"edges", 1}, {"bedges", 6}, {"cells", 2}};
  mesh.maps = {{"pcell", "cells", "nodes", 4, {0, 1, 4, 3, 1, 2, 5, 4}},
               {"pedge", "edges", "nodes", 2, {1, 4}},
               {"pecell", "edges", "cells", 2, {1, 0}},
               {"pbedge", "bedges", "nodes", 2, {0, 1, 1, 2, 2, 5, 5, 4, 4, 3, 3, 0}},
               {"pbecell", "bedges", "cells", 1, {0, 1, 1, 1, 0, 0}}};
  mesh.dats = {{"p_x", "nodes", 2, ScalarType::f64,
                bytes_from<double>({0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1}), "double"},
               {"p_bound", "bedges", 1, ScalarType::i32,
                bytes_from<std::int32_t>({1, 1, 2, 2, 2, 2}), "int"}};
  return mesh;
}

/// The same squares as aero has them: cells by row, boundary nodes.
inline MeshFile two_squares_by_row() {
  MeshFile mesh;
  mesh.sets = {{"nodes", 6}, {"bedges", 2}, {"cells", 2}};
  mesh.maps = {{"pcell", "cells", "nodes", 4, {0, 1, 3, 4, 1, 2, 4, 5}},
               {"pbedge", "bedges", "nodes", 1, {0, 5}}};
  mesh.dats = {two_squares().dats[0]};
  return mesh;
}

/// Whether two meshes have the same parts in the same order of their names.
inline bool same(const MeshFile& a, const MeshFile& b) {
  const auto all = [](const auto& list, const auto& find) {
    for (const auto& one : list)
      if (!find(one)) return false;
    return true;
  };
  return a.sets.size() == b.sets.size() && a.maps.size() == b.maps.size() &&
         a.dats.size() == b.dats.size() && a.constants.size() == b.constants.size() &&
         all(a.sets,
             [&](const FileSet& set) {
               const FileSet* other = b.find_set(set.name);
               return other != nullptr && other->size == set.size;
             }) &&
         all(a.maps,
             [&](const FileMap& map) {
               const FileMap* other = b.find_map(map.name);
               return other != nullptr && other->from == map.from && other->to == map.to &&
                      other->arity == map.arity && other->values == map.values;
             }) &&
         all(a.dats,
             [&](const FileDat& dat) {
               const FileDat* other = b.find_dat(dat.name);
               return other != nullptr && other->set == dat.set && other->dim == dat.dim &&
                      other->type == dat.type && other->bytes == dat.bytes &&
                      other->type_text == dat.type_text;
             }) &&
         all(a.constants, [&](const FileConst& constant) {
           const FileConst* other = b.find_const(constant.name);
           return other != nullptr && other->dim == constant.dim && other->type == constant.type &&
                  other->bytes == constant.bytes && other->type_text == constant.type_text;
         });
}

/// The message of what must be an error of bad input, in one line.
template <class T>
std::string refusal(const Expected<T>& result) {
  if (result) return "accepted";
  if (result.error().code() != Errc::bad_input)
    return "code " + std::string(name_of(result.error().code()));
  if (result.error().message().find('\n') != std::string::npos) return "more than one line";
  return result.error().message();
}

}  // namespace kiln::mesh::testing
