// start_archive FILE KERNEL ITEMS LOCAL: loads a program's binary and runs one kernel once, which
// takes (float a, global const float* x, global float* y, int n).
#include "run_kernel.hpp"

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
  rival::run_kernel(machine, program, argv[2], std::atoi(argv[3]),
                    static_cast<std::size_t>(std::atoi(argv[4])));
  clReleaseProgram(program);
  rival::close_machine(machine);
}
