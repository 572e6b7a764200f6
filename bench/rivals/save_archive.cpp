// save_archive SOURCE FILE: what the driver gives for a program right after its build.
#include "vector_add.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const rival::Machine machine = rival::open_machine();
  const auto text = rival::read_file(argv[1]);
  const char* source = reinterpret_cast<const char*>(text.data());
  const std::size_t length = text.size();
  cl_int status = 0;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &source, &length, &status);
  rival::check(status, "clCreateProgramWithSource");
  rival::check(clBuildProgram(program, 1, &machine.device, "", nullptr, nullptr), "clBuildProgram");
  std::size_t size = 0;
  rival::check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
               "clGetProgramInfo");
  std::vector<unsigned char> binary(size);
  unsigned char* bytes = binary.data();
  rival::check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr),
               "clGetProgramInfo");
  std::FILE* file = std::fopen(argv[2], "wb");
  if (file == nullptr || std::fwrite(bytes, 1, size, file) != size || std::fclose(file) != 0) {
    std::perror(argv[2]);
    return 1;
  }
  clReleaseProgram(program);
  rival::close_machine(machine);
}
