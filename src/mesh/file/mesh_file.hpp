#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "kiln/error.hpp"
#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// What a mesh file holds, as plain data: names and numbers, no objects of the mesh front end.
/// Readers of every format fill it and writers take it, so that formats convert into one another.

struct FileSet {
  std::string name;
  std::int64_t size = 0;  ///< elements
};

struct FileMap {
  std::string name;
  std::string from, to;              ///< names of sets
  int arity = 1;                     ///< targets of an element
  std::vector<std::int32_t> values;  ///< size of `from` times arity, element by element, 0-based
};

struct FileDat {
  std::string name;
  std::string set;
  int dim = 1;                        ///< components of an element
  ScalarType type = ScalarType::f64;  ///< of a component
  Bytes bytes;                        ///< size of `set` times dim components, element by element
  std::string type_text = {};         ///< the type as the file words it: "double", "double:soa"
};

/// A constant: of no set.
struct FileConst {
  std::string name;
  ScalarType type = ScalarType::f64;
  int dim = 1;
  Bytes bytes;
  std::string type_text = {};
};

struct MeshFile {
  std::vector<FileSet> sets;
  std::vector<FileMap> maps;
  std::vector<FileDat> dats;
  std::vector<FileConst> constants;
  std::vector<std::string> left_out;  ///< what a reader met and could not use: "NAME: why"

  /// The one of this name, or nullptr.
  const FileSet* find_set(std::string_view name) const;
  const FileMap* find_map(std::string_view name) const;
  const FileDat* find_dat(std::string_view name) const;
  const FileConst* find_const(std::string_view name) const;
};

/// The components of a Dat or a constant. T must be what its `type` says; else the span is empty.
template <class T, class Data>
std::span<const T> values_of(const Data& data) {
  if (data.type != scalar_type_of<T>()) return {};
  return {reinterpret_cast<const T*>(data.bytes.data()), data.bytes.size() / sizeof(T)};
}

/// The bytes of a list of components, for `FileDat::bytes`.
template <class T>
Bytes bytes_of_values(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

/// Holds a file's parts against one another: names unique and not empty, sets of maps and dats
/// there, every list of the length that its set says, every entry of a map within its target set.
/// Readers end with it and writers begin with it. Errors (bad_input) name the part, the element,
/// what was found and what was expected.
Expected<void> check(const MeshFile& mesh);

}  // namespace kiln::mesh
