/* A program in C, which knows CLBlast's headers and nothing else. */
#include <clblast_c.h>
#include <clblast_half.h>

int clblast_from_c(cl_command_queue queue, cl_mem memory);

/* Returns 0 where all calls succeed and leave what they should. */
int clblast_from_c(cl_command_queue queue, cl_mem memory) {
  const char* names[] = {"WGS1", "WGS2"};
  const size_t values[] = {64, 64};
  cl_device_id device = NULL;
  cl_event event = NULL;
  float result = 0;
  size_t bytes = 1;
  if (CLBlastSscal(16, 3.0f, memory, 0, 1, &queue, NULL) != CLBlastSuccess) return 1;
  if (CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, 4, 4, 4, 1.0f,
                   memory, 0, 4, memory, 0, 4, 0.0f, memory, 16, 4, &queue,
                   &event) != CLBlastSuccess)
    return 2;
  if (clWaitForEvents(1, &event) != CL_SUCCESS) return 3;
  clReleaseEvent(event);
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 16 * sizeof result, sizeof result, &result, 0, NULL,
                      NULL);
  if (result != 36.0f) return 4;
  if (CLBlastSGemmTempBufferSize(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, 4,
                                 4, 4, 0, 4, 0, 4, 16, 4, &queue, &bytes) != CLBlastSuccess ||
      bytes != 0)
    return 5;
  if (CLBlastSscal(0, 3.0f, memory, 0, 1, &queue, NULL) != CLBlastInvalidDimension) return 6;
  if (HalfToFloat(FloatToHalf(0.25f)) != 0.25f) return 7;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  if (CLBlastOverrideParameters(device, "Xdot", CLBlastPrecisionSingle, 2, names, values) !=
      CLBlastSuccess)
    return 8;
  return CLBlastClearCache() == CLBlastSuccess ? 0 : 9;
}
