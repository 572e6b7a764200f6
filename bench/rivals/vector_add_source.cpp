// vector_add_source FILE N: VectorAdd from its text, compiled by the driver.
#include "vector_add.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const rival::Machine machine = rival::open_machine();
  const auto text = rival::read_file(argv[1]);
  const char* lines = reinterpret_cast<const char*>(text.data());
  const std::size_t size = text.size();
  cl_int status = 0;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &lines, &size, &status);
  rival::check(status, "clCreateProgramWithSource");
  rival::check(clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr), "clBuildProgram");
  rival::run_vector_add(machine, program, std::atoi(argv[2]));
  clReleaseProgram(program);
  rival::close_machine(machine);
}
