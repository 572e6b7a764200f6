/* An OpenCL program that knows nothing of Kiln: builds programs, runs a kernel of each and prints
   what came of it.

     app [option…] FILE…        OpenCL C files, each with a kernel `run(global int *)`
       -l N      local size of the launches; 0: the driver's choice (default 16)
       -n N      how often each file is built and run, as a program of its own (default 1)
       -o TEXT   build options
       -e N      ends with this exit code
       -k N      ends by this signal
       -w        waits for a signal when all has run; prints "interrupted N" at SIGINT, ends then
       -v        writes the arguments, one a line, and ends

   Where something fails: a line on standard error, exit code 3. */
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { items = 64 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "app: %s: %d\n", what, (int)status);
  exit(3);
}

static char* text_of(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = calloc(1, 1 << 20);
  if (file == NULL || text == NULL) {
    fprintf(stderr, "app: cannot read %s\n", path);
    exit(3);
  }
  (void)!fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

static void open_device(void) {
  cl_platform_id platform;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
}

static void build_and_run(const char* path, const char* options, size_t local) {
  cl_int status, numbers[items] = {0};
  char* text = text_of(path);
  const char* strings = text;
  cl_program program = clCreateProgramWithSource(context, 1, &strings, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "run", &status);
  check(status, "clCreateKernel");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof numbers,
                                 numbers, &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  const size_t global = items;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local == 0 ? NULL : &local, 0, NULL,
                               NULL),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
        "clEnqueueReadBuffer");
  long sum = 0;
  for (int i = 0; i < items; ++i) sum += numbers[i];
  printf("%ld\n", sum);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  free(text);
}

static volatile sig_atomic_t interruptions = 0;
static void interrupt(int number) {
  (void)number;
  ++interruptions;
}

/* Waits a little after the first signal, so that a second one would be counted, too. */
static void wait_for_signal(void) {
  signal(SIGINT, interrupt);
  printf("waiting\n");
  fflush(stdout);
  while (interruptions == 0) pause();
  usleep(200000);
  printf("interrupted %d\n", (int)interruptions);
}

int main(int count, char** words) {
  const char* options = "";
  size_t local = 16;
  int times = 1, code = 0, own_end = 0, waits = 0;
  for (int option; (option = getopt(count, words, "l:n:o:e:k:wv")) != -1;) {
    if (option == 'l') local = (size_t)atoi(optarg);
    if (option == 'n') times = atoi(optarg);
    if (option == 'o') options = optarg;
    if (option == 'e') code = atoi(optarg);
    if (option == 'k') own_end = atoi(optarg);
    if (option == 'w') waits = 1;
    if (option == 'v') {
      for (int i = optind; i < count; ++i) printf("%s\n", words[i]);
      return 0;
    }
  }
  if (optind < count) open_device();
  for (int i = optind; i < count; ++i)
    for (int time = 0; time < times; ++time) build_and_run(words[i], options, local);
  fflush(stdout);
  if (waits) wait_for_signal();
  if (own_end != 0) kill(getpid(), own_end);
  if (queue != NULL) clReleaseCommandQueue(queue);
  if (context != NULL) clReleaseContext(context);
  return code;
}
