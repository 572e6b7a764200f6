// Platforms, extension functions, sub-devices, and programs of several devices.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

using Device = Owned<cl_device_id, ::clReleaseDevice>;

/// The device's halves: empty where it cannot be divided.
std::vector<Device> halves(Environment& e) {
  cl_uint units = 0;
  ::clGetDeviceInfo(e.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  // The number of processors is the machine's: only what is asked per part is written.
  const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[2] = {};
  cl_uint count = 0;
  const cl_int status = units < 2 ? CL_DEVICE_PARTITION_FAILED
                                  : ::clCreateSubDevices(e.device, properties, 2, parts, &count);
  e.out.status("sub-devices", status);
  std::vector<Device> made;
  for (cl_uint i = 0; status == CL_SUCCESS && i < count; ++i) {
    e.out.know(parts[i], "part");
    made.emplace_back(parts[i]);
  }
  return made;
}

Context context_of(Environment& e, const std::vector<cl_device_id>& devices) {
  cl_int status = 1;
  Context context = ::clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(),
                                      nullptr, nullptr, &status);
  e.out.status("context", status);
  e.out.know(context, "context");
  return context;
}

void run_on(Environment& e, cl_context context, cl_device_id device, cl_program program,
            int value) {
  cl_int status = 1;
  const Queue queue = ::clCreateCommandQueue(context, device, 0, &status);
  e.out.status("queue", status);
  e.run_fill(program, value, context, queue);
}

}  // namespace

LAYER_CASE(extension_functions) {
  for (const char* name :
       {"clCreateProgramWithILKHR", "clCreateCommandBufferKHR", "clCommandNDRangeKernelKHR",
        "clCreateSubDevicesEXT", "clRetainDeviceEXT", "clReleaseDeviceEXT",
        "clGetKernelSubGroupInfoKHR", "clGetGLContextInfoKHR", "clIcdGetPlatformIDsKHR",
        "clSetContentSizeBufferPoCL", "clGetKernelSuggestedLocalWorkSizeKHR", "clBuildProgram",
        "clRetainDevice", "clCreateKernel", "clNoSuchFunction", ""}) {
    const void* of_platform = ::clGetExtensionFunctionAddressForPlatform(e.platform, name);
    const void* of_suffix = ::clGetExtensionFunctionAddress(name);
    e.out.line("%s: %s, without a platform: %s", name, of_platform == nullptr ? "NULL" : "address",
               of_suffix == nullptr ? "NULL" : "address");
  }
  const void* none =
      ::clGetExtensionFunctionAddressForPlatform(nullptr, "clCreateProgramWithILKHR");
  e.out.line("no platform: %s", none == nullptr ? "NULL" : "address");
}

LAYER_CASE(extension_function_for_intermediate_language) {
  using Create = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);
  const auto create = reinterpret_cast<Create>(
      ::clGetExtensionFunctionAddressForPlatform(e.platform, "clCreateProgramWithILKHR"));
  e.out.yes_no("a function", create != nullptr);
  if (create == nullptr) return;
  const cl_uint words[] = {0x07230203, 0x00010000, 0, 1, 0};
  cl_int status = 1;
  const Program program = create(e.context, words, sizeof words, &status);
  e.out.status("five words", status);
  e.out.yes_no("a program", program != nullptr);
}

LAYER_CASE(platforms_asked_wrongly) {
  cl_uint count = 0;
  e.out.status("a count", ::clGetPlatformIDs(0, nullptr, &count));
  e.out.yes_no("at least one", count > 0);
  cl_platform_id platform = nullptr;
  e.out.status("no places", ::clGetPlatformIDs(0, &platform, nullptr));
  e.out.status("nothing", ::clGetPlatformIDs(0, nullptr, nullptr));
  e.out.status("one", ::clGetPlatformIDs(1, &platform, nullptr));
  e.out.yes_no("the same", platform == e.platform);
}

LAYER_CASE(devices_asked_wrongly) {
  cl_uint count = 0;
  cl_device_id device = nullptr;
  e.out.status("all", ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count));
  e.out.status("none", ::clGetDeviceIDs(e.platform, 0, 1, &device, &count));
  e.out.status("custom", ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, &count));
  e.out.status("no places", ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_ALL, 0, &device, nullptr));
  e.out.status("retain the root", ::clRetainDevice(e.device));
  e.out.status("release the root", ::clReleaseDevice(e.device));
  e.out.status("retain NULL", ::clRetainDevice(nullptr));
}

LAYER_CASE(devices_of_a_context) {
  e.out.answer("CL_CONTEXT_DEVICES", Form::handles,
               [&](std::size_t size, void* value, std::size_t* told) {
                 return ::clGetContextInfo(e.context, CL_CONTEXT_DEVICES, size, value, told);
               });
  e.out.answer("CL_CONTEXT_NUM_DEVICES", Form::number,
               [&](std::size_t size, void* value, std::size_t* told) {
                 return ::clGetContextInfo(e.context, CL_CONTEXT_NUM_DEVICES, size, value, told);
               });
  // CL_CONTEXT_PROPERTIES of a context without any: PoCL 3.1 crashes.
  e.out.status("no context", ::clGetContextInfo(nullptr, CL_CONTEXT_DEVICES, 0, nullptr, nullptr));
}

LAYER_CASE(context_from_a_type) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(e.platform), 0};
  cl_int status = 1;
  const Context context =
      ::clCreateContextFromType(properties, CL_DEVICE_TYPE_DEFAULT, nullptr, nullptr, &status);
  e.out.status("context", status);
  e.out.know(context, "context");
  const Program program = e.program(fill_source, context);
  e.build(program);
  print_program(e, program);
  run_on(e, context, e.device, program, 5);
}

LAYER_CASE(context_with_properties) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(e.platform), 0};
  cl_int status = 1;
  const Context context = ::clCreateContext(properties, 1, &e.device, nullptr, nullptr, &status);
  e.out.status("context", status);
  e.out.know(context, "context");
  const Program program = e.program(fill_source, context);
  e.build(program);
  run_on(e, context, e.device, program, 6);
}

LAYER_CASE(context_refused) {
  cl_int status = 1;
  cl_context context = ::clCreateContext(nullptr, 0, &e.device, nullptr, nullptr, &status);
  e.out.status("no devices", status);
  context = ::clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, &status);
  e.out.status("no list", status);
  e.out.yes_no("a context", context != nullptr);
  e.out.status("retain NULL", ::clRetainContext(nullptr));
  e.out.status("release NULL", ::clReleaseContext(nullptr));
}

LAYER_CASE(sub_devices_refused) {
  const cl_device_partition_property unknown[] = {0x4711, 1, 0};
  cl_uint count = 0;
  e.out.status("unknown", ::clCreateSubDevices(e.device, unknown, 0, nullptr, &count));
  e.out.status("no properties", ::clCreateSubDevices(e.device, nullptr, 0, nullptr, &count));
  const cl_device_partition_property far_too_many[] = {CL_DEVICE_PARTITION_EQUALLY, 100000, 0};
  e.out.status("parts of 100000", ::clCreateSubDevices(e.device, far_too_many, 0, nullptr, &count));
}

LAYER_CASE(sub_devices_equally) {
  const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint count = 0, units = 0;
  ::clGetDeviceInfo(e.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  const cl_int asked = ::clCreateSubDevices(e.device, properties, 0, nullptr, &count);
  e.out.status("how many", asked);
  if (asked != CL_SUCCESS) return;
  e.out.yes_no("one for each unit", count == units);
  std::vector<cl_device_id> parts(count);
  e.out.status("sub-devices",
               ::clCreateSubDevices(e.device, properties, count, parts.data(), nullptr));
  {
    e.out.know(parts[0], "part");
    const Context context = context_of(e, {parts[0]});
    const Program program = e.program(fill_source, context);
    e.build(program);
    print_program(e, program);
    print_build(e, program, parts[0]);
    run_on(e, context, parts[0], program, 7);
  }
  cl_int released = CL_SUCCESS;
  for (const cl_device_id part : parts) released |= ::clReleaseDevice(part);
  e.out.status("release of all", released);
}

LAYER_CASE(sub_device_alone_in_a_context) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0]});
  const Program program = e.program(fill_source, context);
  e.out.status("build for it",
               ::clBuildProgram(program, 1, parts[0].address(), nullptr, nullptr, nullptr));
  print_program(e, program);
  print_build(e, program, parts[0]);
  // Its parent's answers: the parent is not in the context.
  print_build(e, program, e.device);
  run_on(e, context, parts[0], program, 8);
}

LAYER_CASE(sub_devices_two_in_a_context) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0], parts[1]});
  const Program program = e.program(fill_source, context);
  e.build(program);
  print_program(e, program);
  print_build(e, program, parts[0]);
  print_build(e, program, parts[1]);
  run_on(e, context, parts[0], program, 9);
  run_on(e, context, parts[1], program, 10);
}

LAYER_CASE(sub_devices_built_for_one_only) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0], parts[1]});
  const Program program = e.program(fill_source, context);
  e.out.status("build for the first",
               ::clBuildProgram(program, 1, parts[0].address(), nullptr, nullptr, nullptr));
  print_program(e, program);
  print_build(e, program, parts[0]);
  print_build(e, program, parts[1]);
  run_on(e, context, parts[0], program, 11);
}

LAYER_CASE(sub_devices_built_one_after_the_other) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0], parts[1]});
  const Program program = e.program(fill_source, context);
  for (const Device& part : parts)
    e.out.status("build for one",
                 ::clBuildProgram(program, 1, part.address(), nullptr, nullptr, nullptr));
  print_program(e, program);
  print_build(e, program, parts[0]);
  print_build(e, program, parts[1]);
  run_on(e, context, parts[1], program, 12);
}

LAYER_CASE(sub_devices_that_are_built_wrongly) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0], parts[1]});
  const Program program = e.program(wrong_source, context);
  e.build(program);
  print_build(e, program, parts[0]);
  print_build(e, program, parts[1]);
}

LAYER_CASE(sub_device_and_its_root_in_a_context) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {e.device, parts[0]});
  if (context == nullptr) return;
  const Program program = e.program(fill_source, context);
  const cl_device_id list[] = {parts[0], e.device};
  e.out.status("build in the other order",
               ::clBuildProgram(program, 2, list, nullptr, nullptr, nullptr));
  print_program(e, program);
  run_on(e, context, e.device, program, 13);
  run_on(e, context, parts[0], program, 14);
}

/// Where there are two. Which order sizes and binaries have is the driver's affair.
LAYER_CASE(two_devices_built_in_the_other_order) {
  cl_device_id devices[2] = {};
  cl_uint count = 0;
  ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_ALL, 2, devices, &count);
  if (count < 2) return e.out.line("one device");
  e.out.know(devices[1], "second device");
  const Context context = context_of(e, {devices[0], devices[1]});
  const Program program = e.program(fill_source, context);
  const cl_device_id list[] = {devices[1], devices[0]};
  e.out.status("build", ::clBuildProgram(program, 2, list, "-DX=1", nullptr, nullptr));
  std::size_t sizes[2] = {};
  e.out.status("sizes",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, nullptr));
  std::vector<unsigned char> first(sizes[0]), second(sizes[1]);
  unsigned char* places[] = {first.data(), second.data()};
  e.out.status("binaries",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, nullptr));
  const unsigned char* bytes[] = {first.data(), second.data()};
  for (std::size_t i = 0; i < 2; ++i) {
    const Context own = context_of(e, {devices[i]});
    cl_int loaded = 1, status = 1;
    const Program made =
        ::clCreateProgramWithBinary(own, 1, &devices[i], &sizes[i], &bytes[i], &loaded, &status);
    e.out.status("made", status);
    e.out.status("loaded", loaded);
    if (made == nullptr) continue;
    e.out.status("built", ::clBuildProgram(made, 0, nullptr, nullptr, nullptr, nullptr));
    run_on(e, own, devices[i], made, 15);
  }
}

LAYER_CASE(sub_device_binaries) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0], parts[1]});
  const Program program = e.program(fill_source, context);
  e.build(program);
  std::size_t sizes[2] = {};
  e.out.status("sizes",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, nullptr));
  e.out.yes_no("two sizes", sizes[0] > 0 && sizes[1] > 0);
  std::vector<unsigned char> first(sizes[0]), second(sizes[1]);
  unsigned char* places[] = {first.data(), second.data()};
  e.out.status("binaries",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, nullptr));
  const cl_device_id list[] = {parts[0], parts[1]};
  const unsigned char* bytes[] = {first.data(), second.data()};
  cl_int statuses[2] = {1, 1}, status = 1;
  const Program made =
      ::clCreateProgramWithBinary(context, 2, list, sizes, bytes, statuses, &status);
  e.out.status("program from both", status);
  e.out.line("binary statuses: %s, %s", status_name(statuses[0]).c_str(),
             status_name(statuses[1]).c_str());
  e.build(made);
  run_on(e, context, parts[1], made, 15);
}

LAYER_CASE(sub_device_that_is_not_in_the_context) {
  const auto parts = halves(e);
  if (parts.empty()) return;
  const Context context = context_of(e, {parts[0]});
  const Program program = e.program(fill_source, context);
  e.out.status("build for another",
               ::clBuildProgram(program, 1, parts[1].address(), nullptr, nullptr, nullptr));
  print_build(e, program, parts[0]);
}

LAYER_CASE(all_devices_of_the_platform_in_a_context) {
  cl_uint count = 0;
  ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(count);
  ::clGetDeviceIDs(e.platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  for (const cl_device_id device : devices)
    if (device != e.device) e.out.know(device, "device");
  const Context context = context_of(e, devices);
  const Program program = e.program(fill_source, context);
  e.build(program);
  print_program(e, program);
  for (const cl_device_id device : devices) run_on(e, context, device, program, 16);
}

}  // namespace kiln::layer_cases
