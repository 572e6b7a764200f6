#pragma once

#include <string>
#include <vector>

#include "kernel/request/facts.hpp"
#include "kernel/source/source.hpp"
#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// What the generated code of a parallel loop depends on, and nothing else: no sizes of sets, no
/// identities. Dats, Globals, Maps and their pairs are named by the position of their first
/// occurrence, so that loops of equal structure share their code, and loops that differ in what
/// they share do not (PyOP2's caching specification, generated code).
struct ArgShape {
  using Kind = ArgKind;
  Kind kind = Kind::dat;
  ScalarType type = ScalarType::f64;
  int dim = 1;  ///< components of an element (product of a Dat's dims); Mat: rows of a block
  Access access = Access::read;
  int data = 0;      ///< the first argument's number of the same Dat, Global or Mat, counted apart
  bool soa = false;  ///< component k of element e at k * stride + e; else at e * dim + k

  /// How the element is found: itself (direct; Globals), through one component of a Map, through
  /// all components (the kernel gets an array of `arity` pointers), or through the component that
  /// an iteration index names (called once for each of the extents' points).
  enum class Via : std::uint8_t { direct, component, all, index };
  Via via = Via::direct;
  int map = -1;          ///< the Map, by first occurrence of Maps; -1: none
  int pair = -1;         ///< the (Dat, Map) pair, by first occurrence; -1: none
  int arity = 0;         ///< of the Map
  int component = -1;    ///< Via::component: which
  int index = -1;        ///< Via::index: which iteration index, 0 or 1
  bool flatten = false;  ///< Via::all: dim * arity pointers to one component each, component-major

  // Matrices: rows go through map/via/component/index above, columns through these.
  int column_map = -1, column_arity = 0, column_index = -1;
  int column_dim = 1;  ///< columns of a block

  bool operator==(const ArgShape&) const = default;
};

/// A constant that kernels use by name.
struct ConstShape {
  std::string name;
  ScalarType type = ScalarType::f64;
  int dim = 1;
  bool scalar = true;  ///< passed by value and used as `name`, else a pointer `name[k]`
  bool operator==(const ConstShape&) const = default;
};

struct LoopShape {
  std::string kernel;        ///< name of the user's function
  SourcePtr source;          ///< its text, with helpers
  std::vector<int> extents;  ///< of the iteration indices; empty: none
  std::vector<ArgShape> arguments;
  std::vector<ConstShape> constants;  ///< all that are declared, by name; unused ones cost nothing
  bool subset = false;                ///< elements come from an index list
  bool extruded = false;  ///< elements are columns of layers; Maps have vertical offsets
};

/// A LoopShape as facts, and back: "kernel", "text" (all that the user wrote), "file", "extents",
/// one "argument" each, one "constant" each, "subset", "extruded". So the Key of a loop's program
/// is the canonical form of PyOP2's caching specification (generated code), with its (Dat, Map)
/// pairs and whatever else text depends on, and without any size or identity.
void fields(FactFields& to, LoopShape& shape);

/// The shape with Dats, Globals, Mats, Maps and pairs numbered by their first occurrence.
LoopShape numbered_by_first_occurrence(LoopShape shape);

}  // namespace kiln::mesh
