/* An application of clBLAS, as tests of kiln record start it: products and sums of vectors from
 * several threads, each with a queue of its own.
 *
 *   app SIZE CALLS THREADS [profile] [killed]
 *
 * profile: the queues keep times. killed: waits until the record has all calls, and dies of
 * SIGKILL.
 */
#include <clBLAS.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue_properties properties;
static size_t size;
static int calls;

static void check(int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", what, status);
  exit(3);
}

static cl_mem matrix(void) {
  cl_int status = CL_SUCCESS;
  float* zeros = calloc(size * size, sizeof *zeros);
  const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     size * size * sizeof *zeros, zeros, &status);
  free(zeros);
  check(status, "clCreateBuffer");
  return made;
}

static void* work(void* unused) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context, device, properties, &status);
  check(status, "clCreateCommandQueue");
  const cl_mem a = matrix(), b = matrix(), c = matrix();
  for (int i = 0; i < calls; ++i) {
    check(clblasSgemm(clblasColumnMajor, clblasNoTrans, clblasTrans, size, size, size, 0.5f, a, 0,
                      size, b, 0, size, 1.0f, c, 0, size, 1, &queue, 0, NULL, NULL),
          "clblasSgemm");
    check(clFinish(queue), "clFinish");
  }
  check(clblasSaxpy(size, 2.0f, a, 0, 1, b, 0, 1, 1, &queue, 0, NULL, NULL), "clblasSaxpy");
  check(clFinish(queue), "clFinish");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseCommandQueue(queue);
  return unused;
}

static void work_in_threads(int threads) {
  pthread_t all[16];
  for (int i = 0; i < threads; ++i) check(pthread_create(&all[i], NULL, work, NULL), "thread");
  for (int i = 0; i < threads; ++i) check(pthread_join(all[i], NULL), "thread");
}

static long long record_size(void) {
  struct stat file;
  return stat(getenv("KILN_RECORD"), &file) == 0 ? (long long)file.st_size : 0;
}

/* What is there when the file has grown is all that came before the call that made it grow. */
static void die_recorded(int threads) {
  while (record_size() == 0) usleep(1000);
  const long long before = record_size();
  work_in_threads(threads);
  while (record_size() == before) usleep(1000);
  kill(getpid(), SIGKILL);
}

int main(int count, char** words) {
  if (count < 4) return 2;
  size = strtoul(words[1], NULL, 10);
  calls = atoi(words[2]);
  const int threads = atoi(words[3]);
  int dies = 0;
  for (int i = 4; i < count; ++i) {
    if (strcmp(words[i], "profile") == 0) properties = CL_QUEUE_PROFILING_ENABLE;
    if (strcmp(words[i], "killed") == 0) dies = 1;
  }
  cl_platform_id platform;
  cl_int status = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  check(clblasSetup(), "clblasSetup");
  work_in_threads(threads);
  if (dies) die_recorded(threads);
  clblasTeardown();
  clReleaseContext(context);
  puts("done");
  return count > 4 && strcmp(words[count - 1], "fail") == 0 ? 7 : 0;
}
