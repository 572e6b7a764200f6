// Every form of a loop gives what a serial loop gives, bit for bit where numbers are integers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

const std::vector<Parameters>& all_forms() {
  static const std::vector<Parameters> forms{{{"FORM", 0}, {"LANES", 1}},
                                             {{"FORM", 0}, {"LANES", 4}},
                                             {{"FORM", 0}, {"LANES", 8}, {"STREAM", 1}},
                                             {{"FORM", 1}, {"GROUP", 5}},
                                             {{"FORM", 2}, {"GROUP", 4}},
                                             {{"FORM", 3}, {"GROUP", 6}}};
  return forms;
}

std::string named(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += name + "=" + std::to_string(value) + " ";
  return text;
}

/// Runs the loop in every form that takes it, and holds what it leaves against the serial loop.
/// @return how many forms took it.
int check_all_forms(LoopShape shape, const HostKernel& kernel, const LoopData& data) {
  shape = with_used_constants(numbered_by_first_occurrence(std::move(shape)));
  LoopData expected = data;
  run_serially(shape, kernel, expected);
  const Request request = make_request(shape, {}, 0);
  int taken = 0;
  for (const auto& parameters : all_forms()) {
    if (!LoopGenerator().accepts(request, parameters)) continue;
    ++taken;
    LoopData found = data;
    run_loop(shape, parameters, found);
    EXPECT_EQ(found.dats, expected.dats) << named(parameters);
    EXPECT_EQ(found.globals, expected.globals) << named(parameters);
  }
  return taken;
}

template <class T>
std::vector<T> counted(std::size_t n, int step = 3) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<T>((static_cast<int>(i) * step) % 17 - 5);
  return values;
}

std::vector<int> random_map(std::size_t rows, std::size_t arity, int targets, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> map(rows * arity);
  for (auto& value : map) value = static_cast<int>(random() % static_cast<unsigned>(targets));
  return map;
}

LoopData edges_and_cells(int edges, int cells, unsigned seed, std::size_t arity = 2) {
  LoopData data;
  data.end = edges;
  data.maps = {random_map(static_cast<std::size_t>(edges), arity, cells, seed)};
  data.targets = {static_cast<std::size_t>(cells)};
  return data;
}

template <class T>
T* as(void* pointer) {
  return static_cast<T*>(pointer);
}

TEST(LoopForms, a_direct_loop_reads_and_writes_every_element) {
  const auto shape =
      loop("void twice(const int *x, int *y, int *z) { *y = 2 * *x; z[1] += z[0]; }", "twice",
           {direct(0, 1, Access::read), direct(1, 1, Access::write), direct(2, 2, Access::rw)});
  LoopData data;
  data.end = 101;
  data.dats = {
      {0, raw(counted<int>(101))}, {1, raw(counted<int>(101))}, {2, raw(counted<int>(202))}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  *as<int>(p[1]) = 2 * *as<int>(p[0]);
                  as<int>(p[2])[1] += as<int>(p[2])[0];
                },
                data),
            5);
}

TEST(LoopForms, work_in_lanes_is_work_element_by_element) {
  const auto shape = loop(
      "double norm(const double *v) { double s = 0; for (int i = 0; i < 3; ++i) s += v[i] * v[i]; "
      "return s; }\n"
      "void mix(const double *v, const double *w, double *out, double *sum) {\n"
      "  double n = norm(v); out[0] = n > 9 ? w[0] : -n; out[1] = fabs(w[0]) + scale; *sum += n; }",
      "mix",
      {direct(0, 3, Access::read, ScalarType::f64), direct(1, 1, Access::read, ScalarType::f64),
       direct(2, 2, Access::write, ScalarType::f64), global(0, 1, Access::inc, ScalarType::f64)},
      {{"scale", ScalarType::f64, 1, true}});
  LoopData data;
  data.end = 45;
  data.constants = {raw(std::vector<double>{0.25})};
  data.dats = {
      {0, raw(counted<double>(135))}, {1, raw(counted<double>(45))}, {2, raw(counted<double>(90))}};
  data.globals = {{0, raw(std::vector<double>{100})}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  const double* v = as<double>(p[0]);
                  const double n = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
                  const double w = *as<double>(p[1]);
                  as<double>(p[2])[0] = n > 9 ? w : -n;
                  as<double>(p[2])[1] = (w < 0 ? -w : w) + 0.25;
                  *as<double>(p[3]) += n;
                },
                data),
            5);
}

constexpr const char* flux = R"(
void flux(const int *a, const int *b, int *left, int *right) {
  for (int k = 0; k < 2; ++k) { int f = a[k] * 3 - b[k]; left[k] += f; right[k] -= f; }
})";

// Components in descending order got each other's staged data in an older implementation.
TEST(LoopForms, increments_through_components_in_any_order_meet_their_targets) {
  for (const bool descending : {false, true}) {
    const int first = descending ? 1 : 0;
    const auto shape = loop(flux, "flux",
                            {through(direct(0, 2, Access::read), 0, 0, 2, first),
                             through(direct(0, 2, Access::read), 0, 0, 2, 1 - first),
                             through(direct(1, 2, Access::inc), 0, 1, 2, first),
                             through(direct(1, 2, Access::inc), 0, 1, 2, 1 - first)});
    LoopData data = edges_and_cells(150, 40, 7);
    data.dats = {{0, raw(counted<int>(80))}, {1, raw(counted<int>(80))}};
    EXPECT_EQ(check_all_forms(
                  shape,
                  [](const auto& p, int, int) {
                    for (int k = 0; k < 2; ++k) {
                      const int f = as<int>(p[0])[k] * 3 - as<int>(p[1])[k];
                      as<int>(p[2])[k] += f;
                      as<int>(p[3])[k] -= f;
                    }
                  },
                  data),
              6);
  }
}

TEST(LoopForms, floating_increments_in_lanes_keep_the_order_of_elements) {
  const auto shape = loop(
      "void add(const double *x, double *y) { for (int k = 0; k < 4; ++k) y[k] += x[k] * third; }",
      "add",
      {through(direct(0, 4, Access::read, ScalarType::f64), 0, 0, 2, 0),
       through(direct(1, 4, Access::inc, ScalarType::f64), 0, 1, 2, 1)},
      {{"third", ScalarType::f64, 1, true}});
  LoopData data = edges_and_cells(90, 11, 3);
  data.constants = {raw(std::vector<double>{1.0 / 4})};
  data.dats = {{0, raw(counted<double>(44))}, {1, raw(counted<double>(44))}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  for (int k = 0; k < 4; ++k) as<double>(p[1])[k] += as<double>(p[0])[k] * 0.25;
                },
                data),
            6);
}

TEST(LoopForms, vector_maps_hand_over_a_pointer_for_each_entry) {
  const auto shape = loop(
      "void sum(int **x, int *y[3]) { for (int c = 0; c < 3; ++c) { y[c][0] += x[c][1]; y[2 - "
      "c][1] += 1; } }",
      "sum",
      {through_all(direct(0, 2, Access::read), 0, 0, 3),
       through_all(direct(1, 2, Access::inc), 0, 1, 3)});
  LoopData data = edges_and_cells(77, 30, 5, 3);
  data.dats = {{0, raw(counted<int>(60))}, {1, raw(counted<int>(60))}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  int** x = reinterpret_cast<int**>(p[0]);
                  int** y = reinterpret_cast<int**>(p[1]);
                  for (int c = 0; c < 3; ++c) {
                    y[c][0] += x[c][1];
                    y[2 - c][1] += 1;
                  }
                },
                data),
            6);
}

TEST(LoopForms, flattened_vector_maps_hand_over_components_first) {
  const auto shape = loop(
      "void sum(int **x, int *y) { for (int i = 0; i < 6; ++i) y[0] += (i + 1) * *x[i]; }", "sum",
      {through_all(direct(0, 2, Access::read), 0, 0, 3, true), direct(1, 1, Access::inc)});
  LoopData data = edges_and_cells(50, 20, 9, 3);
  data.dats = {{0, raw(counted<int>(40))}, {1, raw(counted<int>(50))}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  int** x = reinterpret_cast<int**>(p[0]);
                  for (int i = 0; i < 6; ++i) *as<int>(p[1]) += (i + 1) * *x[i];
                },
                data),
            6);
}

TEST(LoopForms, iteration_indices_call_the_kernel_once_for_each_point) {
  auto shape =
      loop("void at(const int *x, int *y, int i, int j) { *y += *x * (10 * i + j); }", "at",
           {through_index(direct(0, 1, Access::read), 0, 0, 3, 0),
            through_index(direct(1, 1, Access::inc), 0, 1, 3, 1)});
  shape.extents = {3, 3};
  LoopData data = edges_and_cells(40, 12, 11, 3);
  data.dats = {{0, raw(counted<int>(12))}, {1, raw(counted<int>(12))}};
  EXPECT_EQ(
      check_all_forms(
          shape,
          [](const auto& p, int i, int j) { *as<int>(p[1]) += *as<int>(p[0]) * (10 * i + j); },
          data),
      5);
}

TEST(LoopForms, subsets_and_parts_touch_their_elements_only) {
  auto shape = loop(flux, "flux",
                    {through(direct(0, 2, Access::read), 0, 0, 2, 0),
                     through(direct(0, 2, Access::read), 0, 0, 2, 1),
                     through(direct(1, 2, Access::inc), 0, 1, 2, 1), direct(2, 2, Access::rw)});
  shape.subset = true;
  LoopData data = edges_and_cells(150, 40, 13);
  for (int e = 1; e < 150; e += 3) data.subset.push_back(e);
  data.set_size = 150;
  data.begin = 7;
  data.end = static_cast<int>(data.subset.size()) - 2;
  data.dats = {{0, raw(counted<int>(80))}, {1, raw(counted<int>(80))}, {2, raw(counted<int>(300))}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  for (int k = 0; k < 2; ++k) {
                    const int f = as<int>(p[0])[k] * 3 - as<int>(p[1])[k];
                    as<int>(p[2])[k] += f;
                    as<int>(p[3])[k] -= f;
                  }
                },
                data),
            6);
}

// The stride of a SoA Dat is no part of the text: one program serves two sizes.
TEST(LoopForms, structures_of_arrays_take_their_stride_when_they_run) {
  auto shape = loop(flux, "flux",
                    {through(direct(0, 2, Access::read), 0, 0, 2, 0),
                     through(direct(0, 2, Access::read), 0, 0, 2, 1),
                     through(direct(1, 2, Access::inc), 0, 1, 2, 1), direct(2, 2, Access::rw)});
  for (auto& a : shape.arguments) a.soa = true;
  for (const int cells : {40, 55}) {
    LoopData data = edges_and_cells(60, cells, 17);
    const auto n = static_cast<std::size_t>(cells);
    data.strides = {{0, cells}, {1, cells}, {2, 64}};
    data.dats = {
        {0, raw(counted<int>(2 * n))}, {1, raw(counted<int>(2 * n))}, {2, raw(counted<int>(128))}};
    EXPECT_EQ(check_all_forms(
                  shape,
                  [](const auto& p, int, int) {
                    for (int k = 0; k < 2; ++k) {
                      const int f = as<int>(p[0])[k] * 3 - as<int>(p[1])[k];
                      as<int>(p[2])[k] += f;
                      as<int>(p[3])[k] -= f;
                    }
                  },
                  data),
              6);
  }
}

TEST(LoopForms, columns_go_through_their_layers) {
  auto shape = loop("void up(const int *x, int *y) { *y += 2 * *x; }", "up",
                    {through(direct(0, 1, Access::read), 0, 0, 2, 0),
                     through(direct(1, 1, Access::inc), 0, 1, 2, 1)});
  shape.extruded = true;
  LoopData data;
  data.end = 30;
  data.layers = 4;
  data.maps = {random_map(30, 2, 20, 19)};
  for (auto& value : data.maps[0]) value *= 5;
  data.offsets = {{1, 1}};
  data.targets = {101};
  data.dats = {{0, raw(counted<int>(101))}, {1, raw(counted<int>(101))}};
  EXPECT_EQ(check_all_forms(
                shape, [](const auto& p, int, int) { *as<int>(p[1]) += 2 * *as<int>(p[0]); }, data),
            5);
}

// The kernel's parameters had two orders in an older implementation: the text's and the host's.
TEST(LoopForms, a_loop_with_read_and_reduced_globals_does_not_confuse_them) {
  const auto shape = loop(
      "void both(const int *x, const int *f, int *sum, int *most) { *sum += *x * f[1]; if (*x > "
      "*most) *most = *x; }",
      "both",
      {direct(0, 1, Access::read), global(0, 2, Access::read), global(1, 1, Access::inc),
       global(2, 1, Access::max)});
  LoopData data;
  data.end = 64;
  data.dats = {{0, raw(counted<int>(64))}};
  data.globals = {{0, raw(std::vector<int>{5, 7})},
                  {1, raw(std::vector<int>{1})},
                  {2, raw(std::vector<int>{-3})}};
  EXPECT_EQ(check_all_forms(
                shape,
                [](const auto& p, int, int) {
                  const int x = *as<int>(p[0]);
                  *as<int>(p[2]) += x * as<int>(p[1])[1];
                  *as<int>(p[3]) = std::max(*as<int>(p[3]), x);
                },
                data),
            5);
}

// Patterns (x, x, y) and (x, y, y) of pairs have as many arguments and Dats each.
TEST(LoopForms, who_shares_a_dat_is_a_part_of_the_request) {
  const auto with = [](int second) {
    return numbered_by_first_occurrence(
        loop("void f(const int *a, const int *b, int *c) { *c += *a - *b; }", "f",
             {through(direct(0, 1, Access::read), 0, 0, 2, 0),
              through(direct(second, 1, Access::read), 0, second, 2, 1),
              through(direct(2, 1, Access::inc), 0, 2, 2, 0)}));
  };
  const LoopGenerator generator;
  const auto text = [&](int second) {
    return generator.generate(make_request(with(second), {}, 0), {{"FORM", 1}, {"GROUP", 4}});
  };
  EXPECT_NE(text(0), text(1));
}

RC_GTEST_PROP(LoopForms, random_meshes_give_the_same_in_every_form, ()) {
  const int edges = *rc::gen::inRange(0, 200), cells = *rc::gen::inRange(1, 60);
  const int first = *rc::gen::inRange(0, 2), second = *rc::gen::inRange(0, 2);
  LoopData data = edges_and_cells(edges, cells, *rc::gen::arbitrary<unsigned>());
  const auto n = static_cast<std::size_t>(2 * cells);
  data.dats = {{0, raw(counted<int>(n))}, {1, raw(counted<int>(n, 5))}};
  const auto shape = loop(flux, "flux",
                          {through(direct(0, 2, Access::read), 0, 0, 2, first),
                           through(direct(0, 2, Access::read), 0, 0, 2, 1 - first),
                           through(direct(1, 2, Access::inc), 0, 1, 2, second),
                           through(direct(1, 2, Access::inc), 0, 1, 2, first)});
  check_all_forms(
      shape,
      [](const auto& p, int, int) {
        for (int k = 0; k < 2; ++k) {
          const int f = as<int>(p[0])[k] * 3 - as<int>(p[1])[k];
          as<int>(p[2])[k] += f;
          as<int>(p[3])[k] -= f;
        }
      },
      data);
}

}  // namespace
}  // namespace kiln::mesh::testing
