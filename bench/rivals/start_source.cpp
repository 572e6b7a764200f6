// start_source FILE KERNEL ITEMS LOCAL: builds a program from its text and runs one kernel once,
// which takes (float a, global const float* x, global float* y, int n).
#include "run_kernel.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const rival::Machine machine = rival::open_machine();
  const auto text = rival::read_file(argv[1]);
  const char* start = reinterpret_cast<const char*>(text.data());
  const std::size_t size = text.size();
  cl_int status = 0;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &start, &size, &status);
  rival::check(status, "clCreateProgramWithSource");
  rival::check(clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr), "clBuildProgram");
  rival::run_kernel(machine, program, argv[2], std::atoi(argv[3]),
                    static_cast<std::size_t>(std::atoi(argv[4])));
  clReleaseProgram(program);
  rival::close_machine(machine);
}
