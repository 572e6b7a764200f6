#include <clBLAS.h>
#include <stdio.h>

/* C := A B on the first CPU device, and a call that must fail; prints what came out. */
int main(void) {
  const cl_float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, 3}; /* 2 x 3 and 3 x 2, by rows */
  cl_float c[4] = {0, 0, 0, 0};
  cl_platform_id platforms[8];
  cl_device_id device = NULL;
  cl_uint count = 0, i;
  cl_context context;
  cl_command_queue queue;
  cl_mem in_a, in_b, in_c;
  cl_event event = NULL;
  clblasStatus status, bad;

  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return 2;
  for (i = 0; i < count && i < 8 && device == NULL; ++i)
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
      device = NULL;
  if (device == NULL) return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, 0, NULL);
  in_a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, (void*)a, NULL);
  in_b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof b, (void*)b, NULL);
  in_c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof c, NULL, NULL);

  if (clblasSetup() != clblasSuccess) return 3;
  status = clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, 2, 2, 3, 1.0f, in_a, 0, 3,
                       in_b, 0, 2, 0.0f, in_c, 0, 2, 1, &queue, 0, NULL, &event);
  if (status == clblasSuccess) {
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    clblasReadMatrix(clblasRowMajor, 2, 2, sizeof(cl_float), in_c, 0, 2, c, 0, 2, queue, 0, NULL);
  }
  bad = clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, 2, 2, 3, 1.0f, in_a, 0, 2, in_b,
                    0, 2, 0.0f, in_c, 0, 2, 1, &queue, 0, NULL, NULL);
  printf("%d %g %g %g %g %d\n", (int)status, c[0], c[1], c[2], c[3], (int)bad);
  clReleaseMemObject(in_a);
  clReleaseMemObject(in_b);
  clReleaseMemObject(in_c);
  clblasTeardown();
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
