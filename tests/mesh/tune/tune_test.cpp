// Mesh::tune: what is found goes on record, and nothing else changes.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "mesh/object/mesh_fixture.hpp"
#include "mesh/tune/data_tunable.hpp"
#include "mesh/tune/loop_subject.hpp"
#include "mesh/tune/product_subject.hpp"
#include "mesh/tune/trial_notes.hpp"
#include "tune/space/configuration_of.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double briefly = 0.05;  // whatever it is, the standard and what is on record are measured

class MeshTune : public ::testing::Test {
 protected:
  MeshTune() : mesh(options()) {}
  Mesh::Options options() const {
    Mesh::Options options;
    options.store = (folder.path() / "store").string();
    return options;
  }
  Session& session() { return *Handles::session(mesh); }

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
  const auto results = mesh.tune(briefly);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "add");
  EXPECT_GE(results[0].evaluated, 1u);
  EXPECT_THAT(results[0].skipped, IsEmpty());
  EXPECT_GE(results[0].faster_by, 1.0);
  EXPECT_EQ(read<double>(sum), before);
  const LoopSubject subject(session(), loop());
  const auto record = session().resolver().tuning_record(subject.request(), *session().device());
  EXPECT_FALSE(record.history.empty());
  add_once();
  EXPECT_EQ(read<double>(sum)[1], before[1] + 3);
}

TEST_F(MeshTune, leaves_out_what_an_earlier_process_died_of_and_says_so) {
  add_once();
  const LoopSubject subject(session(), loop());
  const DataTunable tunable(session(), subject);
  // On record, so that it is what the search looks at first.
  tune::ConfigurationId fatal = 0;
  while (fatal == tunable.standard()) ++fatal;
  const Parameters parameters = tune::parameters_of(tunable.space(), fatal);
  session().resolver().record(
      subject.request(), *session().device(),
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
    const auto results = mesh.tune(briefly);
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
  const auto results = mesh.tune(briefly);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].name, "multiply K");
  EXPECT_EQ(read<double>(y), before);
  ASSERT_EQ(session().products.all().size(), 1u);
  const ProductSubject subject(session(), session().products.all().front());
  const auto record = session().resolver().tuning_record(subject.request(), *session().device());
  EXPECT_FALSE(record.history.empty());
  multiply(mat, x, y);
  const auto after = read<double>(y);
  for (std::size_t row = 0; row < before.size(); ++row)
    EXPECT_NEAR(after[row], before[row], 1e-12 * before.back()) << row;
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
  EXPECT_THAT(mesh.tune(briefly), IsEmpty());
}

}  // namespace
}  // namespace kiln::mesh::testing
