// The buffers that all configurations share.
#include "spec/tune/device_arrays.hpp"

#include <set>

#include "spec/run/job.hpp"
#include "support.hpp"

namespace kiln::spec {
namespace {

using namespace testing;

class DeviceArraysTest : public SpecTuneTest {
 protected:
  DeviceArraysTest() {
    write("add.cl", R"(kernel void add(global float* in, global float* out, global float* both) {
      const int i = get_global_id(0);
      out[i] += 1.0f; both[i] += 1.0f; in[i] = 5.0f; })");
    write("add.json", R"({"name": "add", "src": "add.cl", "workDimension": 1,
      "globalWorkSize": "[dataset]",
      "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset", "break": 0}],
      "outputBuffers": [{"pos": 1, "type": "float", "size": "dataset", "break": 0}],
      "ioBuffers": [{"pos": 2, "type": "float", "size": "dataset", "break": 0}]})");
    spec_ = value_or_throw(load_spec(file("add.json")));
    bound_ = value_or_throw(bind(spec_, {{{"dataset", 64}}, {}}));
    initial_ = value_or_throw(Arrays::make(bound_, 0, {}));
  }
  Launch launch() {
    const auto request =
        value_or_throw(make_request(spec_, bound_, value_or_throw(load_kernel_source(spec_, {}))));
    Launch made(queue_.context(), resolver_.resolve(request, queue_.context(), device_), "add");
    made.set_range(range_of(bound_));
    return made;
  }
  static float first(ByteView bytes) {
    float value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  Spec spec_;
  BoundSpec bound_;
  Arrays initial_;
};

TEST_F(DeviceArraysTest, start_anew_whole_or_only_what_is_read_and_written) {
  DeviceArrays arrays(bound_, initial_, queue_);
  Launch add = launch();
  arrays.set_arguments(add);
  const auto run = [&] {
    add.enqueue(queue_.cl()());
    queue_.cl().finish();
  };
  const float in = first(initial_.at(0).view()), both = first(initial_.at(2).view());
  arrays.reset(DeviceArrays::Which::all);
  run();
  run();
  EXPECT_EQ(first(arrays.contents(1)), 2.0f);
  EXPECT_EQ(first(arrays.contents(2)), both + 1.0f + 1.0f);
  arrays.reset(DeviceArrays::Which::inout);
  EXPECT_EQ(first(arrays.contents(0)), 5.0f);
  EXPECT_EQ(first(arrays.contents(1)), 2.0f);
  EXPECT_EQ(first(arrays.contents(2)), both);
  arrays.reset(DeviceArrays::Which::all);
  EXPECT_EQ(first(arrays.contents(0)), in);
  EXPECT_EQ(first(arrays.contents(1)), 0.0f);
  EXPECT_EQ(first(initial_.at(0).view()), in) << "what it starts from is never written";
}

TEST_F(DeviceArraysTest, sets_take_turns_and_start_anew_each_for_itself) {
  DeviceArraySets sets(bound_, initial_, queue_);
  ASSERT_EQ(sets.size(), 4u);
  Launch add = launch();
  std::vector<DeviceArrays*> taken;
  // Five launches: the first set has two of them, the others one.
  for (int i = 0; i < 5; ++i) {
    taken.push_back(&sets.next());
    taken.back()->set_arguments(add);
    add.enqueue(queue_.cl()());
    queue_.cl().finish();
  }
  EXPECT_EQ(taken[0], &sets.first());
  EXPECT_EQ(taken[4], &sets.first());
  EXPECT_EQ(std::set<DeviceArrays*>(taken.begin(), taken.end()).size(), 4u);
  const float both = first(initial_.at(2).view());
  EXPECT_EQ(first(taken[0]->contents(1)), 2.0f);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(first(taken[i]->contents(1)), 1.0f) << i;
  sets.reset(DeviceArrays::Which::inout);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first(taken[i]->contents(2)), both) << i;
}

TEST_F(DeviceArraysTest, large_problems_have_fewer_sets) {
  const auto sets_at = [&](int elements) {  // three buffers of floats
    const auto bound = value_or_throw(bind(spec_, {{{"dataset", elements}}, {}}));
    const auto initial = value_or_throw(Arrays::make(bound, 0, {}));
    return DeviceArraySets(bound, initial, queue_).size();
  };
  EXPECT_EQ(sets_at(8 << 20), 2u);   // 96 MiB a set
  EXPECT_EQ(sets_at(12 << 20), 1u);  // 144 MiB
}

}  // namespace
}  // namespace kiln::spec
