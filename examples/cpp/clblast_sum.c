/* The sum of a vector by CLBlast's interface for C, on the first device that there is.
 * Shows clblast_c.h.
 */
#include <clblast_c.h>
#include <stdio.h>

int main(void) {
  float x[100], sum = 0;
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem in, out;
  CLBlastStatusCode status;
  int i;

  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, 0, NULL);
  for (i = 0; i < 100; ++i) x[i] = (float)(i + 1);
  in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
  out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof sum, NULL, NULL);

  /* The result goes to memory; the event may be NULL, since the queue is in order. */
  status = CLBlastSsum(100, out, 0, in, 0, 1, &queue, NULL);
  if (status == CLBlastSuccess) {
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL);
    printf("sum = %g\n", sum);
  }
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return status == CLBlastSuccess ? 0 : 1;
}
