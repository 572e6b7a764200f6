// Times of runs of several launches, asked for at any moment.
#include "mesh/loop/launch_times.hpp"

#include "../object/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class LaunchTimesTest : public MeshTest {
 protected:
  using Part = LaunchTimes::Part;
  LaunchTimesTest() {
    Request request;
    request.family = "source";
    request.source = value_or_throw(
        from_text("__kernel void spin(__global int *x) { for (int i = 0; i < 10000; ++i) x[0] = "
                  "x[0] * 3 + i; }",
                  "spin"));
    request.label = "spin";
    launch_.emplace(session_.context(),
                    session_.resolver().resolve(request, session_.context(), session_.device()),
                    "spin");
    launch_->set_memory(0, memory_.on_device(session_.queue));
    NDRange range;
    range.local[0] = range.global[0] = 1;
    launch_->set_range(range);
  }
  // What counts for nothing may still be at work on the memory.
  ~LaunchTimesTest() override { ::clFinish(session_.queue.cl()()); }
  void enqueue(Part part) { times_.enqueue(*launch_, session_.queue, part); }

  Session& session_ = *Handles::session(mesh);
  Residence memory_{{ScalarType::i32, 1, 1, DataLayout::aos}};
  std::optional<Launch> launch_;
  LaunchTimes times_;
};

TEST_F(LaunchTimesTest, a_run_that_is_asked_for_half_way_counts_for_nothing) {
  enqueue(Part::first);
  EXPECT_EQ(times_.seconds(), 0);
  enqueue(Part::last);
  EXPECT_EQ(times_.seconds(), 0);
  enqueue(Part::first);
  times_.clear();
  enqueue(Part::middle);
  enqueue(Part::last);
  EXPECT_EQ(times_.seconds(), 0);
}

TEST_F(LaunchTimesTest, a_run_that_fails_half_way_does_not_spoil_the_next) {
  enqueue(Part::first);
  enqueue(Part::only);
  const double one = times_.seconds();
  EXPECT_GT(one, 0);
  enqueue(Part::first);
  enqueue(Part::middle);
  enqueue(Part::last);
  EXPECT_GT(times_.seconds(), one);
}

}  // namespace
}  // namespace kiln::mesh::testing
