// vector_add_binary FILE N: VectorAdd from a program's binary, which needs no compiler.
#include "vector_add.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const rival::Machine machine = rival::open_machine();
  const auto binary = rival::read_file(argv[1]);
  const unsigned char* bytes = binary.data();
  const std::size_t size = binary.size();
  cl_int status = 0, loaded = 0;
  cl_program program = clCreateProgramWithBinary(machine.context, 1, &machine.device, &size, &bytes,
                                                 &loaded, &status);
  rival::check(status, "clCreateProgramWithBinary");
  rival::check(loaded, "clCreateProgramWithBinary");
  rival::check(clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr), "clBuildProgram");
  rival::run_vector_add(machine, program, std::atoi(argv[2]));
  clReleaseProgram(program);
  rival::close_machine(machine);
}
