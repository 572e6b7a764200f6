// start_archive FILE KERNEL ITEMS LOCAL: loads a program's binary and runs one kernel once, which
// takes (float a, global const float* x, global float* y, int n).
#include "vector_add.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const rival::Machine machine = rival::open_machine();
  const auto binary = rival::read_file(argv[1]);
  const unsigned char* bytes = binary.data();
  const std::size_t size = binary.size();
  cl_int status = 0, loaded = 0;
  cl_program program = clCreateProgramWithBinary(machine.context, 1, &machine.device, &size, &bytes,
                                                 &loaded, &status);
  rival::check(status, "clCreateProgramWithBinary");
  rival::check(clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, argv[2], &status);
  rival::check(status, "clCreateKernel");

  const int count = std::atoi(argv[3]);
  const std::size_t items = static_cast<std::size_t>(count);
  const std::size_t local = static_cast<std::size_t>(std::atoi(argv[4]));
  std::vector<float> x(items, 0.5f), y(items, 0.25f);
  cl_mem buffers[2];
  for (cl_uint i = 0; i < 2; ++i) {
    buffers[i] = clCreateBuffer(machine.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                items * sizeof(float), i == 0 ? x.data() : y.data(), &status);
    rival::check(status, "clCreateBuffer");
    rival::check(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  const float a = 2;
  rival::check(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
  rival::check(clSetKernelArg(kernel, 3, sizeof count, &count), "clSetKernelArg");
  rival::check(clEnqueueNDRangeKernel(machine.queue, kernel, 1, nullptr, &items, &local, 0, nullptr,
                                      nullptr),
               "clEnqueueNDRangeKernel");
  rival::check(clEnqueueReadBuffer(machine.queue, buffers[1], CL_TRUE, 0, items * sizeof(float),
                                   y.data(), 0, nullptr, nullptr),
               "clEnqueueReadBuffer");
  std::printf("%g %g\n", y[0], y[items - 1]);
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  rival::close_machine(machine);
}
