#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kiln/error.hpp"
#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

struct SetState;
struct SubsetState;
struct MapState;
struct Session;
class Subset;
class ExtrudedSet;
class DataSet;

/// What stands for a thing of a Mesh. Handles are cheap to copy; two are equal where they stand for
/// the same thing. To move one copies it: what was moved from still stands for the same. They keep
/// alive what they need, but must not be used after their Mesh. One thread at a time a Mesh.
template <class State>
class Handle {
 public:
  Handle(const Handle&) = default;
  Handle& operator=(const Handle&) = default;
  bool operator==(const Handle&) const = default;

 protected:
  friend struct Handles;
  explicit Handle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Elements of one kind: nodes, edges, cells.
///
/// On one machine a set has a size. A part of a distributed set has four rising numbers: elements
/// that need nothing from others (core), all that are owned, those and what is computed redundantly
/// (exec halo), those and what is only read (non-exec halo).
class KILN_API Set : public Handle<SetState> {
 public:
  const std::string& name() const;
  std::size_t core_size() const;
  std::size_t size() const;        ///< owned elements: what a loop covers
  std::size_t exec_size() const;   ///< with the exec halo
  std::size_t total_size() const;  ///< with all of the halo: what Dats have room for
  std::array<std::size_t, 4> sizes() const;

  /// The elements of an index list: sorted, repetitions dropped. Throws bad_input for an index
  /// outside the set.
  Subset subset(std::span<const std::int32_t> indices) const;
  /// Columns over this set: `layers` >= 2 levels, so layers - 1 cells above each other.
  ExtrudedSet extruded(std::size_t layers) const;

 private:
  using Handle::Handle;
};

/// Some elements of a Set, rising. Of a subset a subset is one of the set.
class KILN_API Subset : public Handle<SubsetState> {
 public:
  const Set& superset() const;
  std::span<const std::int32_t> indices() const;
  std::size_t size() const;
  /// Positions in this subset's list, as Set::subset.
  Subset subset(std::span<const std::int32_t> positions) const;

 private:
  using Handle::Handle;
};

/// A Set of columns. Loops over it call the kernel for every cell of every column, from below; Maps
/// from the base set give the lowest cell's targets, and their vertical offsets lead upwards.
class KILN_API ExtrudedSet {
 public:
  ExtrudedSet(Set base, std::size_t layers);
  const Set& base() const { return base_; }
  std::size_t layers() const { return layers_; }
  bool operator==(const ExtrudedSet&) const = default;

 private:
  Set base_;
  std::size_t layers_;
};

/// A Set with the shape of an element's data.
class KILN_API DataSet {
 public:
  DataSet(const DataSet&) = default;
  DataSet& operator=(const DataSet&) = default;
  DataSet(Set set, std::vector<std::size_t> shape);
  DataSet(Set set, std::size_t dim) : DataSet(std::move(set), std::vector<std::size_t>{dim}) {}
  const Set& set() const { return set_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t dim() const;  ///< components: the product of the shape
  bool operator==(const DataSet&) const = default;

 private:
  Set set_;
  std::vector<std::size_t> shape_;
};

/// What a loop runs over.
class KILN_API Iteration {
 public:
  Iteration(const Iteration&) = default;
  Iteration& operator=(const Iteration&) = default;
  Iteration(const Set& set) : set_(set) {}  // NOLINT: meant to be implicit
  Iteration(const Subset& subset);          // NOLINT
  Iteration(const ExtrudedSet& columns)
      : set_(columns.base()), layers_(columns.layers()) {}  // NOLINT
  const Set& set() const { return set_; }
  const std::shared_ptr<SubsetState>& subset() const { return subset_; }
  std::size_t layers() const { return layers_; }  ///< 0: not extruded

 private:
  Set set_;
  std::shared_ptr<SubsetState> subset_;
  std::size_t layers_ = 0;
};

}  // namespace kiln::mesh
