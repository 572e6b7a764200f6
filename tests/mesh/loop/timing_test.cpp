#include "mesh/loop/timing.hpp"

#include "mesh/model/mesh_fixture.hpp"

// Times of runs of several launches, asked for at any moment.

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

// A loop's report says how many elements go at once, and why only one.

namespace kiln::mesh::testing {
namespace {

TEST(LaneReports, say_why_elements_go_one_by_one) {
  Mesh::Options options = quiet_options();
  options.timing = true;
  Mesh mesh(options);
  const Set set = mesh.set("set", 40);
  const Dat x = mesh.dat<double>("x", set, 1), y = mesh.dat<double>("y", set, 1);
  const auto run = [&](const char* name, const std::string& text) {
    par_loop(Kernel(text, name), set, arg(x, READ), arg(y, WRITE));
  };
  run("many",
      "void many(const double *x, double *y) { if (x[0] > 0) y[0] = 2 * x[0]; else y[0] = 1; }");
  run("one",
      "void one(const double *x, double *y) {\n  int n = 3;\n  if (x[0] > 0) n = 2;\n  y[0] = "
      "n;\n}");
  const auto loops = mesh.report();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].lanes, 8u);
  EXPECT_EQ(loops[0].lanes_obstacle, "");
  EXPECT_EQ(loops[1].lanes, 1u);
  EXPECT_EQ(loops[1].lanes_obstacle,
            "one:3: an integer or pointer that changes for some elements only");
}

}  // namespace
}  // namespace kiln::mesh::testing
