// Sets, Maps and Dats of several parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kiln/mesh/mesh.hpp"
#include "kiln/mesh/mixed.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TwoSpaces {
  Mesh mesh{[] {
    Mesh::Options off;
    off.store = "off";
    return off;
  }()};
  Set cells = mesh.set("cells", 3), nodes = mesh.set("nodes", 4);
  Map corner = mesh.map("corner", cells, nodes, 2, std::vector<std::int32_t>{0, 1, 1, 2, 2, 3});
  Map own = mesh.map("own", cells, cells, 1, std::vector<std::int32_t>{0, 1, 2});
  MixedSet sets{{nodes, cells}};
  MixedMap maps{{corner, own}};
  MixedDat dat{{mesh.dat<double>("v", nodes, 1, std::vector<double>{1, 2, 3, 4}),
                mesh.dat<double>("p", cells, 1, std::vector<double>{10, 20, 30})}};
};

TEST(Mixed, is_gone_through_part_by_part_and_equal_by_parts) {
  TwoSpaces t;
  std::vector<std::string> names;
  for (const Set& set : t.sets) names.push_back(set.name());
  EXPECT_THAT(names, ElementsAre("nodes", "cells"));
  EXPECT_EQ(t.sets, MixedSet({t.nodes, t.cells}));
  EXPECT_NE(t.sets, MixedSet({t.cells, t.nodes}));
  EXPECT_EQ(MixedDataSet({DataSet(t.nodes, 2)})[0].dim(), 2u);
  EXPECT_THAT(refusal([] { MixedSet(std::vector<Set>{}); }), HasSubstr("no parts"));
}

TEST(Mixed, arithmetic_is_that_of_the_parts) {
  TwoSpaces t;
  MixedDat other{{t.mesh.dat<double>("a", t.nodes, 1), t.mesh.dat<double>("b", t.cells, 1)}};
  other.fill(2);
  EXPECT_EQ(t.dat.inner(other), 140);
  EXPECT_DOUBLE_EQ(t.dat.norm(), std::sqrt(1430.0));
  t.dat += other;
  t.dat *= 2;
  t.dat -= other;
  t.dat /= other;
  t.dat.axpy(3, other);
  t.dat += 1;
  EXPECT_THAT(t.dat[0].read<double>(), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(t.dat[1].read<double>(), ElementsAre(18, 28, 38));
  t.dat.copy(other);
  EXPECT_THAT(other[1].read<double>(), ElementsAre(18, 28, 38));
  t.dat.zero();
  EXPECT_THAT(t.dat[1].read<double>(), Each(0.0));
  EXPECT_THAT(refusal([&] { t.dat += MixedDat({other[0]}); }), HasSubstr("expected as many"));
}

TEST(Mixed, loops_get_one_array_of_all_parts_targets) {
  TwoSpaces t;
  const Dat sum = t.mesh.dat<double>("sum", t.cells, 1);
  const Global calls = t.mesh.global<int>("calls", 0);
  const Kernel gather(
      "void gather(double **x, double *s, int *n) { s[0] = 100 * x[0][0] + 10 * x[1][0] + x[2][0]; "
      "*n += 1; }",
      "gather");
  par_loop(gather, t.cells, arg(t.dat, t.maps, READ), arg(sum, WRITE), arg(calls, INC));
  EXPECT_THAT(sum.read<double>(), ElementsAre(130, 250, 370));
  EXPECT_EQ(calls.value<int>(), 3);
}

TEST(Mixed, loops_add_to_all_parts_in_every_form) {
  for (const int form : {0, 1, 2, 3}) {
    TwoSpaces t;
    use_form(t.mesh, Parameters{{"FORM", form}, {"GROUP", 4}});
    const Kernel scatter(
        "void scatter(const double *w, double *x[3]) { x[0][0] += w[0]; x[1][0] += 2 * w[0]; "
        "x[2][0] += 3; }",
        "scatter");
    const Dat weight = t.mesh.dat<double>("w", t.cells, 1, std::vector<double>{1, 10, 100});
    par_loop(scatter, t.cells, arg(weight, READ), arg(t.dat, t.maps, INC));
    EXPECT_THAT(t.dat[0].read<double>(), ElementsAre(2, 14, 123, 204));
    EXPECT_THAT(t.dat[1].read<double>(), ElementsAre(13, 23, 33));
  }
}

TEST(Mixed, direct_loops_run_over_each_part) {
  TwoSpaces t;
  const Global sum = t.mesh.global<double>("sum", 0.0);
  const Kernel kernel("void twice(double *x, double *s) { x[0] *= 2; s[0] += x[0]; }", "twice");
  par_loop(kernel, t.sets, arg(t.dat, RW), arg(sum, INC));
  EXPECT_EQ(sum.value<double>(), 140);
  EXPECT_THAT(t.dat[0].read<double>(), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(t.dat[1].read<double>(), ElementsAre(20, 40, 60));
}

TEST(Mixed, arguments_that_do_not_fit_are_refused) {
  TwoSpaces t;
  const Kernel kernel("void one(double **x) { x[0][0] = 1; }", "one");
  const Dat single = t.mesh.dat<float>("f", t.cells, 1);
  EXPECT_THAT(refusal([&] {
                arg(MixedDat({t.dat[0], single}), t.maps, READ);
              }),
              HasSubstr("dat f of float, expected one type"));
  EXPECT_THAT(refusal([&] { arg(t.dat, MixedMap({t.corner}), READ); }),
              HasSubstr("2 parts through a mixed map of 1"));
  EXPECT_THAT(refusal([&] { par_loop(kernel, t.cells, arg(t.dat, WRITE)); }),
              HasSubstr("expected a loop over a MixedSet"));
  EXPECT_THAT(refusal([&] { par_loop(kernel, t.sets, arg(t.dat, t.maps, WRITE)); }),
              HasSubstr("through maps"));
  EXPECT_THAT(refusal([&] {
                par_loop(kernel, t.cells, arg(t.dat, MixedMap({t.own, t.corner}), WRITE));
              }),
              HasSubstr("map own leads to set cells, expected nodes"));
}

}  // namespace
}  // namespace kiln::mesh::testing
