/* A program from before 2013: the old names still lead to the same functions.
 * Shows clAmdBlas.h.
 */
#include <clAmdBlas.h>
#include <stdio.h>

int main(void) {
  cl_uint major = 0, minor = 0, patch = 0;
  clAmdBlasStatus status = clAmdBlasSetup();
  if (status == clAmdBlasSuccess) status = clAmdBlasGetVersion(&major, &minor, &patch);
  printf("clBLAS %u.%u\n", major, minor);
  clAmdBlasTeardown();
  return status == clAmdBlasSuccess ? 0 : 1;
}
