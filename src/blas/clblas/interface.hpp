#pragma once

// The public header as the library sees it: what it declares is visible, everything else hidden.
#pragma GCC visibility push(default)
#include <clBLAS.h>

// Exports that clBLAS has and its header does not declare. Old programs may import them.
extern "C" {

/// Scratch images were a promise of memory to early kernels. No kernel wants one: the image's
/// number is 0, which means none.
cl_ulong clblasAddScratchImage(cl_context context, size_t width, size_t height,
                               clblasStatus* status);
clblasStatus clblasRemoveScratchImage(cl_ulong image);

/// A wish for one of several implementations. There is one.
clblasStatus clblasSelectImplementation(int implementation);

/// clblasFillMatrix without waiting.
clblasStatus clblasFillMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                   size_t ldA, size_t nrA, size_t ncA, const void* pattern,
                                   cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* event);

}  // extern "C"
#pragma GCC visibility pop
