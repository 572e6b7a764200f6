// Mesh::tune: what is found goes on record, for others too, and nothing else changes.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/os/file.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "mesh/tune/data_tunable.hpp"
#include "mesh/tune/trial_notes.hpp"
#include "store/local/local_store.hpp"
#include "tune/space/search_space.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double brief_search =
    0.05;  // whatever it is, the standard and what is on record are measured

constexpr int count = 3000;

/// A ring of edges whose loop adds to nodes and to a sum: colours, lanes and a reduction.
struct TunedRing {
  explicit TunedRing(const Mesh::Options& options)
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
  PreparedLoop& loop() const {
    return *LoopSession::of(*Handles::session(mesh)).loops.all().front();
  }

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
  static TuningRecord record_of(TunedRing& ring) {
    MatrixSession& session = MatrixSession::of(*Handles::session(ring.mesh));
    return session.resolver().tuning_record(LoopTunable(session, ring.loop()).request(),
                                            *session.device());
  }
};

class MeshTune : public ::testing::Test {
 protected:
  MeshTune() : mesh(options()) {}
  Mesh::Options options() const {
    Mesh::Options options;
    options.store = (folder.path() / "store").string();
    return options;
  }
  MatrixSession& session() { return MatrixSession::of(*Handles::session(mesh)); }

  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-tune"));
  Mesh mesh;
  Set edges = mesh.set("edges", 1000), nodes = mesh.set("nodes", 1001);
  Map ends = mesh.map("ends", edges, nodes, 2, path());
  Dat sum = mesh.dat<double>("sum", nodes, 1, counting<double>(1001));
  Dat weight = mesh.dat<double>("weight", edges, 1, counting<double>(1000, 1));

  static Indices path() {
    Indices values;
    for (std::int32_t edge = 0; edge < 1000; ++edge) values.insert(values.end(), {edge, edge + 1});
    return values;
  }
  void add_once() {
    par_loop(
        Kernel("void add(const double *w, double *a, double *b) { a[0] += w[0]; b[0] += w[0]; }",
               "add"),
        edges, arg(weight, READ), arg(sum, ends[0], INC), arg(sum, ends[1], INC));
  }
  PreparedLoop& loop() { return *session().loops.all().front(); }
};

TEST_F(MeshTune, leaves_data_as_they_were_and_puts_a_winner_on_record) {
  add_once();
  const auto before = read<double>(sum);
  const auto results = mesh.tune(brief_search);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "add");
  EXPECT_GE(results[0].evaluated, 1u);
  EXPECT_LE(results[0].evaluated, results[0].configurations);
  EXPECT_EQ(results[0].failed, 0u);
  EXPECT_THAT(results[0].skipped, IsEmpty());
  EXPECT_GT(results[0].seconds, 0);
  EXPECT_GE(results[0].faster_by, 1.0);
  EXPECT_EQ(read<double>(sum), before);
  const LoopTunable tunable(session(), loop());
  const auto record = session().resolver().tuning_record(tunable.request(), *session().device());
  EXPECT_FALSE(record.history.empty());
  add_once();
  EXPECT_EQ(read<double>(sum)[1], before[1] + 3);
}

TEST_F(TuneLoops, leaves_reductions_as_they_were) {
  TunedRing ring(options());
  ring.call();
  EXPECT_EQ(ring.mesh.tune(brief_search).at(0).failed, 0u);
  EXPECT_TRUE(ring.is_as_after(1));
  ring.call();
  EXPECT_TRUE(ring.is_as_after(2));
}

TEST_F(TuneLoops, puts_the_winner_on_record_for_other_meshes) {
  std::int64_t block = 0;
  {
    TunedRing ring(options());
    ring.call();
    ring.mesh.tune(brief_search);
    const auto record = record_of(ring);
    ASSERT_FALSE(record.history.empty());
    block = record.history.back().parameters.get("BLOCK", 0);
    EXPECT_GT(record.history.back().standard_milliseconds, 0);
  }
  TunedRing other(options());
  other.call();
  EXPECT_TRUE(other.is_as_after(1));
  const LoopReport report = other.mesh.report().at(0);
  EXPECT_EQ(report.form.find("blocks of " + std::to_string(block) + " "), 0u) << report.form;
  EXPECT_EQ(report.program_hits, 1u);
}

TEST_F(TuneLoops, keep_the_winner_as_the_search_has_compiled_it_and_no_loser) {
  TunedRing ring(options());
  ring.call();
  MatrixSession& session = MatrixSession::of(*Handles::session(ring.mesh));
  const auto kept = [&] {
    session.resolver().finish();
    const auto list = value_or_throw(LocalStore(options().store).list());
    return std::count_if(list.begin(), list.end(),
                         [](const auto& entry) { return entry.kind == kiln::Kind::artifact; });
  };
  const auto before = kept();
  const LoopTunable tunable(session, ring.loop());
  const auto bench = tunable.open(session.resolver(), session.context(), session.queue);
  const tune::ConfigurationId winner = tunable.standard() == 0 ? 1 : 0;
  for (const auto id : {winner, winner + 1}) ASSERT_TRUE(bench->prepare(id).outcome.ok());
  EXPECT_EQ(kept(), before);
  bench->record(winner, 1e-9, 2e-9);
  const auto hits = ring.loop().report().program_hits;
  ring.loop().make_again();
  EXPECT_EQ(ring.loop().report().program_hits, hits + 1) << "it was compiled again";
  EXPECT_EQ(kept(), before + 1);
  TunedRing other(options());
  other.call();
  EXPECT_TRUE(other.is_as_after(1));
  EXPECT_EQ(other.loop().report().program_hits, 1u) << "the next process compiles it";
}

TEST_F(TuneLoops, each_configuration_of_the_space_gives_the_right_result) {
  TunedRing ring(options());
  ring.call();
  MatrixSession& session = MatrixSession::of(*Handles::session(ring.mesh));
  const LoopTunable tunable(session, ring.loop());
  ASSERT_TRUE(tunable.standard());
  const auto bench = tunable.open(session.resolver(), session.context(), session.queue);
  for (tune::ConfigurationId id = 0; id < tunable.space().size(); ++id)
    EXPECT_TRUE(bench->prepare(id).outcome.ok()) << tunable.space().text(id);
  EXPECT_FALSE(bench->on_record());
  bench->record(3, 1e-3, 2e-3);
  EXPECT_EQ(bench->on_record(), tune::ConfigurationId{3});
}

TEST_F(TuneLoops, measures_on_the_data_of_its_own_mesh_only) {
  TunedRing ring(options()), other(options());
  ring.call();
  MatrixSession& session = MatrixSession::of(*Handles::session(ring.mesh));
  MatrixSession& stranger = MatrixSession::of(*Handles::session(other.mesh));
  const LoopTunable tunable(session, ring.loop());
  EXPECT_THROW(tunable.open(session.resolver(), stranger.context(), stranger.queue), Error);
}

TEST_F(TuneLoops, refuses_blocks_that_local_memory_cannot_hold) {
  TunedRing ring(options());
  MatrixSession& session = MatrixSession::of(*Handles::session(ring.mesh));
  // 16 bytes of each of a block's targets and more than PoCL's device has of local memory.
  const auto most = static_cast<std::int64_t>(session.device()->local_memory / 8 + 64);
  Mesh::Options large = options();
  Mesh mesh(large);
  const auto size = static_cast<std::size_t>(most);
  const Set set = mesh.set("cells", size);
  Indices same(size);
  for (std::size_t i = 0; i < size; ++i) same[i] = static_cast<int>(i);
  const Map map = mesh.map("same", set, set, 1, same);
  const Dat x = mesh.dat<double>("x", set, 2);
  use_form(mesh, Parameters{{"FORM", 3}, {"GROUP", 32}, {"BLOCK", most}});
  try {
    par_loop(Kernel("void one(double *x) { x[0] += 1.0; }", "one"), set, arg(x, map[0], INC));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_NE(error.message().find("local memory"), std::string::npos) << error.message();
  }
}

TEST_F(MeshTune, leaves_out_what_an_earlier_process_died_of_and_says_so) {
  add_once();
  const LoopTunable tunable(session(), loop());
  // On record, so that it is what the search looks at first.
  tune::ConfigurationId fatal = 0;
  while (fatal == tunable.standard()) ++fatal;
  const Parameters parameters = tune::parameters_of(tunable.space(), fatal);
  session().resolver().record(
      tunable.request(), *session().device(),
      {Measurement{parameters, 1000, 1e-6, Measurement::Of::kiln, "", {}, 0}});
  const std::string configuration = tunable.space().text(fatal);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (new TrialNotes(session().resolver().store(), tunable.identity(), tunable.label(),
                    *session().device()))
        ->begin(configuration);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  for (int search = 0; search < 2; ++search) {
    const auto results = mesh.tune(brief_search);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_THAT(results[0].skipped, ElementsAre(configuration));
    EXPECT_NE(results[0].best, configuration);
  }
}

TEST_F(MeshTune, covers_products) {
  const Sparsity sparsity = mesh.sparsity(ends, ends);
  Mat mat = mesh.mat<double>("K", sparsity);
  double next = 0;
  for (auto& value : mat.write<double>()) value = ++next;
  const Dat x = mesh.dat<double>("x", nodes, 1, counting<double>(1001));
  const Dat y = mesh.dat<double>("y", nodes, 1);
  multiply(mat, x, y);
  const auto before = read<double>(y);
  const auto results = mesh.tune(brief_search);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "multiply K");
  EXPECT_EQ(read<double>(y), before);
  ASSERT_EQ(session().products.all().size(), 1u);
  const ProductTunable tunable(session(), session().products.all().front());
  const auto record = session().resolver().tuning_record(tunable.request(), *session().device());
  EXPECT_FALSE(record.history.empty());
  multiply(mat, x, y);
  const auto after = read<double>(y);
  for (std::size_t row = 0; row < before.size(); ++row)
    EXPECT_NEAR(after[row], before[row], 1e-12 * before.back()) << row;
}

TEST_F(MeshTune, what_is_found_for_a_product_is_for_all_matrices_of_its_shape) {
  const Sparsity sparsity = mesh.sparsity(ends, ends);
  const Mat one = mesh.mat<double>("K", sparsity), other = mesh.mat<double>("L", sparsity);
  const Dat x = mesh.dat<double>("x", nodes, 1), y = mesh.dat<double>("y", nodes, 1);
  const auto form_of = [&](const std::string& name) {
    for (const LoopReport& report : mesh.report())
      if (report.name == name) return report.form;
    return std::string("(no report)");
  };
  use_matrix_form(mesh, Parameters{{"FORM", 0}, {"SUMS", 1}});
  for (const Mat& mat : {one, other}) multiply(mat, x, y);
  EXPECT_EQ(form_of("multiply K"), "rows");
  // As a search on a GPU would leave it.
  use_matrix_form(mesh, Parameters{{"FORM", 1}, {"GROUP", 8}, {"LANES", 4}});
  ProductTunable(session(), session().products.all().front()).make_again();
  for (const Mat& mat : {one, other}) multiply(mat, x, y);
  EXPECT_EQ(form_of("multiply K"), "rows by 4 lanes");
  EXPECT_EQ(form_of("multiply L"), "rows by 4 lanes");
}

TEST_F(MeshTune, a_product_goes_with_its_vectors) {
  const Sparsity sparsity = mesh.sparsity(ends, ends);
  const Mat mat = mesh.mat<double>("K", sparsity);
  const Dat x = mesh.dat<double>("x", nodes, 1);
  {
    const Dat y = mesh.dat<double>("y", nodes, 1);
    multiply(mat, x, y);
    EXPECT_EQ(session().products.all().size(), 1u);
  }
  EXPECT_THAT(session().products.all(), IsEmpty());
  EXPECT_THAT(mesh.tune(brief_search), IsEmpty());
}

}  // namespace
}  // namespace kiln::mesh::testing
