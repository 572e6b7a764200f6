#pragma once

// The words in which the families of routines are written, one macro a family and one line a
// routine: C has no other way to give the members of a family their names. An operand's three
// parameters are declared by one word and handed on by another. For the .cpp files beside it only.

#include "blas/clblas/request.hpp"

#define KILN_MATRIX(a) cl_mem a, size_t off_##a, size_t ld_##a
#define KILN_VECTOR(x) cl_mem x, size_t off_##x, int inc_##x
#define KILN_BLOCK(z) cl_mem z, size_t off_##z

#define KILN_PUT_MATRIX(a) matrix(Slot::a, a, off_##a, ld_##a)
#define KILN_PUT_VECTOR(x) vector(Slot::x, x, off_##x, inc_##x)
#define KILN_PUT_BLOCK(z) block(Slot::z, z, off_##z)

#define KILN_TRIANGLE clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag
#define KILN_PUT_TRIANGLE order(order).uplo(uplo).trans(trans).diag(diag)

#define KILN_QUEUES                                                                         \
  cl_uint queue_count, cl_command_queue *queues, cl_uint wait_count, const cl_event *waits, \
      cl_event *events
#define KILN_RUN run(queue_count, queues, wait_count, waits, events)

using kiln::blas::Precision;
using kiln::blas::Request;
using kiln::blas::Routine;
using kiln::blas::Slot;
