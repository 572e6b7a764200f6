// Arrays that one queue uses, on a device that works in the host's memory and on one that does not.
#include "device/array_storage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "device/support.hpp"

namespace kiln::testing {
namespace {

class ArrayOfOneQueue : public ::testing::TestWithParam<bool> {
 protected:
  static DevicePtr device() {
    auto device = std::make_shared<Device>(*cpu_device());
    device->host_memory = GetParam();
    return device;
  }
  ArrayOfOneQueue() : queue_(Context::create({device()}), device()) {
    cl::Program program(queue_.context()->cl(),
                        "kernel void add(global int* x) { x[get_global_id(0)] += 1; }");
    program.build({queue_.device()->handle});
    kernel_ = cl::Kernel(program, "add");
  }
  void add_one(ArrayStorage& array) {
    cl_mem memory = array.on_queue(queue_);
    check_cl(::clSetKernelArg(kernel_(), 0, sizeof memory, &memory), "clSetKernelArg");
    queue_.cl().enqueueNDRangeKernel(kernel_, cl::NullRange,
                                     cl::NDRange(array.bytes() / sizeof(cl_int)));
    array.written_on_queue();
  }
  static cl_int* host(ArrayStorage& array, ArrayStorage::HostUse use) {
    return reinterpret_cast<cl_int*>(array.on_host(use));
  }

  Queue queue_;
  cl::Kernel kernel_;
};

TEST_P(ArrayOfOneQueue, kernels_and_the_host_see_what_the_other_writes) {
  ArrayStorage array(1000 * sizeof(cl_int));
  auto* values = host(array, ArrayStorage::HostUse::overwrite);
  for (int i = 0; i < 1000; ++i) values[i] = i;
  add_one(array);
  add_one(array);
  const auto* read = host(array, ArrayStorage::HostUse::read);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(read[i], i + 2);
  add_one(array);
  values = host(array, ArrayStorage::HostUse::write);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(values[i]++, i + 3);
  add_one(array);
  EXPECT_EQ(host(array, ArrayStorage::HostUse::read)[999], 999 + 5);
}

TEST_P(ArrayOfOneQueue, new_contents_of_any_size_come_before_the_next_kernel) {
  for (const std::size_t count : {2, 3, 100}) {
    ArrayStorage array(count * sizeof(cl_int));
    const std::vector<cl_int> sevens(count, 7);
    for (int round = 0; round < 2; ++round) {
      array.overwrite_on_queue(queue_,
                               {reinterpret_cast<const std::byte*>(sevens.data()), array.bytes()});
      add_one(array);
      EXPECT_EQ(host(array, ArrayStorage::HostUse::read)[count - 1], 8);
    }
  }
}

TEST_P(ArrayOfOneQueue, a_part_from_the_host_leaves_what_the_device_has_of_the_rest) {
  ArrayStorage array(100 * sizeof(cl_int));
  add_one(array);
  queue_.cl().finish();
  auto* values = reinterpret_cast<cl_int*>(array.host().data());
  std::fill(values + 60, values + 100, 10);
  array.bring_part_to_queue(queue_, {60 * sizeof(cl_int), array.bytes()});
  add_one(array);
  const auto* read = host(array, ArrayStorage::HostUse::read);
  EXPECT_EQ(read[59], 2);
  EXPECT_EQ(read[60], 11);
  EXPECT_EQ(read[99], 11);
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrayOfOneQueue, ::testing::Bool());

}  // namespace
}  // namespace kiln::testing
