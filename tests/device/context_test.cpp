#include "device/context.hpp"

#include <thread>

#include "device/queue_handle.hpp"
#include "device/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {Errc::internal, "nothing was thrown"};
}

TEST(Context, keeps_the_descriptions_of_its_devices) {
  const auto device = cpu_device();
  const auto context = Context::create({device});
  ASSERT_EQ(context->devices().size(), 1u);
  EXPECT_EQ(context->device(device->handle()), device);
}

TEST(Context, no_device_at_all_is_an_error) {
  EXPECT_EQ(error_of([] { Context::create({}); }).code(), Errc::device);
}

TEST(Context, a_stranger_among_devices_is_not_found) {
  const auto context = Context::create({cpu_device()});
  EXPECT_EQ(error_of([&] { context->device(nullptr); }).code(), Errc::not_found);
}

TEST(Queue, of_pocl_is_released_only_after_many_others) {
  const auto device = cpu_device();
  if (!device->pocl) GTEST_SKIP() << "the first CPU device is not PoCL's";
  const auto context = Context::create({device});
  cl::CommandQueue watched;
  {
    const Queue queue(context, device);
    const Queue copy = queue;
    watched = copy.cl();
  }
  const auto references = [&] { return watched.getInfo<CL_QUEUE_REFERENCE_COUNT>(); };
  EXPECT_EQ(references(), 2u) << "a queue went while PoCL's worker may still hold its lock";
  for (std::size_t i = 0; i + 1 < retired_queues; ++i) Queue(context, device);
  EXPECT_EQ(references(), 2u);
  Queue(context, device);
  EXPECT_EQ(references(), 1u) << "retired queues must not pile up";
}

// Drivers read any object as a queue: PoCL crashes at the first use of what it finds there.
TEST(Queue, other_objects_are_told_from_queues) {
  const auto device = cpu_device();
  const auto context = Context::create({device});
  const Queue queue(context, device);
  EXPECT_TRUE(is_queue(queue.cl()()));
  const cl::Buffer buffer(context->cl(), CL_MEM_READ_WRITE, 4096);
  const cl::UserEvent event(context->cl());
  cl::Program program(context->cl(), "kernel void k(global int* x) { *x = 1; }");
  program.build();
  const cl::Kernel kernel(program, "k");
  std::byte bytes[256]{};
  for (void* other :
       {static_cast<void*>(nullptr), static_cast<void*>(buffer()), static_cast<void*>(event()),
        static_cast<void*>(program()), static_cast<void*>(kernel()),
        static_cast<void*>(context->cl()()), static_cast<void*>(device->handle()),
        reinterpret_cast<void*>(std::uintptr_t{0x10f0}),
        reinterpret_cast<void*>(std::uintptr_t{0x10f1}), static_cast<void*>(bytes)}) {
    EXPECT_FALSE(is_queue(static_cast<cl_command_queue>(other))) << other;
    if (other != nullptr) {
      EXPECT_EQ(
          error_of([&] { Queue::adopt(static_cast<cl_command_queue>(other), context); }).code(),
          Errc::bad_input)
          << other;
    }
  }
}

TEST(Queue, of_a_sub_device_is_one) {
  const auto device = cpu_device();
  if (device->compute_units < 2) GTEST_SKIP() << "one core";
  const auto parts = value_or_throw(partition_equally(device, 2));
  const auto whole = Context::create({device}), part = Context::create({parts[0]});
  EXPECT_TRUE(is_queue(Queue(part, parts[0]).cl()()));
  EXPECT_TRUE(is_queue(Queue(whole, device).cl()()));
}

TEST(Context, an_adopted_one_is_retained_while_it_is_held) {
  const auto device = cpu_device();
  const cl::Context foreign(device->handle);
  const auto count = foreign.getInfo<CL_CONTEXT_REFERENCE_COUNT>();
  auto context = Context::adopt(foreign());
  EXPECT_GT(foreign.getInfo<CL_CONTEXT_REFERENCE_COUNT>(), count);
  ASSERT_EQ(context->devices().size(), 1u);
  EXPECT_EQ(context->devices()[0]->fingerprint(), device->fingerprint());
  context.reset();
  EXPECT_EQ(foreign.getInfo<CL_CONTEXT_REFERENCE_COUNT>(), count);
}

struct Counted {
  static inline std::atomic<int> made{0}, gone{0};
  Counted() { ++made; }
  ~Counted() { ++gone; }
};

TEST(Context, the_attachment_is_made_once_and_goes_with_the_context) {
  Counted::made = Counted::gone = 0;
  auto context = Context::create({cpu_device()});
  std::vector<Counted*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (auto& place : seen) threads.emplace_back([&] { place = &context->attachment<Counted>(); });
  }
  for (auto* one : seen) EXPECT_EQ(one, seen[0]);
  EXPECT_EQ(Counted::made, 1);
  EXPECT_EQ(Counted::gone, 0);
  context.reset();
  EXPECT_EQ(Counted::gone, 1);
}

TEST(Queue, an_adopted_one_knows_its_device) {
  const auto device = cpu_device();
  const cl::Context foreign(device->handle);
  const cl::CommandQueue queue(foreign, device->handle);
  const auto context = Context::adopt(foreign());
  const Queue adopted = Queue::adopt(queue(), context);
  EXPECT_EQ(adopted.cl()(), queue());
  EXPECT_EQ(adopted.device()->handle(), device->handle());
  EXPECT_EQ(adopted.context(), context);
}

TEST(Queue, of_another_context_is_refused) {
  const auto device = cpu_device();
  const cl::Context one(device->handle), other(device->handle);
  const cl::CommandQueue queue(one, device->handle);
  const auto references = queue.getInfo<CL_QUEUE_REFERENCE_COUNT>();
  const auto error = error_of([&] { Queue::adopt(queue(), Context::adopt(other())); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("another context"));
  EXPECT_EQ(queue.getInfo<CL_QUEUE_REFERENCE_COUNT>(), references) << "released again";
}

TEST(Queue, adopted_sub_devices_are_told_apart_and_share_their_parents_programs) {
  const auto device = cpu_device();
  if (device->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  const auto parts = value_or_throw(partition_equally(device, 2));
  const auto adopt = [&](const DevicePtr& part) {
    const cl::Context context(part->handle);
    const cl::CommandQueue queue(context, part->handle);
    return Queue::adopt(queue(), Context::adopt(context())).device();
  };
  const auto a = adopt(parts[0]), b = adopt(parts[1]);
  EXPECT_EQ(a->handle(), parts[0]->handle());
  EXPECT_EQ(a->compute_units, parts[0]->compute_units);
  EXPECT_EQ(a->fingerprint(), device->fingerprint());
  EXPECT_NE(a->part, b->part);
  EXPECT_NE(a->part, 0u) << "a whole device's number";
  EXPECT_EQ(a->part, adopt(parts[0])->part);
}

}  // namespace
}  // namespace kiln::testing
