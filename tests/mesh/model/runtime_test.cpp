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
