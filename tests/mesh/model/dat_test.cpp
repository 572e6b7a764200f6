#include <limits>

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class DatTest : public MeshTest {
 protected:
  Set nodes = mesh.set("nodes", 4);
  Kernel twice{"void twice(int *x) { *x *= 2; }", "twice"};
};

TEST_F(DatTest, keeps_what_it_was_given) {
  const DataSet on(nodes, std::vector<std::size_t>{3, 2});
  const std::vector<double> values(24, 1.5);
  const Dat x = mesh.dat<double>("x", on, values, DataLayout::soa);
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(x.set(), nodes);
  EXPECT_EQ(x.type(), ScalarType::f64);
  EXPECT_EQ(x.dim(), 6u);
  EXPECT_EQ(x.shape(), (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(x.layout(), DataLayout::soa);
  EXPECT_EQ(x.bytes(), 4u * 6 * 8);
  EXPECT_EQ(read<double>(x), values);
}

TEST_F(DatTest, starts_with_zeros_where_nothing_is_given) {
  EXPECT_EQ(read<float>(zeros<float>("x", nodes, 3)), std::vector<float>(12));
}

TEST_F(DatTest, has_room_for_the_halo) {
  EXPECT_EQ(zeros<int>("x", mesh.set("part", {1, 2, 3, 5}), 2).read<int>().size(), 10u);
}

TEST_F(DatTest, a_wrong_number_of_values_is_refused) {
  EXPECT_EQ(refusal([&] {
              dat<int>("x", nodes, 2, {1, 2, 3, 4});
            }),
            "dat x: 4 values, expected none or 8 (4 elements of nodes with 2 each)");
}

TEST_F(DatTest, more_bytes_than_a_number_holds_are_refused) {
  const Set many = mesh.set("many", std::numeric_limits<int>::max());
  const auto text = refusal([&] {
    mesh.dat<double>("x", many, static_cast<std::size_t>(std::numeric_limits<int>::max()));
  });
  EXPECT_NE(text.find("dat x: 2147483647 elements of many with 2147483647 components"),
            std::string::npos)
      << text;
}

TEST_F(DatTest, values_of_another_type_are_refused) {
  Dat x = zeros<int>("x", nodes);
  EXPECT_EQ(refusal([&] { x.read<float>(); }), "dat x is of int, not float");
  EXPECT_EQ(refusal([&] { x.write<unsigned>(); }), "dat x is of int, not uint");
}

TEST_F(DatTest, what_the_host_writes_the_next_loop_reads) {
  for (const auto layout : {DataLayout::aos, DataLayout::soa}) {
    Dat x = dat<int>("x", nodes, 2, counting<int>(8), layout);
    const Kernel twice_both("void both(int *x) { x[0] *= 2; x[1] *= 3; }", "both");
    par_loop(twice_both, nodes, arg(x, RW));
    x.write<int>()[2] = 100;  // after the loop: 2 * 2
    EXPECT_EQ(read<int>(x), list({0, 3, 100, 9, 8, 15, 12, 21}));
    par_loop(twice_both, nodes, arg(x, RW));
    EXPECT_EQ(read<int>(x), list({0, 9, 200, 27, 16, 45, 24, 63}));
  }
}

TEST_F(DatTest, every_type_goes_to_the_device_and_back) {
  const auto check = [&](auto zero, const char* name) {
    using T = decltype(zero);
    const std::vector<T> values{std::numeric_limits<T>::lowest(), T{1},
                                std::numeric_limits<T>::max(), T{0}};
    const Dat x = dat<T>("x", nodes, 1, values), y = zeros<T>("y", nodes);
    const std::string type = name;
    const Kernel copy("void copy(const " + type + " *x, " + type + " *y) { *y = *x; }", "copy");
    par_loop(copy, nodes, arg(x, READ), arg(y, WRITE));
    EXPECT_EQ(read<T>(y), values) << name;
  };
  check(std::int8_t{}, "char");
  check(std::uint8_t{}, "unsigned char");
  check(std::int16_t{}, "short");
  check(std::uint16_t{}, "unsigned short");
  check(std::int32_t{}, "int");
  check(std::uint32_t{}, "unsigned int");
  check(std::int64_t{}, "long");
  check(std::uint64_t{}, "unsigned long");
  check(float{}, "float");
  check(double{}, "double");
}

TEST_F(DatTest, free_gives_memory_back_and_bars_all_further_use) {
  Dat x = dat<int>("x", nodes, 1, {1, 2, 3, 4});
  par_loop(twice, nodes, arg(x, RW));
  mesh.finish();
  x.free();
  x.free();  // again is nothing
  EXPECT_EQ(refusal([&] { x.read<int>(); }), "dat x was freed");
  EXPECT_EQ(refusal([&] { x.write<int>(); }), "dat x was freed");
  EXPECT_EQ(refusal([&] { par_loop(twice, nodes, arg(x, RW)); }),
            "loop twice, argument 0 (dat x): was freed");
  EXPECT_EQ(mesh.queued(), 0u);
}

TEST_F(DatTest, a_dat_that_queued_loops_need_is_not_freed) {
  Dat x = dat<int>("x", nodes, 1, {1, 2, 3, 4});
  par_loop(twice, nodes, arg(x, RW));
  EXPECT_EQ(refusal([&] { x.free(); }),
            "dat x is needed by queued loops (twice), expected it to be freed after they have run");
  EXPECT_EQ(mesh.queued(), 1u);
  EXPECT_EQ(read<int>(x), list({2, 4, 6, 8}));
  x.free();
}

TEST_F(DatTest, another_dat_in_the_place_of_a_freed_one_is_another) {
  for (int round = 0; round < 20; ++round) {
    Dat x = dat<int>("x", nodes, 1, {round, 2, 3, 4});
    par_loop(twice, nodes, arg(x, RW));
    EXPECT_EQ(read<int>(x), list({2 * round, 4, 6, 8}));
    x.free();
  }
}

TEST_F(DatTest, a_global_keeps_what_it_was_given) {
  Global g = mesh.global<double>("g", list({1.0, 2.0, 3.0}));
  EXPECT_EQ(g.name(), "g");
  EXPECT_EQ(g.dim(), 3u);
  EXPECT_EQ(g.type(), ScalarType::f64);
  EXPECT_EQ(g.values<double>(), list({1.0, 2.0, 3.0}));
  g.set({4.0, 5.0, 6.0});
  EXPECT_EQ(g.value<double>(), 4.0);
  EXPECT_EQ(g.values<double>()[2], 6.0);
}

TEST_F(DatTest, a_global_refuses_other_numbers_and_types) {
  Global g = mesh.global<double>("g", list({1.0, 2.0}));
  EXPECT_EQ(refusal([&] { g.set(1.0); }), "global g: 1 values, expected 2");
  EXPECT_EQ(refusal([&] { g.set({1, 2}); }), "global g is of double, not int");
  EXPECT_EQ(refusal([&] { g.values<float>(); }), "global g is of double, not float");
  EXPECT_EQ(refusal([&] { mesh.global<int>("none", std::span<const int>()); }),
            "global none: no values, expected 1 or more");
  EXPECT_EQ(g.values<double>(), list({1.0, 2.0}));
}

TEST_F(DatTest, more_than_memory_holds_is_refused) {
  const Set most = mesh.set("most", 2147483647);
  EXPECT_EQ(refusal([&] { mesh.dat<double>("huge", DataSet(most, {1000000})); }, Errc::unsupported),
            "2147483647 elements of 1000000 double each are more than there is memory for");
}

TEST_F(DatTest, constants_have_c_names_that_are_new_and_free) {
  mesh.constant("gamma", 1.4);
  EXPECT_NE(refusal([&] { mesh.constant("gamma", 1.5); }).find("constant gamma is there already"),
            std::string::npos);
  for (const char* name : {"", "2x", "a-b", "a b", "a.b"})
    EXPECT_NE(refusal([&] { mesh.constant(name, 1); }).find("expected a name that C takes"),
              std::string::npos)
        << name;
  for (const char* name : {"for", "double", "size_t", "kernel", "local", "__x", "kiln_e"})
    EXPECT_NE(refusal([&] { mesh.constant(name, 1); }).find("the word is taken"), std::string::npos)
        << name;
  EXPECT_EQ(refusal([&] { mesh.constant<int>("none", std::span<const int>()); }),
            "constant none: no values, expected 1 or more");
}

TEST_F(DatTest, a_constant_refuses_other_numbers_and_types) {
  Const c = mesh.constant<double>("c", list({1.0, 2.0}));
  EXPECT_EQ(c.dim(), 2u);
  EXPECT_EQ(refusal([&] { c.set(1.0); }), "constant c: 1 values, expected 2");
  EXPECT_EQ(refusal([&] { c.set<int>(list({1, 2})); }), "constant c is of double, not int");
}

}  // namespace
}  // namespace kiln::mesh::testing
