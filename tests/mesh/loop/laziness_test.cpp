// Loops wait until their results are asked for; then what is needed runs, in order.
#include <optional>

#include "mesh/loop/prepared_loop.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class LazinessTest : public MeshTest {
 protected:
  Set elements = mesh.set("elements", 50);
  Kernel plus{"void plus(int *x) { *x += 1; }", "plus"};
  Kernel twice{"void twice(int *x) { *x *= 2; }", "twice"};
  Kernel copy{"void copy(const int *x, int *y) { *y = *x; }", "copy"};
  std::vector<int> all(int value) const { return std::vector<int>(50, value); }
  std::size_t run(const std::string& name) {
    for (const auto& loop : LoopSession::of(*Handles::session(mesh)).loops.all())
      if (loop->name() == name) return loop->report().count;
    return 0;
  }
};

TEST_F(LazinessTest, a_loop_waits_until_its_result_is_read) {
  const Dat x = zeros<int>("x", elements);
  par_loop(plus, elements, arg(x, RW));
  par_loop(plus, elements, arg(x, RW));
  EXPECT_EQ(mesh.queued(), 2u);
  EXPECT_EQ(run("plus"), 0u);
  EXPECT_EQ(read<int>(x), all(2));
  EXPECT_EQ(mesh.queued(), 0u);
  EXPECT_EQ(run("plus"), 2u);
}

TEST_F(LazinessTest, only_what_is_needed_runs) {
  const Dat x = zeros<int>("x", elements), y = zeros<int>("y", elements);
  par_loop(plus, elements, arg(x, RW));
  par_loop(twice, elements, arg(y, RW));
  EXPECT_EQ(read<int>(x), all(1));
  EXPECT_EQ(mesh.queued(), 1u);
  EXPECT_EQ(run("twice"), 0u);
}

TEST_F(LazinessTest, reading_what_loops_only_read_runs_nothing) {
  const Dat x = zeros<int>("x", elements), y = zeros<int>("y", elements);
  par_loop(copy, elements, arg(x, READ), arg(y, WRITE));
  EXPECT_EQ(read<int>(x), all(0));
  EXPECT_EQ(mesh.queued(), 1u);
}

TEST_F(LazinessTest, writing_what_a_loop_reads_runs_it_first) {
  Dat x = zeros<int>("x", elements);
  const Dat y = zeros<int>("y", elements);
  par_loop(copy, elements, arg(x, READ), arg(y, WRITE));
  for (auto& value : x.write<int>()) value = 9;
  EXPECT_EQ(mesh.queued(), 0u);
  EXPECT_EQ(read<int>(y), all(0));
}

TEST_F(LazinessTest, a_chain_of_reads_after_writes_runs_whole) {
  std::vector<Dat> chain;
  for (int i = 0; i < 10; ++i) chain.push_back(zeros<int>("link", elements));
  const Dat apart = zeros<int>("apart", elements);
  par_loop(plus, elements, arg(chain[0], RW));
  for (std::size_t i = 1; i < 10; ++i) {
    par_loop(copy, elements, arg(chain[i - 1], READ), arg(chain[i], WRITE));
    par_loop(plus, elements, arg(chain[i], RW));
    par_loop(plus, elements, arg(apart, RW));
  }
  EXPECT_EQ(read<int>(chain[9]), all(10));
  EXPECT_EQ(mesh.queued(), 9u);
  EXPECT_EQ(read<int>(apart), all(9));
}

TEST_F(LazinessTest, a_write_stays_behind_an_earlier_read) {
  const Dat x = dat<int>("x", elements, 1, all(5)), y = zeros<int>("y", elements);
  par_loop(copy, elements, arg(x, READ), arg(y, WRITE));
  par_loop(plus, elements, arg(x, RW));
  EXPECT_EQ(read<int>(x), all(6));
  EXPECT_EQ(mesh.queued(), 0u);  // the reader came first
  EXPECT_EQ(read<int>(y), all(5));
}

TEST_F(LazinessTest, writes_of_one_dat_keep_their_order) {
  const Dat x = dat<int>("x", elements, 1, all(1));
  for (int i = 0; i < 5; ++i) {
    par_loop(plus, elements, arg(x, RW));
    par_loop(twice, elements, arg(x, RW));
  }
  EXPECT_EQ(read<int>(x), all(94));
}

TEST_F(LazinessTest, what_waits_on_runs_after_what_was_needed) {
  // z = x is not needed for x, but what is left behind must still find it as it was.
  const Dat x = zeros<int>("x", elements), y = zeros<int>("y", elements),
            z = zeros<int>("z", elements);
  par_loop(plus, elements, arg(x, RW));
  par_loop(copy, elements, arg(x, READ), arg(z, WRITE));
  par_loop(plus, elements, arg(y, RW));
  EXPECT_EQ(read<int>(x), all(1));
  EXPECT_EQ(mesh.queued(), 2u);
  par_loop(plus, elements, arg(x, RW));
  EXPECT_EQ(read<int>(z), all(1));
  EXPECT_EQ(read<int>(x), all(2));
}

TEST_F(LazinessTest, a_full_queue_runs) {
  const Dat x = zeros<int>("x", elements);
  for (int i = 0; i < 33; ++i) par_loop(plus, elements, arg(x, RW));
  EXPECT_EQ(mesh.queued(), 0u);
  EXPECT_EQ(run("plus"), 33u);
}

TEST_F(LazinessTest, flush_and_finish_run_all) {
  const Dat x = zeros<int>("x", elements), y = zeros<int>("y", elements);
  par_loop(plus, elements, arg(x, RW));
  par_loop(twice, elements, arg(y, RW));
  mesh.flush();
  EXPECT_EQ(mesh.queued(), 0u);
  par_loop(plus, elements, arg(x, RW));
  mesh.finish();
  EXPECT_EQ(run("plus"), 2u);
  EXPECT_EQ(run("twice"), 1u);
}

TEST_F(LazinessTest, a_queue_of_none_runs_each_loop_at_once) {
  Mesh::Options options = quiet_options();
  options.queued = 0;
  Mesh eager(options);
  const Set set = eager.set("set", 3);
  const Dat x = eager.dat<int>("x", set, 1);
  par_loop(plus, set, arg(x, RW));
  EXPECT_EQ(eager.queued(), 0u);
  EXPECT_EQ(read<int>(x), list({1, 1, 1}));
}

TEST_F(LazinessTest, handles_may_go_while_their_loops_wait) {
  const Dat result = zeros<int>("result", elements);
  {
    const Dat x = dat<int>("x", elements, 1, all(20));
    const Kernel add("void add(const int *x, int *r) { *r += *x; }", "add");
    const Map self = mesh.map("self", elements, elements, 1, counting<std::int32_t>(50));
    par_loop(add, elements, arg(x, READ), arg(result, INC));
    par_loop(add, elements, arg(x, self[0], READ), arg(result, self[0], INC));
    par_loop(add, elements.subset(Indices{3}), arg(x, READ), arg(result, INC));
    const Global g = mesh.global("g", 1);
    par_loop(add, elements, arg(g, READ), arg(result, INC));
  }
  auto expected = all(41);
  expected[3] = 61;
  EXPECT_EQ(read<int>(result), expected);
}

TEST_F(LazinessTest, handles_that_go_take_their_loops_out_of_the_memory) {
  for (int round = 0; round < 30; ++round) {
    const Dat x = zeros<int>("x", elements);
    par_loop(plus, elements, arg(x, RW));
  }
  EXPECT_TRUE(LoopSession::of(*Handles::session(mesh)).loops.all().empty());
  EXPECT_EQ(mesh.queued(), 0u);
}

TEST_F(LazinessTest, values_on_their_way_to_a_global_that_goes_harm_nobody) {
  for (int round = 0; round < 50; ++round) {
    std::optional<Dat> x(zeros<int>("x", elements));
    std::optional<Global> g(mesh.global("g", 1));
    par_loop(copy, elements, arg(*g, READ), arg(*x, WRITE));
    x.reset();  // with it the loop, by which the Global would be known
    g->set(2);
    g.reset();
  }
  mesh.finish();
}

TEST_F(LazinessTest, a_mesh_may_go_before_its_handles) {
  std::optional<Mesh> gone(std::in_place, quiet_options());
  Const scale = gone->constant("scale", 3);
  const Set set = gone->set("set", 4);
  std::optional<Dat> x(gone->dat<int>("x", set, 1, list({1, 2, 3, 4})));
  const Subset some = set.subset(Indices{1});
  par_loop(Kernel("void k(int *x) { *x *= scale; }", "k"), set, arg(*x, RW));
  gone.reset();  // runs what waits
  EXPECT_EQ(read<int>(*x), list({3, 6, 9, 12}));
  EXPECT_EQ(some.size(), 1u);
  scale.set(5);
  x.reset();
}

TEST_F(LazinessTest, a_mesh_can_be_moved) {
  Mesh first(quiet_options());
  const Set set = first.set("set", 2);
  const Dat x = first.dat<int>("x", set, 1);
  par_loop(plus, set, arg(x, RW));
  Mesh second(std::move(first));
  EXPECT_EQ(second.queued(), 1u);
  EXPECT_EQ(read<int>(x), list({1, 1}));
}

TEST_F(LazinessTest, two_meshes_keep_apart) {
  Mesh other(quiet_options());
  const Set theirs = other.set("theirs", 50);
  const Dat x = zeros<int>("x", elements), y = other.dat<int>("y", theirs, 1);
  for (int i = 0; i < 5; ++i) {
    par_loop(plus, elements, arg(x, RW));
    par_loop(plus, theirs, arg(y, RW));
  }
  EXPECT_EQ(mesh.queued(), 5u);
  EXPECT_EQ(other.queued(), 5u);
  EXPECT_EQ(read<int>(y), all(5));
  EXPECT_EQ(mesh.queued(), 5u);
  EXPECT_EQ(read<int>(x), all(5));
}

TEST_F(LazinessTest, thousands_of_loops) {
  const Dat x = zeros<int>("x", elements), y = zeros<int>("y", elements);
  const Global g = mesh.global("g", 0);
  const Kernel sum("void sum(const int *x, int *g) { *g += *x; }", "sum");
  for (int i = 0; i < 3000; ++i) {
    par_loop(plus, elements, arg(x, RW));
    par_loop(copy, elements, arg(x, READ), arg(y, WRITE));
    if (i % 1000 == 999) par_loop(sum, elements, arg(y, READ), arg(g, INC));
  }
  EXPECT_EQ(g.value<int>(), 50 * 6000);
  EXPECT_EQ(read<int>(y), all(3000));
}

TEST_F(LazinessTest, hundreds_of_dats_in_the_same_loop) {
  std::vector<Dat> dats;
  for (int i = 0; i < 300; ++i) {
    dats.push_back(dat<int>("d", elements, 1, all(i)));
    par_loop(plus, elements, arg(dats.back(), RW));
  }
  for (int i = 0; i < 300; ++i) ASSERT_EQ(read<int>(dats[static_cast<std::size_t>(i)]), all(i + 1));
  EXPECT_EQ(LoopSession::of(*Handles::session(mesh)).loops.all().size(), 300u);
}

/// Random sequences: what is left is what running each at once leaves.
TEST_F(LazinessTest, any_order_of_calls_and_questions_is_as_if_each_ran_at_once) {
  std::srand(5);
  std::vector<Dat> dats;
  std::vector<int> expected{1, 2, 3, 4, 5};
  for (const int value : expected) dats.push_back(dat<int>("d", elements, 1, all(value)));
  Global g = mesh.global("g", 1);
  int global = 1;
  const Kernel add("void add(const int *x, int *y) { *y = (*y + *x) % 10007; }", "add");
  const Kernel keep("void keep(const int *x, int *g) { if (*x > *g) *g = *x; }", "keep");
  for (int step = 0; step < 3000; ++step) {
    const auto i = static_cast<std::size_t>(std::rand() % 5),
               k = static_cast<std::size_t>(std::rand() % 5);
    switch (std::rand() % 8) {
      case 0:
        par_loop(plus, elements, arg(dats[i], RW));
        ++expected[i];
        break;
      case 1:
        if (i == k) break;
        par_loop(add, elements, arg(dats[i], READ), arg(dats[k], RW));
        expected[k] = (expected[k] + expected[i]) % 10007;
        break;
      case 2:
        par_loop(add, elements, arg(g, READ), arg(dats[k], RW));
        expected[k] = (expected[k] + global) % 10007;
        break;
      case 3:
        par_loop(keep, elements, arg(dats[i], READ), arg(g, MAX));
        global = std::max(global, expected[i]);
        break;
      case 4:
        g.set(global = std::rand() % 5000);
        break;
      case 5:
        for (auto& value : dats[i].write<int>()) value += 7;
        expected[i] += 7;
        break;
      case 6:
        ASSERT_EQ(read<int>(dats[i]), all(expected[i])) << step;
        break;
      default:
        ASSERT_EQ(g.value<int>(), global) << step;
    }
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
