#include "kernel/support.hpp"
#include "schedule/co_run.hpp"
#include "schedule/proof.hpp"

namespace kiln::testing {
namespace {

/// Jobs over 1024 floats in 16 work-groups: argument 0 in, argument 1 out.
class SlicesTest : public StoreFixture {
 protected:
  SlicesTest() : input_(4096), output_(4096) {
    for (std::size_t i = 0; i < 1024; ++i) values(input_)[i] = static_cast<float>((i * 37) % 101);
  }
  static float* values(HostArray& array) { return reinterpret_cast<float*>(array.data()); }

  Job job(const std::string& body) {
    Job job;
    job.request = text_request(
        "__kernel void k(__global const float* a, __global float* b) { int i = get_global_id(0); " +
            body + " }",
        "k");
    job.kernel = "k";
    job.range = range_1d(1024, 64);
    BufferArgument in{BufferArgument::Access::in, input_.span(), 4, true};
    BufferArgument out{BufferArgument::Access::out, output_.span(), 4, true};
    job.arguments = {in, out};
    return job;
  }
  Slices prove(const std::string& body) {
    const Queue queue(Context::create({device_}), device_);
    return prove_slices(*resolver_, queue, job(body), {{0, 4}, {4, 16}});
  }

  HostArray input_, output_;
  std::unique_ptr<Resolver> resolver_ = resolver();
};

TEST_F(SlicesTest, a_slice_is_the_share_of_the_bytes_and_never_cuts_an_element) {
  const HostArray memory(4096);
  BufferArgument buffer;
  buffer.data = {const_cast<std::byte*>(memory.data()), 4096};
  buffer.element_bytes = 4;
  const auto range = slice_of(buffer, {4, 16}, 16);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, 1024u);
  EXPECT_EQ(range->end, 4096u);
  EXPECT_FALSE(slice_of(buffer, {1, 3}, 3)) << "4096 bytes have no third of whole elements";
  buffer.data = {const_cast<std::byte*>(memory.data()), 12};
  EXPECT_FALSE(slice_of(buffer, {0, 1}, 2)) << "6 bytes are no whole elements";
}

TEST_F(SlicesTest, an_element_wise_kernel_needs_only_its_slices) {
  const Slices slices = prove("b[i] = a[i] * 2;");
  EXPECT_TRUE(slices.holds(0));
  EXPECT_TRUE(slices.holds(1));
  EXPECT_EQ(slices.cuts, (std::set<std::size_t>{0, 4, 16}));
}

TEST_F(SlicesTest, a_halo_needs_the_whole_input_but_only_a_slice_of_the_output) {
  const Slices slices = prove("b[i] = a[i] + (i > 0 ? a[i - 1] : 0);");
  EXPECT_FALSE(slices.holds(0));
  EXPECT_TRUE(slices.holds(1));
}

TEST_F(SlicesTest, writing_elsewhere_is_seen) {
  const Slices slices = prove("b[1023 - i] = a[i];");
  EXPECT_TRUE(slices.holds(0));
  EXPECT_FALSE(slices.holds(1));
}

TEST_F(SlicesTest, a_cut_that_was_not_tried_is_not_covered) {
  const Slices slices = prove("b[i] = a[i] * 2;");
  EXPECT_TRUE(slices.cover({4, 16}, 16));
  EXPECT_FALSE(slices.cover({5, 16}, 16));
}

TEST_F(SlicesTest, a_run_with_slices_gives_the_result_of_one_device) {
  if (device_->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  std::vector<Queue> queues;
  for (const auto& part : value_or_throw(partition_equally(device_, 2)))
    queues.emplace_back(Context::create({part}), part);
  CoRun run(*resolver_, queues, job("b[i] = a[i] * 2;"), {.memory = Placement::OwnMemory::always});
  run.use_slices(prove("b[i] = a[i] * 2;"));
  std::memset(output_.data(), 0x7f, output_.size());
  const RunReport report = run.run(std::vector<double>{1, 3});
  EXPECT_TRUE(report.split);
  EXPECT_FALSE(report.merged);
  for (std::size_t i = 0; i < 1024; ++i) ASSERT_EQ(values(output_)[i], values(input_)[i] * 2) << i;
}

TEST_F(SlicesTest, what_was_shown_is_remembered_for_the_next_process) {
  const Job shown = job("b[i] = a[i] * 2;");
  Proof proof;
  proof.slices = prove("b[i] = a[i] * 2;");
  add_proof(*resolver_, shown, proof);
  const Proof known = load_proof(*resolver(), shown);
  EXPECT_TRUE(known.slices.holds(0));
  EXPECT_TRUE(known.slices.cover({4, 16}, 16));
  // A later proof that fails takes the slice away again.
  proof.slices.sliced = {true, false};
  add_proof(*resolver_, shown, proof);
  EXPECT_FALSE(load_proof(*resolver(), shown).slices.holds(1));
}

}  // namespace
}  // namespace kiln::testing
