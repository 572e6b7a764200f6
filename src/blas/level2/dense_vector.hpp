#pragma once

#include "blas/level2/team.hpp"

namespace kiln::blas {

/// A vector whose elements lie side by side: the caller's own where its increment is 1, otherwise a
/// copy in workspace.
class DenseVector {
 public:
  enum class Copy { if_strided, always };
  /// Adds the step that copies to the team's first queue, as a round.
  DenseVector(SequenceBuilder& to, Team& team, Slot slot, std::size_t n,
              Copy copy = Copy::if_strided);

  /// Sets two arguments of a kernel: memory and offset.
  void put(SequenceBuilder::Arguments& to) const;
  bool is_copy() const { return is_copy_; }
  /// Adds the step that brings a copy's elements back to the caller's vector; none for his own.
  void write_back(SequenceBuilder& to, Team& team) const;

 private:
  Slot slot_;
  std::size_t n_;
  bool is_copy_;
  cl::Buffer copy_;
};

}  // namespace kiln::blas
