// Loops and matrices in a record of calls: what was recorded is what a later process starts with.
#include "mesh/loop/recorded_loop.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <any>
#include <optional>
#include <sstream>

#include "base/os/file.hpp"
#include "mesh/codegen/loop_generator.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/matrix/matrix_session.hpp"
#include "mesh/model/mesh_fixture.hpp"
#include "store/local/local_store.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

/// A record of one call, as it comes out of a file.
RecordedCall through_a_file(const RecordedCall& call) {
  const auto read = value_or_throw(parse_calls(recorded_line(identity_line(call), call), "calls"));
  return read.calls.at(0);
}

bool has_compiled(const Explanation& explanation) {
  return std::any_of(explanation.steps.begin(), explanation.steps.end(), [](const auto& step) {
    return step.layer == "compile" || step.layer == "variant";
  });
}

class RecordedLoopTest : public ::testing::Test {
 protected:
  Mesh::Options options(const char* store) const {
    Mesh::Options made;
    made.store = (folder.path() / store).string();
    return made;
  }
  /// Several kinds of loops, on a mesh of so many edges.
  struct Application {
    explicit Application(const Mesh::Options& with, std::size_t size = 300)
        : mesh(with), edges(mesh.set("edges", size)), nodes(mesh.set("nodes", size + 1)) {
      Indices values;
      for (std::size_t e = 0; e < size; ++e)
        values.insert(values.end(), {static_cast<int>(e), static_cast<int>(e) + 1});
      const Map ends = mesh.map("ends", edges, nodes, 2, values);
      const Dat w = mesh.dat<double>("w", edges, 1, counting<double>(size));
      const Dat x = mesh.dat<float>("x", nodes, 2), y = mesh.dat<double>("y", nodes, 1);
      const Dat z = mesh.dat<double>("z", nodes, 3, {}, DataLayout::soa);
      const Global sum = mesh.global("sum", 0.0), least = mesh.global("least", 9);
      mesh.constant("scale", 2.0);
      mesh.constant("unused", 2.0);
      const Subset subset = edges.subset(std::vector<int>{1, 3, 5});
      const auto run = [&](const char* text, const char* name, const Iteration& over,
                           std::initializer_list<Arg> arguments) {
        par_loop(Kernel(text, name), over, std::span<const Arg>(arguments));
      };
      run("void add(const double *w, double *y) { y[0] += scale * w[0]; }", "add", edges,
          {arg(w, READ), arg(y, ends[1], INC)});
      run("void fold(const double *w, double *s, int *l) { s[0] += w[0]; l[0] = min(l[0], 3); }",
          "fold", edges, {arg(w, READ), arg(sum, INC), arg(least, MIN)});
      run("void all(float *x[2], double *z) { x[0][1] = 1.0f; x[1][0] = 2.0f; z[2] = 1; }", "all",
          subset, {arg(x, ends, WRITE), arg(z, ends[0], RW)});
      run("void each(double *y, int i) { y[0] += i; }", "each", edges,
          {arg(y, ends[index(0)], INC)});
      mat.emplace(mesh.mat<double>("K", mesh.sparsity(ends, ends)));
      run("void element(double *m) { for (int i = 0; i < 4; ++i) m[i] += 1; }", "element", edges,
          {arg(*mat, ends, ends, INC)});
      v.emplace(mesh.dat<double>("v", nodes, 1));
      multiply(*mat, y, *v);
      held = {ends, w, x, y, z, sum, least, subset};
      mesh.finish();
    }
    /// What a record would hold of the loops.
    std::vector<RecordedCall> calls() {
      LoopSession& session = LoopSession::of(*Handles::session(mesh));
      std::vector<RecordedCall> all;
      for (const auto& loop : session.loops.all()) {
        const auto& over = loop->over();
        const auto& sizes = over.subset != nullptr ? over.subset->sizes : over.set->sizes;
        all.push_back(recorded_call({loop->shape(), static_cast<std::int64_t>(sizes[1])},
                                    *session.device(), 100));
      }
      return all;
    }
    Mesh mesh;
    Set edges, nodes;
    std::optional<Mat> mat;
    std::optional<Dat> v;
    std::vector<std::any> held;  ///< loops are forgotten with what they use
  };

  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-recorded"));
};

TEST_F(RecordedLoopTest, comes_back_from_a_file_as_it_was) {
  Application application(options("one"));
  const auto calls = application.calls();
  ASSERT_EQ(calls.size(), 5u);
  LoopSession& session = LoopSession::of(*Handles::session(application.mesh));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const RecordedCall call = through_a_file(calls[i]);
    EXPECT_EQ(call.kind, "loop");
    const auto loop = recorded_loop_of(call);
    ASSERT_TRUE(loop.has_value()) << loop.error().message();
    const LoopShape& shape = session.loops.all()[i]->shape();
    EXPECT_EQ(loop->elements, i == 2 ? 3 : 300);
    EXPECT_EQ(loop->shape.kernel, shape.kernel);
    EXPECT_EQ(loop->shape.source->text(), shape.source->text());
    EXPECT_EQ(loop->shape.arguments, shape.arguments);
    EXPECT_EQ(loop->shape.constants, shape.constants);
    EXPECT_EQ(loop->shape.extents, shape.extents);
    EXPECT_EQ(loop->shape.subset, shape.subset);
  }
}

TEST_F(RecordedLoopTest, what_is_built_from_a_record_is_what_the_application_starts_with) {
  Application recorded(options("one"));
  {
    Resolver resolver(open_local_store((folder.path() / "other").string()));
    add_generators(resolver);
    const DevicePtr device = Handles::session(recorded.mesh)->device();
    for (const auto& call : recorded.calls())
      EXPECT_TRUE(has_compiled(build_recorded(
          value_or_throw(recorded_loop_of(through_a_file(call))), resolver, device)));
    for (const auto& product : MatrixSession::of(*Handles::session(recorded.mesh)).products.all()) {
      auto matrix = MatrixKernels::describe(*product.mat, false, false);
      matrix.kernel = "kiln_multiply";
      const auto call = through_a_file(recorded_call(matrix, *device));
      EXPECT_TRUE(
          has_compiled(build_recorded(value_or_throw(recorded_matrix_of(call)), resolver, device)));
    }
  }
  const auto artifacts = [&] {
    const auto list = value_or_throw(LocalStore((folder.path() / "other").string()).list());
    return std::count_if(list.begin(), list.end(),
                         [](const auto& entry) { return entry.kind == Kind::artifact; });
  };
  const auto before = artifacts();
  {
    Application again(options("other"));
    for (const LoopReport& report : again.mesh.report())
      EXPECT_EQ(report.program_hits, 1u) << report.name;
  }
  EXPECT_EQ(artifacts(), before) << "the products' program is there, too";
}

TEST_F(RecordedLoopTest, many_blocks_take_the_variant_of_a_large_grid) {
  Application application(options("one"));
  auto call = application.calls().at(1);
  Resolver resolver(open_local_store((folder.path() / "other").string()));
  const DevicePtr device = Handles::session(application.mesh)->device();
  // Else other numbers of elements had other blocks, and so other programs.
  resolver.add(std::make_unique<WithDefaults<LoopGenerator>>(
      Parameters{{"FORM", 0}, {"LANES", 1}, {"BLOCK", 1}}));
  const auto build = [&](std::int64_t elements) {
    for (auto& fact : call.facts)
      if (fact.name == "elements") fact.value = elements;
    return build_recorded(value_or_throw(recorded_loop_of(call)), resolver, device);
  };
  const auto has = [](const Explanation& explanation, const char* layer) {
    return std::ranges::any_of(explanation.steps,
                               [&](const auto& step) { return step.layer == layer; });
  };
  EXPECT_TRUE(has(build(300), "compile"));
  // More blocks than the small grid has work-items, in no more memory than caches have.
  const Explanation again = build(300), large = build(70'000);
  EXPECT_FALSE(has_compiled(again));
  // The same program, and of its variants one more.
  EXPECT_FALSE(has(large, "compile"));
  EXPECT_TRUE(has(large, "variant"));
}

/// Puts other Parameters on record once it has said its defaults, as a search in another thread may
/// between any two look-ups.
class Overtaken final : public LoopGenerator {
 public:
  Overtaken(Resolver& resolver, DevicePtr device)
      : resolver_(resolver), device_(std::move(device)) {}
  static Parameters first() { return {{"FORM", 0}, {"LANES", 1}, {"BLOCK", 1}}; }
  Parameters defaults(const Request& request) const override {
    if (!std::exchange(is_overtaken_, true))
      resolver_.record(request, *device_, Parameters{{"FORM", 2}, {"GROUP", 16}});
    return first();
  }

 private:
  Resolver& resolver_;
  DevicePtr device_;
  mutable bool is_overtaken_ = false;
};

TEST_F(RecordedLoopTest, a_record_that_changes_meanwhile_does_not_part_a_program_and_its_variants) {
  Application application(options("one"));
  const DevicePtr device = Handles::session(application.mesh)->device();
  Resolver resolver(open_local_store((folder.path() / "other").string()));
  resolver.add(std::make_unique<Overtaken>(resolver, device));
  const auto loop = value_or_throw(recorded_loop_of(application.calls().at(0)));
  EXPECT_EQ(build_recorded(loop, resolver, device).parameters.parameters, Overtaken::first());
  EXPECT_EQ(build_recorded(loop, resolver, device).parameters.parameters.get("FORM", 0), 2);
}

TEST_F(RecordedLoopTest, names_what_no_loop_could_have_left) {
  Application application(options("one"));
  const auto refused = [&](std::size_t number, const char* name, decltype(Fact::value) value) {
    RecordedCall call = application.calls().at(number);
    for (auto& fact : call.facts)
      if (fact.name == name) fact.value = value;
    const auto loop = recorded_loop_of(call);
    return loop ? std::string("(nothing)") : loop.error().message();
  };
  EXPECT_THAT(refused(0, "elements", std::int64_t{-1}), HasSubstr("'elements'"));
  EXPECT_THAT(refused(0, "elements", std::string("many")), HasSubstr("'elements'"));
  EXPECT_THAT(refused(0, "text", std::string()), HasSubstr("'text'"));
  EXPECT_THAT(refused(0, "argument 0", std::string("nonsense")), HasSubstr("'nonsense'"));
  EXPECT_THAT(refused(0, "argument 0", std::int64_t{3}), HasSubstr("argument"));
  EXPECT_THAT(refused(0, "constant 0", std::string("scale 77 1 1")), HasSubstr("constant"));
  EXPECT_THAT(refused(3, "extents", std::string("2 2 2")), HasSubstr("'extents'"));
  EXPECT_THAT(refused(3, "extents", std::string("7")), HasSubstr("index"));
  const auto changed = [&](std::size_t number, const std::string& from, const std::string& to) {
    const RecordedCall call = application.calls().at(number);
    std::string text;
    for (const auto& fact : call.facts)
      if (fact.name == "argument 0") text = std::get<std::string>(fact.value);
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << text;
    return refused(number, "argument 0", text.replace(at, from.size(), to));
  };
  EXPECT_THAT(changed(0, "type 9", "type 10"), HasSubstr("type"));
  EXPECT_THAT(changed(0, "access 0", "access 6"), HasSubstr("access"));
  EXPECT_THAT(changed(0, "dim 1", "dim 100000"), HasSubstr("sizes"));
  EXPECT_THAT(changed(0, "data 0", "data 4"), HasSubstr("first occurrence"));
}

RC_GTEST_FIXTURE_PROP(RecordedLoopTest, damage_is_refused_or_harmless, ()) {
  static const auto calls = [] {
    Mesh::Options without;
    without.store = "off";
    return Application(without).calls();
  }();
  RecordedCall call = calls.at(*rc::gen::inRange<std::size_t>(0, calls.size()));
  // One number of one argument becomes another.
  std::vector<Fact*> arguments;
  for (auto& fact : call.facts)
    if (fact.name.starts_with("argument")) arguments.push_back(&fact);
  auto& text = std::get<std::string>((*rc::gen::elementOf(arguments))->value);
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  words[2 * *rc::gen::inRange<std::size_t>(0, words.size() / 2) + 1] =
      std::to_string(*rc::gen::inRange(-3, 12));
  text.clear();
  for (const auto& word : words) text += word + " ";
  const auto loop = recorded_loop_of(call);
  if (!loop) {
    RC_ASSERT(loop.error().code() == Errc::bad_input);
    return;
  }
  const LoopGenerator generator;
  const Request request = make_request(loop->shape, {}, loop->elements);
  try {
    RC_ASSERT(!generator.generate(request, generator.defaults(request)).empty());
  } catch (const Error&) {
    // It does not fit its kernel.
  }
}

TEST(RecordedMatrix, names_what_no_matrix_could_have_left) {
  const DevicePtr device = value_or_throw(select_devices("cpu")).front();
  const RecordedMatrix matrix{{ScalarType::f32, 2, 3, true, false}, "kiln_rows", 9.4, 1000};
  const auto back =
      value_or_throw(recorded_matrix_of(through_a_file(recorded_call(matrix, *device))));
  EXPECT_EQ(back.shape, matrix.shape);
  EXPECT_EQ(back.kernel, "kiln_rows");
  EXPECT_EQ(back.rows, 1000);
  for (const char* name : {"type", "row_dim", "column_dim", "x_soa", "row_length", "rows"}) {
    RecordedCall call = recorded_call(matrix, *device);
    for (auto& fact : call.facts)
      if (fact.name == name) fact.value = std::int64_t{-1};
    const auto refused = recorded_matrix_of(call);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_THAT(refused.error().message(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
