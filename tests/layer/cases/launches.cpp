// clEnqueueNDRangeKernel with every shape, right and wrong.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// Adds up where each work-item is, so that each shape gives another result.
constexpr const char* where_source =
    "kernel void where(global int* out) {\n"
    "  size_t x = get_global_id(0) - get_global_offset(0);\n"
    "  size_t y = get_global_id(1) - get_global_offset(1);\n"
    "  size_t z = get_global_id(2) - get_global_offset(2);\n"
    "  out[(z * get_global_size(1) + y) * get_global_size(0) + x] =\n"
    "    (int)(get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2));\n}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int* out) {\n"
    "  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =\n"
    "    (int)(get_local_id(0) + 10 * get_local_id(1));\n}\n"
    "kernel void sizes(global int* out) {\n"
    "  if (get_global_id(0) == get_global_size(0) - 1) {\n"
    "    out[0] = (int)get_work_dim(); out[1] = (int)get_global_size(0);\n"
    "    out[2] = (int)get_local_size(0); out[3] = (int)get_num_groups(0);\n"
    "    out[4] = (int)get_group_id(0); out[5] = (int)get_local_id(0);\n"
    "    out[6] = (int)get_local_size(1); out[7] = (int)get_global_size(2);\n  }\n}\n";

struct Where {
  Program program;
  Kernel kernel;
  Memory result;
};

Where where(Environment& e, const char* name = "where", std::size_t count = 512) {
  Where made;
  made.program = e.built(where_source);
  made.kernel = e.kernel(made.program, name);
  const std::vector<cl_int> before(count, -1);
  made.result = e.memory(count * sizeof(cl_int), before.data());
  e.set(made.kernel, 0, made.result);
  return made;
}

cl_int launch_raw(Environment& e, const char* what, cl_command_queue queue, cl_kernel kernel,
                  cl_uint dimensions, const std::size_t* offset, const std::size_t* global,
                  const std::size_t* local) {
  const cl_int status = ::clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                                 0, nullptr, nullptr);
  e.out.status(what, status);
  return status;
}

}  // namespace

LAYER_CASE(launch_one_dimension) {
  const Where w = where(e);
  e.launch(w.kernel, {16}, {4});
  e.read<int>("where", w.result, 20);
}

LAYER_CASE(launch_two_dimensions) {
  const Where w = where(e);
  e.launch(w.kernel, {4, 4}, {2, 4});
  e.read<int>("where", w.result, 16);
}

LAYER_CASE(launch_three_dimensions) {
  const Where w = where(e);
  e.launch(w.kernel, {4, 2, 2}, {2, 1, 2});
  e.read<int>("where", w.result, 16);
}

LAYER_CASE(launch_without_a_local_size) {
  const Where w = where(e);
  e.launch(w.kernel, {16});
  e.read<int>("where", w.result, 16);
  e.launch(w.kernel, {4, 4});
  e.read<int>("where", w.result, 16);
  e.launch(w.kernel, {4, 2, 2});
  e.read<int>("where", w.result, 16);
}

LAYER_CASE(launch_prime_sizes_without_a_local_size) {
  const Where w = where(e);
  e.launch(w.kernel, {17});
  e.read<int>("where", w.result, 17);
  e.launch(w.kernel, {101});
  e.read<int>("where", w.result, 101);
}

LAYER_CASE(launch_local_size_that_does_not_divide) {
  const Where w = where(e);
  e.launch(w.kernel, {10}, {4});
  e.read<int>("where", w.result, 16);
  e.launch(w.kernel, {8, 9}, {4, 4});
  e.read<int>("where", w.result, 16);
}

LONG_LAYER_CASE(launch_local_size_that_does_not_divide_by_standard) {
  for (const char* standard : {"-cl-std=CL1.2", "-cl-std=CL3.0"}) {
    const Program program = e.built(where_source, standard);
    const Kernel kernel = e.kernel(program, "where");
    const std::vector<cl_int> before(16, -1);
    const Memory result = e.memory(16 * sizeof(cl_int), before.data());
    e.set(kernel, 0, result);
    e.launch(kernel, {10}, {4});
    e.read<int>("where", result, 16);
  }
}

LAYER_CASE(launch_with_offsets) {
  const Where w = where(e);
  const std::size_t offset[3] = {5, 3, 1}, global[3] = {4, 2, 2}, local[3] = {2, 2, 1};
  for (const cl_uint dimensions : {1u, 2u, 3u}) {
    launch_raw(e, "launch", e.queue, w.kernel, dimensions, offset, global, local);
    e.read<int>("where", w.result, 16);
  }
  launch_raw(e, "without a local size", e.queue, w.kernel, 2, offset, global, nullptr);
  e.read<int>("where", w.result, 16);
}

LAYER_CASE(launch_with_offset_zero_and_null) {
  const Where w = where(e);
  const std::size_t zero[3] = {}, global[3] = {4, 4, 1};
  launch_raw(e, "zeros", e.queue, w.kernel, 2, zero, global, nullptr);
  e.read<int>("where", w.result, 16);
  launch_raw(e, "NULL", e.queue, w.kernel, 2, nullptr, global, nullptr);
  e.read<int>("where", w.result, 16);
}

LAYER_CASE(launch_of_zero_items) {
  const Where w = where(e);
  e.launch(w.kernel, {0});
  e.launch(w.kernel, {0}, {1});
  e.launch(w.kernel, {4, 0});
  e.launch(w.kernel, {4, 0, 4}, {1, 1, 1});
  e.out.status("finish", ::clFinish(e.queue));
  e.read<int>("where", w.result, 4);
}

LAYER_CASE(launch_with_local_size_zero) {
  const Where w = where(e);
  const std::size_t global[2] = {4, 4}, local[2] = {0, 2};
  launch_raw(e, "one dimension", e.queue, w.kernel, 1, nullptr, global, local);
  launch_raw(e, "two dimensions", e.queue, w.kernel, 2, nullptr, global, local);
}

LAYER_CASE(launch_with_local_size_too_large) {
  const Where w = where(e);
  e.launch(w.kernel, {8192}, {8192});
  e.launch(w.kernel, {1 << 20}, {1 << 20});
  e.launch(w.kernel, {128, 128}, {128, 128});
  e.launch(w.kernel, {4}, {8});
}

LAYER_CASE(launch_of_the_largest_local_size) {
  const Where w = where(e, "where", 4096);
  std::size_t largest = 0;
  ::clGetKernelWorkGroupInfo(w.kernel, e.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof largest,
                             &largest, nullptr);
  if (largest > 4096) return;
  e.launch(w.kernel, {largest}, {largest});
  e.read<int>("where", w.result, largest);
}

LAYER_CASE(launch_with_wrong_dimensions) {
  const Where w = where(e);
  const std::size_t global[4] = {2, 2, 2, 2};
  for (const cl_uint dimensions : {0u, 4u, 100u})
    launch_raw(e, "launch", e.queue, w.kernel, dimensions, nullptr, global, nullptr);
}

LAYER_CASE(launch_without_a_global_size) {
  const Where w = where(e);
  launch_raw(e, "launch", e.queue, w.kernel, 1, nullptr, nullptr, nullptr);
}

LAYER_CASE(launch_on_no_queue_and_in_another_context) {
  const Where w = where(e);
  const std::size_t global = 4;
  launch_raw(e, "no queue", nullptr, w.kernel, 1, nullptr, &global, nullptr);
  const Context other = e.new_context();
  const Queue queue = e.new_queue(other);
  launch_raw(e, "queue of another context", queue, w.kernel, 1, nullptr, &global, nullptr);
}

LAYER_CASE(launch_of_a_required_size) {
  const Where w = where(e, "fixed");
  e.launch(w.kernel, {8, 4}, {4, 2});
  e.read<int>("local positions", w.result, 32);
  e.launch(w.kernel, {8, 4});
  e.read<int>("local positions", w.result, 32);
}

LAYER_CASE(launch_of_another_than_the_required_size) {
  const Where w = where(e, "fixed");
  e.launch(w.kernel, {8, 4}, {2, 4});
  e.launch(w.kernel, {8, 4}, {8, 2});
  e.launch(w.kernel, {8}, {4});
  e.launch(w.kernel, {8}, {8});
  e.launch(w.kernel, {6, 4}, {4, 2});
  e.launch(w.kernel, {6, 3});
  e.out.status("finish", ::clFinish(e.queue));
}

LAYER_CASE(launch_sizes_seen_by_the_kernel) {
  const Where w = where(e, "sizes");
  for (const std::size_t local : {1u, 2u, 8u, 16u}) {
    e.launch(w.kernel, {16}, {local});
    e.read<int>("sizes", w.result, 8);
  }
}

LAYER_CASE(launch_with_several_local_sizes_in_turn) {
  const Where w = where(e);
  for (const std::size_t local : {8u, 4u, 8u, 2u, 8u, 4u}) {
    e.launch(w.kernel, {16}, {local});
    e.read<int>("where", w.result, 16);
  }
}

LAYER_CASE(launch_local_sizes_of_equal_product) {
  const Where w = where(e);
  e.launch(w.kernel, {8, 8}, {8, 1});
  e.read<int>("where", w.result, 64);
  e.launch(w.kernel, {8, 8}, {1, 8});
  e.read<int>("where", w.result, 64);
  e.launch(w.kernel, {8, 8}, {4, 2});
  e.read<int>("where", w.result, 64);
}

LAYER_CASE(launch_large_grid) {
  const Where w = where(e, "where", std::size_t{1} << 20);
  e.launch(w.kernel, {std::size_t{1} << 20}, {64});
  e.read<int>("where", w.result, std::size_t{1} << 20);
}

LONG_LAYER_CASE(launch_large_grid_of_two_dimensions) {
  const Where w = where(e, "where", std::size_t{1} << 18);
  e.launch(w.kernel, {512, 512}, {16, 4});
  e.read<int>("where", w.result, std::size_t{1} << 18);
}

LAYER_CASE(launch_a_task) {
  const Where w = where(e);
  e.out.status("task", ::clEnqueueTask(e.queue, w.kernel, 0, nullptr, nullptr));
  e.read<int>("where", w.result, 2);
  const Where fixed = where(e, "fixed");
  e.out.status("task of a required size",
               ::clEnqueueTask(e.queue, fixed.kernel, 0, nullptr, nullptr));
  e.out.status("finish", ::clFinish(e.queue));
}

LAYER_CASE(launch_a_thousand_times) {
  const Program program = e.built("kernel void count(global int* out) { out[0] += 1; }\n");
  const Kernel kernel = e.kernel(program, "count");
  const cl_int zero = 0;
  const Memory result = e.memory(sizeof zero, &zero);
  e.set(kernel, 0, result);
  const std::size_t one = 1;
  cl_int wrong = 0;
  for (int i = 0; i < 1000; ++i)
    wrong |= ::clEnqueueNDRangeKernel(e.queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
  e.out.number("statuses", wrong);
  e.read<int>("count", result, 1);
}

LAYER_CASE(launch_on_two_queues_in_turn) {
  const Where w = where(e);
  const Queue other = e.new_queue(e.context);
  for (const cl_command_queue queue : {cl_command_queue(e.queue), cl_command_queue(other)}) {
    e.launch(queue, w.kernel, {8}, {8});
    e.read<int>("where", queue, w.result, 8);
  }
}

LAYER_CASE(launch_reading_through_a_map) {
  const Where w = where(e);
  e.launch(w.kernel, {8}, {8});
  cl_int status = 1;
  void* mapped = ::clEnqueueMapBuffer(e.queue, w.result, CL_TRUE, CL_MAP_READ, 0, 32, 0, nullptr,
                                      nullptr, &status);
  e.out.status("map", status);
  const auto* numbers = static_cast<const cl_int*>(mapped);
  e.out.values("where", std::vector<cl_int>(numbers, numbers + 8));
  e.out.status("unmap", ::clEnqueueUnmapMemObject(e.queue, w.result, mapped, 0, nullptr, nullptr));
  e.out.status("finish", ::clFinish(e.queue));
}

}  // namespace kiln::layer_cases
