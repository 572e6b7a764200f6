#include "kiln/runtime.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/os/file.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "store/local/local_store.hpp"

// Meshes of a Runtime: its context, its store.

namespace kiln::mesh::testing {
namespace {

/// 1 + 1 in each of three cells.
std::vector<double> sums_on(Mesh& mesh) {
  const Set cells = mesh.set("cells", 3);
  const std::vector<double> ones(3, 1.0);
  const Dat x = mesh.dat<double>("x", cells, 1, ones), y = mesh.dat<double>("y", cells, 1, ones);
  par_loop(Kernel("void add(double *y, double *x) { *y += *x; }", "add"), cells, arg(y, RW),
           arg(x, READ));
  return read<double>(y);
}

TEST(RuntimeOfMeshes, gives_its_context_and_its_store_to_several) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-mesh"));
  const std::string place = (folder.path() / "store").string();
  const Runtime runtime({.devices = "cpu", .store = place});
  Mesh first(runtime), second(runtime);
  EXPECT_EQ(first.device_name(), runtime.devices().front().name);
  EXPECT_EQ(Handles::session(first)->context(), Handles::session(second)->context());
  const std::vector<double> expected(3, 2.0);
  EXPECT_EQ(sums_on(first), expected);
  EXPECT_EQ(sums_on(second), expected);
  // The second one's program is the first one's.
  EXPECT_EQ(second.report().at(0).program_hits, 1u);
  runtime.finish();
  const auto kept = value_or_throw(LocalStore(place).list());
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(),
                          [](const auto& entry) { return entry.kind == Kind::artifact; }),
            1);
}

TEST(RuntimeOfMeshes, works_in_a_context_of_the_application) {
  const cl::Device device(Runtime({.devices = "cpu", .store = "off"}).devices().front().handle);
  const cl::Context context(device);
  // Out of order and without times: a Mesh has a queue of its own.
  const cl::CommandQueue queue(context, device, cl::QueueProperties::OutOfOrder);
  const cl_command_queue handle = queue();
  Mesh mesh(Runtime::adopt(context(), {&handle, 1}, "off"), {.timing = true});
  EXPECT_EQ(Handles::session(mesh)->context()->cl()(), context());
  EXPECT_EQ(sums_on(mesh), std::vector<double>(3, 2.0));
  EXPECT_GT(mesh.report().at(0).seconds, 0.0);
}

/// A queue of an application in a context of its own, which fills buffers.
struct Application {
  explicit Application(cl_command_queue_properties properties = 0)
      : device(Runtime({.devices = "cpu", .store = "off"}).devices().front().handle, true),
        context(device),
        queue(context, device, properties) {}
  Mesh mesh(Mesh::Options options = {}) const {
    options.queue = queue();
    return Mesh(Runtime::adopt(context(), {&options.queue, 1}, "off"), options);
  }
  void fill(cl_mem memory, double value, std::size_t count) const {
    queue.enqueueFillBuffer(cl::Buffer(memory, true), value, 0, count * sizeof(double));
  }
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

TEST(RuntimeOfMeshes, loops_are_enqueued_between_commands_of_the_application) {
  const Application application;
  Mesh mesh = application.mesh();
  EXPECT_EQ(mesh.queue(), application.queue());
  const Set cells = mesh.set("cells", 3);
  Dat x = mesh.dat<double>("x", cells, 1), y = mesh.dat<double>("y", cells, 1);
  const Kernel add("void add(double *y, double *x) { *y += *x; }", "add");
  double expected = 0;
  for (int round = 1; round <= 3; ++round) {
    application.fill(x.buffer(), round, 3);
    par_loop(add, cells, arg(y, RW), arg(x, READ));
    expected += round;
    EXPECT_EQ(read<double>(y), std::vector<double>(3, expected));
    EXPECT_EQ(read<double>(x), std::vector<double>(3, round));
    // Queued loops come before what is enqueued with the buffer.
    par_loop(add, cells, arg(y, RW), arg(x, READ));
    application.fill(x.buffer(), 100, 3);
    expected += round;
    EXPECT_EQ(read<double>(y), std::vector<double>(3, expected));
    EXPECT_EQ(read<double>(x), std::vector<double>(3, 100));
    x.write<double>()[1] = 7;
    EXPECT_EQ(read<double>(x), (std::vector<double>{100, 7, 100}));
  }
}

TEST(RuntimeOfMeshes, dats_lie_in_buffers_of_the_application) {
  const Application application;
  Mesh mesh = application.mesh();
  const Set cells = mesh.set("cells", 4);
  std::vector<double> values = counting<double>(32 + 8);
  const cl::Buffer buffer(application.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(double), values.data());
  for (const DataLayout layout : {DataLayout::aos, DataLayout::soa}) {
    const Dat x = mesh.wrap<double>("x", DataSet(cells, 2), buffer(), 32, layout);
    const bool is_soa = layout == DataLayout::soa;
    const auto at = [&](std::size_t element, std::size_t k) {
      return is_soa ? k * 4 + element : element * 2 + k;
    };
    for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(read<double>(x)[i], 32 + at(i / 2, i % 2));
    par_loop(Kernel("void twice(double *x) { x[0] *= 2; x[1] *= -1; }", "twice"), cells,
             arg(x, RW));
    mesh.flush();
    std::vector<double> now(values.size());
    application.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, now.size() * sizeof(double),
                                        now.data());
    for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(now[i], values[i]);
    for (std::size_t e = 0; e < 4; ++e) {
      EXPECT_EQ(now[32 + at(e, 0)], 2 * (32 + at(e, 0)));
      EXPECT_EQ(read<double>(x)[2 * e + 1], -(32.0 + static_cast<double>(at(e, 1))));
    }
    application.queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, now.size() * sizeof(double),
                                         values.data());
  }
}

TEST(RuntimeOfMeshes, a_buffer_outlives_its_dat_and_its_mesh) {
  const Application application;
  cl::Buffer kept;
  {
    Mesh mesh = application.mesh();
    const std::vector<double> values = counting<double>(1000);
    Dat x = mesh.dat<double>("x", mesh.set("cells", 1000), 1, values);
    kept = cl::Buffer(x.buffer(), true);
  }
  const std::vector<std::vector<double>> others(64, std::vector<double>(1000, -1));
  std::vector<double> now(1000);
  application.queue.enqueueReadBuffer(kept, CL_TRUE, 0, 8000, now.data());
  EXPECT_EQ(now, counting<double>(1000));
}

TEST(RuntimeOfMeshes, refuses_queues_and_buffers_that_do_not_fit) {
  const Application application, other;
  EXPECT_THAT(refusal([&] {
                const Application out_of_order(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
                out_of_order.mesh();
              }),
              ::testing::HasSubstr("expected one that is in order"));
  EXPECT_THAT(refusal([&] { application.mesh({.timing = true}); }),
              ::testing::HasSubstr("expected CL_QUEUE_PROFILING_ENABLE"));
  Mesh mesh = application.mesh();
  const Set cells = mesh.set("cells", 4), none = mesh.set("none", 0);
  const cl::Buffer buffer(application.context, CL_MEM_READ_WRITE, 64),
      foreign(other.context, CL_MEM_READ_WRITE, 64);
  const auto wrap = [&](const Set& set, std::size_t dim, cl_mem memory, std::size_t offset = 0) {
    return refusal([&] { mesh.wrap<double>("x", DataSet(set, dim), memory, offset); });
  };
  EXPECT_THAT(wrap(cells, 1, foreign()), ::testing::HasSubstr("of another context"));
  EXPECT_THAT(wrap(cells, 1, nullptr), ::testing::HasSubstr("not that of a buffer"));
  EXPECT_THAT(wrap(cells, 3, buffer()), ::testing::HasSubstr("has 64 bytes, expected 96"));
  EXPECT_THAT(wrap(cells, 2, buffer(), 1), ::testing::HasSubstr("from byte 8 on"));
  EXPECT_THAT(wrap(cells, 1, buffer(), 1), ::testing::HasSubstr("begins at byte 8"));
  EXPECT_THAT(wrap(none, 1, buffer()), ::testing::HasSubstr("no elements"));
}

TEST(RuntimeOfMeshes, refuses_options_that_name_another_device_or_store) {
  const Runtime runtime({.devices = "cpu", .store = "off"});
  EXPECT_THAT(refusal([&] { Mesh(runtime, {.device = "cpu"}); }),
              ::testing::HasSubstr("expected the Runtime's"));
  EXPECT_THAT(refusal([&] { Mesh(runtime, {.store = "off"}); }),
              ::testing::HasSubstr("expected the Runtime's"));
  refusal([] { Mesh mesh(Runtime({.devices = "~no such device", .store = "off"})); },
          Errc::not_found);
}

}  // namespace
}  // namespace kiln::mesh::testing
