/* A complex product by clBLAS's interface, on the first device that there is.
 * Shows clBLAS.h, clBLAS-complex.h.
 */
#include <clBLAS.h>
#include <stdio.h>

enum { n = 2 };

int main(void) {
  FloatComplex a[n * n], c[n * n];
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem in, out;
  cl_event done = NULL;
  clblasStatus status;
  int i;

  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, 0, NULL);
  for (i = 0; i < n * n; ++i) a[i] = floatComplex(i % 3 == 0 ? 0.0f : 1.0f, 1.0f);
  in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL);
  out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof c, NULL, NULL);

  /* C := A A, by rows; clblasSetup() may be called and is not needed. */
  status =
      clblasCgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, n, n, n, floatComplex(1, 0), in, 0,
                  n, in, 0, n, floatComplex(0, 0), out, 0, n, 1, &queue, 0, NULL, &done);
  if (status == clblasSuccess) {
    clWaitForEvents(1, &done);
    clReleaseEvent(done);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL);
    printf("c[0] = %g %+gi\n", CREAL(c[0]), CIMAG(c[0]));
  }
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clblasTeardown();
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return status == clblasSuccess ? 0 : 1;
}
