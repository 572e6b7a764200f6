// clSetKernelArg: what is refused, and that what was set arrives.
#include <limits>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

struct Pair {
  cl_int first;
  cl_float second;
};

constexpr const char* kinds_source =
    "struct pair { int first; float second; };\n"
    "kernel void kinds(global int* a, constant int* b, local int* c, int d, float e, char f,\n"
    "                  struct pair g, int4 h, sampler_t i, read_only image2d_t j) {\n"
    "  a[0] = d + (int)e + f + g.first + h.x + b[0]; c[0] = 0;\n"
    "}\n";

Memory image(Environment& e, cl_mem_flags flags, std::size_t width, std::size_t height,
             void* data = nullptr) {
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  cl_int status = 1;
  Memory created = ::clCreateImage(e.context, flags, &format, &description, data, &status);
  e.out.status("image", status);
  return created;
}

}  // namespace

LAYER_CASE(argument_sizes_of_all_kinds) {
  const Program program = e.built(kinds_source);
  const Kernel kernel = e.kernel(program, "kinds");
  const unsigned char bytes[256] = {};
  const auto set = [&](cl_uint index, std::size_t size) {
    e.out.line("argument %u of %zu bytes: %s", index, size,
               status_name(::clSetKernelArg(kernel, index, size, bytes)).c_str());
  };
  for (cl_uint index = 0; index < 6; ++index)
    for (const std::size_t size : {0u, 1u, 3u, 4u, 8u, 16u, 17u})
      // A memory of the right size must be one, and these bytes are none.
      if (index > 2 || size != 8) set(index, size);
  // A structure or a vector of no bytes: PoCL 3.1 fails an assertion.
  for (const std::size_t size : {1u, 3u, 4u, 8u, 16u}) set(6, size);
  for (const std::size_t size : {1u, 3u, 4u, 8u, 16u}) set(7, size);
}

LAYER_CASE(argument_values_null) {
  const Program program = e.built(kinds_source);
  const Kernel kernel = e.kernel(program, "kinds");
  for (const auto& [index, size] :
       {std::pair{0u, 8u}, {1u, 8u}, {2u, 64u}, {3u, 4u}, {4u, 4u}, {5u, 1u}, {6u, 8u}, {7u, 16u}})
    e.set(kernel, index, size, nullptr);
  const cl_mem none = nullptr;
  e.set(kernel, 0, sizeof none, &none);
  e.set(kernel, 1, sizeof none, &none);
}

LAYER_CASE(argument_index_beyond_the_last) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const int value = 0;
  for (const cl_uint index : {2u, 3u, 100u, 0xffffffffu}) e.set(kernel, index, value);
}

LONG_LAYER_CASE(argument_of_a_kernel_without_any) {
  const Program program = e.built("kernel void none() {}\n");
  const Kernel kernel = e.kernel(program, "none");
  const int value = 0;
  e.set(kernel, 0, value);
  e.launch(kernel, {4}, {4});
  e.out.status("finish", ::clFinish(e.queue));
}

LAYER_CASE(argument_local_memory) {
  const Program program = e.built(
      "kernel void reverse(global int* out, local int* memory) {\n"
      "  size_t i = get_local_id(0), n = get_local_size(0);\n"
      "  memory[i] = (int)i; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = memory[n - 1 - i];\n}\n");
  const Kernel kernel = e.kernel(program, "reverse");
  const Memory result = e.memory(16 * sizeof(int));
  const int value = 0;
  e.set(kernel, 0, result);
  e.set(kernel, 1, 64, &value);
  e.set(kernel, 1, 0, nullptr);
  e.set(kernel, 1, 8 * sizeof(int), nullptr);
  e.launch(kernel, {16}, {8});
  e.read<int>("by eights", result, 16);
}

LAYER_CASE(argument_missing_at_the_launch) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  e.launch(kernel, {8}, {8});
  e.set(kernel, 1, 5);
  e.launch(kernel, {8}, {8});
  const Memory result = e.memory(8 * sizeof(int));
  e.set(kernel, 0, result);
  e.launch(kernel, {8}, {8});
  e.read<int>("fill", result, 8);
}

LAYER_CASE(argument_set_again_between_launches) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory first = e.memory(8 * sizeof(int)), second = e.memory(8 * sizeof(int));
  e.set(kernel, 0, first);
  e.set(kernel, 1, 100);
  e.launch(kernel, {8}, {8});
  e.set(kernel, 0, second);
  e.launch(kernel, {8}, {8});
  e.set(kernel, 1, 200);
  e.set(kernel, 0, first);
  e.launch(kernel, {4}, {4});
  e.read<int>("first", first, 8);
  e.read<int>("second", second, 8);
}

LAYER_CASE(argument_refused_leaves_the_former) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory result = e.memory(4 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 100);
  e.set(kernel, 0, 3, result.address());
  e.set(kernel, 2, 5);
  e.launch(kernel, {4}, {4});
  e.read<int>("fill", result, 4);
}

LAYER_CASE(argument_value_changes_after_it_was_set) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory result = e.memory(4 * sizeof(int));
  int value = 100;
  e.set(kernel, 0, result);
  e.set(kernel, 1, value);
  value = 0;
  e.launch(kernel, {4}, {4});
  e.read<int>("fill", result, 4);
}

LAYER_CASE(argument_memory_released_after_it_was_set) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  {
    const Memory result = e.memory(4 * sizeof(int));
    e.set(kernel, 0, result);
    e.set(kernel, 1, 100);
    e.launch(kernel, {4}, {4});
    e.read<int>("fill", result, 4);
  }
  const Memory other = e.memory(4 * sizeof(int));
  e.set(kernel, 0, other);
  e.launch(kernel, {4}, {4});
  e.read<int>("fill", other, 4);
}

LAYER_CASE(argument_scalars_of_all_types) {
  const Program program = e.built(
      "kernel void scalars(global long* out, char a, uchar b, short c, ushort d, int e, uint f,\n"
      "                    long g, ulong h, float i) {\n"
      "  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g;\n"
      "  out[7] = (long)h; out[8] = as_int(i);\n}\n");
  const Kernel kernel = e.kernel(program, "scalars");
  const Memory result = e.memory(9 * sizeof(cl_long));
  e.set(kernel, 0, result);
  e.set(kernel, 1, std::numeric_limits<cl_char>::min());
  e.set(kernel, 2, std::numeric_limits<cl_uchar>::max());
  e.set(kernel, 3, std::numeric_limits<cl_short>::min());
  e.set(kernel, 4, std::numeric_limits<cl_ushort>::max());
  e.set(kernel, 5, std::numeric_limits<cl_int>::min());
  e.set(kernel, 6, std::numeric_limits<cl_uint>::max());
  e.set(kernel, 7, std::numeric_limits<cl_long>::min());
  e.set(kernel, 8, std::numeric_limits<cl_ulong>::max());
  e.set(kernel, 9, -0.0f);
  e.launch(kernel, {1}, {1});
  e.read<std::uint64_t>("scalars", result, 9);
}

LAYER_CASE(argument_structure) {
  const Program program = e.built(
      "struct pair { int first; float second; };\n"
      "kernel void of_pair(global float* out, struct pair p) { out[0] = p.first * p.second; }\n");
  const Kernel kernel = e.kernel(program, "of_pair");
  const Memory result = e.memory(sizeof(float));
  e.set(kernel, 0, result);
  e.set(kernel, 1, Pair{6, 7.5f});
  e.launch(kernel, {1}, {1});
  e.read<float>("product", result, 1);
}

LONG_LAYER_CASE(argument_vectors) {
  const Program program = e.built(
      "kernel void of_vectors(global int* out, int2 a, int3 b, int4 c, int8 d, int16 f) {\n"
      "  out[0] = a.y; out[1] = b.z; out[2] = c.w; out[3] = d.s7; out[4] = f.sf;\n}\n");
  const Kernel kernel = e.kernel(program, "of_vectors");
  const Memory result = e.memory(5 * sizeof(int));
  const cl_int numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  e.set(kernel, 0, result);
  e.set(kernel, 1, 8, numbers);
  e.set(kernel, 2, 16, numbers);
  e.set(kernel, 3, 16, numbers);
  e.set(kernel, 4, 32, numbers);
  e.set(kernel, 5, 64, numbers);
  e.launch(kernel, {1}, {1});
  e.read<int>("vectors", result, 5);
}

LAYER_CASE(argument_constant_memory) {
  const Program program = e.built(
      "kernel void look(global int* out, constant int* table) {\n"
      "  out[get_global_id(0)] = table[7 - get_global_id(0)];\n}\n");
  const Kernel kernel = e.kernel(program, "look");
  const cl_int table[8] = {10, 11, 12, 13, 14, 15, 16, 17};
  const Memory result = e.memory(8 * sizeof(int)), constants = e.memory(sizeof table, table);
  e.set(kernel, 0, result);
  e.set(kernel, 1, constants);
  e.launch(kernel, {8}, {8});
  e.read<int>("table", result, 8);
}

LAYER_CASE(argument_sub_buffer) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory whole = e.memory(1024);
  const cl_int zero = 0;
  e.out.status("zeros", ::clEnqueueFillBuffer(e.queue, whole, &zero, sizeof zero, 0, 1024, 0,
                                              nullptr, nullptr));
  const cl_buffer_region region{512, 16};
  cl_int status = 1;
  const Memory part =
      ::clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  e.out.status("sub-buffer", status);
  e.set(kernel, 0, part);
  e.set(kernel, 1, 40);
  e.launch(kernel, {4}, {4});
  e.read<int>("whole", whole, 256);
}

LAYER_CASE(argument_images_and_samplers) {
  const Program program = e.built(
      "kernel void sample(global uint4* out, read_only image2d_t from, sampler_t with) {\n"
      "  int x = (int)get_global_id(0);\n"
      "  out[x] = read_imageui(from, with, (int2)(x, 1));\n}\n");
  const Kernel kernel = e.kernel(program, "sample");
  std::vector<unsigned char> pixels(4 * 4 * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<unsigned char>(i);
  const Memory from = image(e, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4, 4, pixels.data());
  cl_int status = 1;
  const Sampler sampler =
      ::clCreateSampler(e.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  e.out.status("sampler", status);
  const Memory result = e.memory(6 * 4 * sizeof(cl_uint));
  e.set(kernel, 0, result);
  e.set(kernel, 1, from);
  e.set(kernel, 2, sizeof(cl_sampler), sampler.address());
  e.launch(kernel, {6}, {1});
  e.read<cl_uint>("pixels", result, 24);
}

LONG_LAYER_CASE(argument_image_written) {
  const Program program = e.built(
      "kernel void paint(write_only image2d_t to) {\n"
      "  int x = (int)get_global_id(0), y = (int)get_global_id(1);\n"
      "  write_imageui(to, (int2)(x, y), (uint4)(x, y, x + y, 255));\n}\n");
  const Kernel kernel = e.kernel(program, "paint");
  const Memory to = image(e, CL_MEM_WRITE_ONLY, 4, 4);
  e.set(kernel, 0, to);
  e.launch(kernel, {4, 4}, {2, 2});
  std::vector<std::uint8_t> pixels(64);
  const std::size_t origin[3] = {}, region[3] = {4, 4, 1};
  e.out.status("read", ::clEnqueueReadImage(e.queue, to, CL_TRUE, origin, region, 0, 0,
                                            pixels.data(), 0, nullptr, nullptr));
  e.out.values("pixels", pixels);
}

LAYER_CASE(argument_buffer_for_an_image_and_the_reverse) {
  const Program program = e.built(
      "kernel void mixed(global int* a, read_only image2d_t b, sampler_t c) { a[0] = 1; }\n");
  const Kernel kernel = e.kernel(program, "mixed");
  const Memory buffer = e.memory(64);
  const Memory picture = image(e, CL_MEM_READ_ONLY, 4, 4);
  e.set(kernel, 0, picture);
  e.set(kernel, 1, buffer);
  e.set(kernel, 1, picture);
  const int number = 5;
  e.set(kernel, 2, number);
  e.set(kernel, 2, sizeof(cl_sampler), nullptr);
  e.set(kernel, 1, 4, picture.address());
}

LAYER_CASE(argument_shared_virtual_memory) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  auto* memory = static_cast<cl_int*>(::clSVMAlloc(e.context, CL_MEM_READ_WRITE, 32, 0));
  e.out.yes_no("memory", memory != nullptr);
  if (memory == nullptr) return;
  e.out.status("pointer", ::clSetKernelArgSVMPointer(kernel, 0, memory));
  e.out.status("pointer beyond the last", ::clSetKernelArgSVMPointer(kernel, 5, memory));
  e.set(kernel, 1, 20);
  e.launch(kernel, {8}, {8});
  e.out.status("finish", ::clFinish(e.queue));
  e.out.status("map",
               ::clEnqueueSVMMap(e.queue, CL_TRUE, CL_MAP_READ, memory, 32, 0, nullptr, nullptr));
  e.out.values("fill", std::vector<cl_int>(memory, memory + 8));
  e.out.status("unmap", ::clEnqueueSVMUnmap(e.queue, memory, 0, nullptr, nullptr));
  e.out.status("finish", ::clFinish(e.queue));
  ::clSVMFree(e.context, memory);
}

}  // namespace kiln::layer_cases
