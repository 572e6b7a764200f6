#include <clAmdBlas.h>

/* A program under the old names. */
clAmdBlasStatus clblas_by_old_names(cl_mem x, cl_command_queue queue) {
  const clAmdBlasStatus status = clAmdBlasSetup();
  if (status != clAmdBlasSuccess) return status;
  return clAmdBlasSgemmEx(clAmdBlasRowMajor, clAmdBlasNoTrans, clAmdBlasTrans, 0, 0, 0, 1.0f, x, 0,
                          1, x, 0, 1, 0.0f, x, 0, 1, 1, &queue, 0, NULL, NULL);
}
