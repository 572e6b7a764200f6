#pragma once

#include "blas/sequence_builder.hpp"

// Level 1: each function adds the steps of one routine. All of them use the first queue alone: they
// are bound by the memory's bandwidth, and one queue's kernels take all of that.
//
// Increments may be negative. The routines of one vector then do as reference BLAS (and clBLAS)
// does: scal changes nothing, and nrm2, asum and iamax give 0.
namespace kiln::blas {

void add_swap(SequenceBuilder& to);  // x <-> y
void add_scal(SequenceBuilder& to);  // x = alpha x
void add_copy(SequenceBuilder& to);  // y = x
void add_axpy(SequenceBuilder& to);  // y = alpha x + y
void add_rot(SequenceBuilder& to);   // a plane rotation of the points (x[i], y[i])
void add_rotm(SequenceBuilder& to);  // a modified one

void add_dot(SequenceBuilder& to);  // dot and dotc
void add_nrm2(SequenceBuilder& to);
void add_asum(SequenceBuilder& to);
void add_iamax(SequenceBuilder& to);

void add_rotg(SequenceBuilder& to);
void add_rotmg(SequenceBuilder& to);

}  // namespace kiln::blas
