// Mesh::tune: what it leaves of the data, and what others find of it.
#include <algorithm>

#include "../object/mesh_fixture.hpp"
#include "base/file.hpp"
#include "mesh/object/session.hpp"
#include "mesh/tune/data_tunable.hpp"
#include "mesh/tune/loop_subject.hpp"
#include "tune/space/configuration_of.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr int count = 3000;

/// A ring of edges whose loop adds to nodes and to a sum: colours, lanes and a reduction.
struct Ring {
  explicit Ring(const Mesh::Options& options)
      : mesh(options),
        edges(mesh.set("edges", count)),
        nodes(mesh.set("nodes", count)),
        links(mesh.map("links", edges, nodes, 2, ends())),
        x(mesh.dat<double>("x", nodes, 1)),
        sum(mesh.global("sum", 0.0)),
        add("void add(double *a, double *b, double *sum) { *a += 2.0; *b += 1.0; *sum += 3.0; }",
            "add") {}
  static Indices ends() {
    Indices ends;
    for (int e = 0; e < count; ++e) ends.insert(ends.end(), {e, (e + 1) % count});
    return ends;
  }
  void call() { par_loop(add, edges, arg(x, links[0], INC), arg(x, links[1], INC), arg(sum, INC)); }
  bool is_as_after(int calls) const {
    const auto values = x.read<double>();
    return sum.value<double>() == 3.0 * count * calls &&
           std::all_of(values.begin(), values.end(), [&](double v) { return v == 3.0 * calls; });
  }
  PreparedLoop& loop() const { return *Handles::session(mesh)->loops.all().front(); }

  Mesh mesh;
  Set edges, nodes;
  Map links;
  Dat x;
  Global sum;
  Kernel add;
};

class TuneLoops : public ::testing::Test {
 protected:
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-mesh-tune"));
  Mesh::Options options() const {
    Mesh::Options made = quiet_options();
    made.store = (folder.path() / "store").string();
    return made;
  }
  /// What is on record of a loop.
  static TuningRecord record_of(Ring& ring) {
    Session& session = *Handles::session(ring.mesh);
    return session.resolver().tuning_record(LoopSubject(session, ring.loop()).request(),
                                            *session.device());
  }
};

TEST_F(TuneLoops, leaves_the_data_as_it_is_and_goes_on_with_what_it_found) {
  Ring ring(options());
  ring.call();
  const auto results = ring.mesh.tune(0.05);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "add");
  EXPECT_GE(results[0].evaluated, 1u);
  EXPECT_LE(results[0].evaluated, results[0].configurations);
  EXPECT_EQ(results[0].failed, 0u);
  EXPECT_GT(results[0].seconds, 0);
  EXPECT_TRUE(ring.is_as_after(1));
  ring.call();
  EXPECT_TRUE(ring.is_as_after(2));
}

TEST_F(TuneLoops, puts_the_winner_on_record_for_other_meshes) {
  std::int64_t block = 0;
  {
    Ring ring(options());
    ring.call();
    ring.mesh.tune(0.05);
    const auto record = record_of(ring);
    ASSERT_FALSE(record.history.empty());
    block = record.history.back().parameters.get("BLOCK", 0);
    EXPECT_GT(record.history.back().standard_milliseconds, 0);
  }
  Ring other(options());
  other.call();
  EXPECT_TRUE(other.is_as_after(1));
  const LoopReport report = other.mesh.report().at(0);
  EXPECT_EQ(report.form.find("blocks of " + std::to_string(block) + " "), 0u) << report.form;
  // What a trial has compiled is not what is kept: this process found the winner's own program.
  EXPECT_EQ(report.program_hits, 1u);
}

TEST_F(TuneLoops, each_configuration_of_the_space_gives_the_right_result) {
  Ring ring(options());
  ring.call();
  Session& session = *Handles::session(ring.mesh);
  const LoopSubject subject(session, ring.loop());
  const DataTunable tunable(session, subject);
  ASSERT_TRUE(tunable.standard());
  const auto bench = tunable.open(session.resolver(), session.context(), session.queue);
  for (tune::ConfigurationId id = 0; id < tunable.space().size(); ++id)
    EXPECT_TRUE(bench->prepare(id).outcome.ok()) << tunable.space().text(id);
  EXPECT_FALSE(bench->on_record());
  bench->record(3, 1e-3, 2e-3);
  EXPECT_EQ(bench->on_record(), tune::ConfigurationId{3});
}

TEST_F(TuneLoops, measures_on_the_data_of_its_own_mesh_only) {
  Ring ring(options()), other(options());
  ring.call();
  Session& session = *Handles::session(ring.mesh);
  Session& stranger = *Handles::session(other.mesh);
  const LoopSubject subject(session, ring.loop());
  EXPECT_THROW(
      DataTunable(session, subject).open(session.resolver(), stranger.context(), stranger.queue),
      Error);
}

TEST_F(TuneLoops, refuses_blocks_that_local_memory_cannot_hold) {
  Ring ring(options());
  Session& session = *Handles::session(ring.mesh);
  // 16 bytes of each of a block's targets and more than PoCL's device has of local memory.
  const auto most = static_cast<std::int64_t>(session.device()->local_memory / 8 + 64);
  Mesh::Options large = options();
  Mesh mesh(large);
  const auto n = static_cast<std::size_t>(most);
  const Set set = mesh.set("cells", n);
  Indices same(n);
  for (std::size_t i = 0; i < n; ++i) same[i] = static_cast<int>(i);
  const Map map = mesh.map("same", set, set, 1, same);
  const Dat x = mesh.dat<double>("x", set, 2);
  Handles::session(mesh)->resolver().try_out(
      "mesh.par_loop", Parameters{{"FORM", 3}, {"GROUP", 32}, {"BLOCK", most}});
  try {
    par_loop(Kernel("void one(double *x) { x[0] += 1.0; }", "one"), set, arg(x, map[0], INC));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_NE(error.message().find("local memory"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
