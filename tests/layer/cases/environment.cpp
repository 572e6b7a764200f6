// The objects that a case works on.
#include <stdlib.h>

#include <cstdlib>
#include <fstream>

#include "cases.hpp"

namespace kiln::layer_cases {

Environment::Environment() {
  if (::clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      ::clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, nullptr) != CL_SUCCESS) {
    std::fputs("layer_cases: there is no OpenCL device\n", stderr);
    std::exit(3);
  }
  out.know(platform, "platform");
  out.know(device, "device");
  cl_int status = CL_SUCCESS;
  context = ::clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  if (status != CL_SUCCESS) out.status("context", status);
  out.know(context, "context");
  queue = ::clCreateCommandQueue(context, device, 0, &status);
  if (status != CL_SUCCESS) out.status("queue", status);
  out.know(queue, "queue");
}

Context Environment::new_context() {
  cl_int status = 1;
  Context created = ::clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  out.status("new context", status);
  out.know(created, "context");
  return created;
}

Queue Environment::new_queue(cl_context of, cl_command_queue_properties properties) {
  cl_int status = 1;
  Queue created = ::clCreateCommandQueue(of, device, properties, &status);
  out.status("new queue", status);
  out.know(created, "queue");
  return created;
}

Program Environment::program(const std::string& text, cl_context of) {
  const char* string = text.c_str();
  cl_int status = 1;
  Program created = ::clCreateProgramWithSource(of, 1, &string, nullptr, &status);
  out.status("program from source", status);
  out.know(created, "program");
  return created;
}

cl_int Environment::build(cl_program program, const char* options) {
  const cl_int status = ::clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  out.status("build", status);
  return status;
}

Program Environment::built(const std::string& text, const char* options) {
  Program created = program(text);
  if (build(created, options) != CL_SUCCESS) print_build(*this, created, device);
  return created;
}

Kernel Environment::kernel(cl_program program, const char* name) {
  cl_int status = 1;
  Kernel created = ::clCreateKernel(program, name, &status);
  out.status(std::string("kernel ") + (name == nullptr ? "NULL" : name), status);
  out.know(created, "kernel");
  return created;
}

Memory Environment::memory(std::size_t bytes, const void* data, cl_context of) {
  cl_int status = 1;
  const cl_mem_flags flags =
      CL_MEM_READ_WRITE | (data != nullptr ? CL_MEM_COPY_HOST_PTR : cl_mem_flags{0});
  Memory created = ::clCreateBuffer(of, flags, bytes, const_cast<void*>(data), &status);
  if (status != CL_SUCCESS) out.status("memory", status);
  out.know(created, "memory");
  return created;
}

cl_int Environment::set(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  const cl_int status = ::clSetKernelArg(kernel, index, size, value);
  out.status("argument " + std::to_string(index), status);
  return status;
}

cl_int Environment::launch(cl_command_queue on, cl_kernel kernel,
                           const std::vector<std::size_t>& global,
                           const std::vector<std::size_t>& local) {
  const cl_int status = ::clEnqueueNDRangeKernel(
      on, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
      local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  out.status("launch", status);
  return status;
}

void Environment::run_fill(cl_program program, int value, cl_context in, cl_command_queue on) {
  const Settled settled(program);
  const Kernel fill = kernel(program, "fill");
  if (fill == nullptr) return;
  const Memory result = memory(8 * sizeof(int), nullptr, in);
  set(fill, 0, result);
  set(fill, 1, value);
  launch(on, fill, {8}, {4});
  read<int>("fill", on, result, 8);
}

Folder::Folder(Environment& e) {
  std::string name = (std::filesystem::temp_directory_path() / "kiln-layer-cases-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    std::perror("layer_cases: no temporary folder");
    std::exit(3);
  }
  path_ = name;
  e.out.hide(name, "FOLDER");
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
  const auto path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace kiln::layer_cases
