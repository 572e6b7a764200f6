// What the trials of a search leave behind: nothing.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/os/file.hpp"
#include "mesh/model/exchanges.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "mesh/tune/data_tunable.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr double briefly = 0.05;

class Trials : public ::testing::Test {
 protected:
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-trials"));
  Mesh::Options options() const {
    Mesh::Options made = quiet_options();
    made.store = (folder.path() / "store").string();
    return made;
  }
};

/// A part of a distributed mesh with a loop that makes stale what it reads: `weight` is changed by
/// the elements themselves, and those of the exec halo read the copies.
struct Part {
  explicit Part(const Mesh::Options& options) : mesh(options) {}
  void call() {
    par_loop(step, edges, arg(weight, RW), arg(sum, ends[0], INC), arg(sum, ends[1], INC));
  }
  Mesh mesh;
  std::shared_ptr<Noting> exchange = std::make_shared<Noting>();
  Set edges = mesh.set("edges", {900, 990, 1000, 1000}, exchange);
  Set nodes = mesh.set("nodes", {900, 990, 1001, 1001}, exchange);
  Map ends = mesh.map("ends", edges, nodes, 2, path());
  Dat weight = mesh.dat<double>("weight", edges, 1, counting<double>(1000, 1));
  Dat sum = mesh.dat<double>("sum", nodes, 1);
  Kernel step{
      "void step(double *w, double *a, double *b) { w[0] = 1009 - w[0]; a[0] += w[0]; b[0] += 1; }",
      "step"};
  static Indices path() {
    Indices values;
    for (std::int32_t edge = 0; edge < 1000; ++edge) values.insert(values.end(), {edge, edge + 1});
    return values;
  }
};

TEST_F(Trials, exchange_no_halos_however_many_there_are) {
  Part part(options());
  part.call();
  part.mesh.finish();
  EXPECT_TRUE(part.weight.is_halo_stale());
  part.exchange->calls.clear();
  const auto before = read<double>(part.weight);
  const auto result = part.mesh.tune(briefly).at(0);
  EXPECT_EQ(result.failed, 0u);
  // Once, whatever the search did: another part's may have done something else.
  EXPECT_EQ(part.exchange->calls, "begin weight 1008; end weight; ");
  EXPECT_FALSE(part.weight.is_halo_stale());
  auto after = read<double>(part.weight);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 990, after.begin()));
  EXPECT_EQ(after.back(), 77);
  part.exchange->calls.clear();
  EXPECT_EQ(part.mesh.tune(briefly).size(), 1u);
  EXPECT_EQ(part.exchange->calls, "");
  part.call();
  part.call();
  part.mesh.finish();
  EXPECT_EQ(part.exchange->calls, "begin weight 1; end weight; ");
}

TEST_F(Trials, of_products_make_no_halo_stale) {
  Part part(options());
  Mat mat = part.mesh.mat<double>("K", part.mesh.sparsity(part.ends, part.ends));
  for (double& value : mat.write<double>()) value = 1;
  Dat x = part.mesh.dat<double>("x", part.nodes, 1), y = part.mesh.dat<double>("y", part.nodes, 1);
  x.write<double>()[0] = 2;
  multiply(mat, x, y);
  y.halo_is_fresh();
  x.write<double>()[0] = 3;
  part.exchange->calls.clear();
  EXPECT_EQ(part.mesh.tune(briefly).size(), 1u);
  EXPECT_EQ(part.exchange->calls, "begin x 3; end x; ");
  EXPECT_FALSE(y.is_halo_stale());
}

TEST_F(Trials, are_not_in_the_timeline) {
  Mesh::Options with = options();
  with.timeline = true;
  Part part(with);
  part.call();
  const auto is_kernel = [](const TimelineSpan& span) { return span.category == "kernel"; };
  const auto is_compile = [](const TimelineSpan& span) { return span.category == "compile"; };
  const auto result = part.mesh.tune(briefly).at(0);
  EXPECT_GE(result.evaluated, 1u);
  part.call();
  const auto spans = part.mesh.timeline();
  EXPECT_EQ(std::count_if(spans.begin(), spans.end(), is_kernel), 2);
  // The loop's own program, and the winner's where that is another one, each with a variant or two.
  EXPECT_LE(std::count_if(spans.begin(), spans.end(), is_compile), 6);
}

/// A loop whose runs fail after they have changed the data.
class Spoiling final : public LoopTunable {
 public:
  using LoopTunable::LoopTunable;
  std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const override {
    class Failing final : public Form {
     public:
      Failing(const Queue& queue, std::unique_ptr<Form> form)
          : Form(queue), form_(std::move(form)) {}
      void enqueue(bool is_timed) override {
        form_->enqueue(is_timed);
        throw Error(Errc::device, "the device is gone");
      }
      double seconds() override { return 0; }
      void clear_seconds() override {}

     private:
      std::unique_ptr<Form> form_;
    };
    return std::make_unique<Failing>(session_.queue, LoopTunable::make(trial, plans));
  }
};

TEST_F(Trials, that_fail_at_the_first_run_leave_the_data_as_they_were) {
  Part part(options());
  part.call();
  const auto before = read<double>(part.weight), sum = read<double>(part.sum);
  MatrixSession& session = MatrixSession::of(*Handles::session(part.mesh));
  const Spoiling tunable(session, *session.loops.all().front());
  EXPECT_THROW(tunable.open(session.resolver(), session.context(), session.queue), Error);
  EXPECT_EQ(read<double>(part.weight), before);
  EXPECT_EQ(read<double>(part.sum), sum);
}

}  // namespace
}  // namespace kiln::mesh::testing
