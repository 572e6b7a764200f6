// HDF5 files that Kiln wrote, and files that OP2 and others write.
#include <gtest/gtest.h>

#include <thread>

#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/io/op2_file.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::bytes_from;
using testing::Op2File;
using testing::refusal;
using testing::same;
using testing::two_squares;

/// The mesh with a constant and data of every type.
MeshFile with_every_type() {
  MeshFile mesh = two_squares();
  mesh.constants = {{"gam", ScalarType::f64, 1, bytes_from<double>({1.4}), "double"},
                    {"qinf", ScalarType::f32, 4, bytes_from<float>({1, 2, 3, 4}), "float"}};
  mesh.dats.push_back({"a", "cells", 1, ScalarType::i8, Bytes(2), "char"});
  mesh.dats.push_back({"b", "cells", 1, ScalarType::u8, Bytes(2), "unsigned char"});
  mesh.dats.push_back({"c", "cells", 1, ScalarType::i16, Bytes(4), "short"});
  mesh.dats.push_back({"d", "cells", 3, ScalarType::u16, Bytes(12), "unsigned short"});
  mesh.dats.push_back(
      {"e", "cells", 1, ScalarType::u32, bytes_from<std::uint32_t>({1, ~0u}), "unsigned int"});
  mesh.dats.push_back(
      {"f", "cells", 1, ScalarType::i64, bytes_from<std::int64_t>({-1, INT64_MIN}), "long long"});
  mesh.dats.push_back({"flow/g", "cells", 1, ScalarType::u64, bytes_from<std::uint64_t>({1, ~0ull}),
                       "unsigned long"});
  mesh.dats.push_back({"h", "cells", 1, ScalarType::f32, bytes_from<float>({1, -2}), "float:soa"});
  return mesh;
}

/// Airfoil's mesh as OP2 dumps it: sets without attributes, maps and data with size, dim and type.
void write_two_squares(Op2File& out) {
  const MeshFile mesh = two_squares();
  for (const FileSet& set : mesh.sets) out.ints(set.name, {1}, {static_cast<int>(set.size)});
  for (const FileMap& map : mesh.maps) {
    const auto rows = map.values.size() / static_cast<std::size_t>(map.arity);
    out.ints(map.name, {rows, static_cast<hsize_t>(map.arity)}, map.values);
    out.number(map.name, "size", static_cast<int>(rows));
    out.number(map.name, "dim", map.arity);
    out.text(map.name, "type", "int", 10);
  }
  const auto x = values_of<double>(mesh.dats[0]);
  out.doubles("p_x", {6, 2}, {x.begin(), x.end()});
  out.number("p_x", "size", 16);
  out.number("p_x", "dim", 2);
  out.text("p_x", "type", "double", 6);
  const auto bound = values_of<std::int32_t>(mesh.dats[1]);
  out.ints("p_bound", {6, 1}, {bound.begin(), bound.end()});
  out.text("p_bound", "type", "int", 3);
}

TEST(Hdf5Mesh, comes_back_as_it_was) {
  const MeshFile mesh = with_every_type();
  const auto image = write_hdf5(mesh);
  ASSERT_TRUE(image) << image.error().message();
  ASSERT_TRUE(is_hdf5(*image));
  // Nothing but the file says what joins what.
  const auto again = read_hdf5(*image, FileLayout{});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(same(mesh, *again));
  EXPECT_TRUE(again->left_out.empty());
}

TEST(Hdf5Mesh, has_the_same_bytes_each_time) {
  const MeshFile mesh = make_naca0012({20, 30}).value();
  EXPECT_EQ(write_hdf5(mesh).value(), write_hdf5(mesh).value());
  EXPECT_TRUE(same(mesh, read_hdf5(write_hdf5(mesh).value()).value()));
}

TEST(Hdf5Mesh, holds_empty_sets) {
  MeshFile mesh;
  mesh.sets = {{"nodes", 0}, {"cells", 0}};
  mesh.maps = {{"pcell", "cells", "nodes", 4, {}}};
  mesh.dats = {{"p_x", "nodes", 2, ScalarType::f64, {}, "double"}};
  const auto again = read_hdf5(write_hdf5(mesh).value());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(same(mesh, *again));
}

TEST(Hdf5Mesh, is_not_written_where_it_is_not_whole) {
  MeshFile mesh = two_squares();
  mesh.maps[0].values[3] = 77;
  EXPECT_NE(refusal(write_hdf5(mesh)).find("is 77, expected 0 to 5"), std::string::npos);
  EXPECT_EQ(hdf5::open_objects(), 0u);
}

// What OP2's reader asks a file for: names, extents, types and the attributes.
TEST(Hdf5Mesh, has_op2_s_layout) {
  MeshFile mesh = two_squares();
  mesh.constants = {{"gam", ScalarType::f64, 1, bytes_from<double>({1.4})}};
  const Bytes image = write_hdf5(mesh).value();
  const auto file = hdf5::Reader::open(image);
  ASSERT_TRUE(file);
  const auto datasets = file->datasets();
  ASSERT_TRUE(datasets);
  ASSERT_EQ(datasets->size(), 12u);
  for (const auto& dataset : *datasets) {
    SCOPED_TRACE(dataset.path);
    if (mesh.find_set(dataset.path) != nullptr) {
      EXPECT_EQ(dataset.extents, (std::vector<std::uint64_t>{1}));
      EXPECT_EQ(dataset.type, ScalarType::i32);
      EXPECT_FALSE(dataset.size || dataset.dim);
      EXPECT_EQ(dataset.type_text, "");
    } else if (const FileMap* map = mesh.find_map(dataset.path)) {
      EXPECT_EQ(dataset.extents[0], static_cast<std::uint64_t>(*dataset.size));
      EXPECT_EQ(dataset.extents[1], static_cast<std::uint64_t>(map->arity));
      EXPECT_EQ(dataset.dim, map->arity);
      EXPECT_EQ(dataset.type_text, "int");
    } else if (const FileDat* dat = mesh.find_dat(dataset.path)) {
      EXPECT_EQ(dataset.extents.size(), 2u);
      EXPECT_EQ(dataset.size, dat->dim * static_cast<int>(size_of(dat->type)));
      EXPECT_EQ(dataset.dim, dat->dim);
      EXPECT_EQ(dataset.type_text, dat->type_text);
    } else {
      EXPECT_EQ(dataset.path, "gam");
      EXPECT_EQ(dataset.extents, (std::vector<std::uint64_t>{1}));
      EXPECT_EQ(dataset.dim, 1);
      EXPECT_FALSE(dataset.size);
      EXPECT_EQ(dataset.type_text, "double");
    }
  }
}

TEST(Hdf5Mesh, of_op2_is_read_by_the_names_that_are_known) {
  Op2File out;
  write_two_squares(out);
  const Bytes bytes = out.bytes();
  const auto mesh = read_hdf5(bytes);
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_TRUE(same(*mesh, two_squares()));
  EXPECT_TRUE(mesh->left_out.empty());
}

TEST(Hdf5Mesh, of_other_names_needs_a_layout) {
  Op2File out;
  out.ints("knots", {1}, {3});
  out.ints("sides", {1}, {2});
  out.ints("ends", {2, 2}, {0, 1, 1, 2});
  out.doubles("place", {3, 2}, {0, 0, 1, 1, 2, 2});
  out.doubles("stray", {5}, {0, 0, 1, 1, 2});
  const Bytes bytes = out.bytes();
  const auto guessed = read_hdf5(bytes);
  ASSERT_TRUE(guessed) << guessed.error().message();
  EXPECT_EQ(guessed->find_dat("place")->set, "knots") << "only one set has 3 elements";
  EXPECT_EQ(guessed->left_out,
            (std::vector<std::string>{
                "ends: nothing says which sets it joins: attributes 'from' and 'to' would ('set' "
                "for data), or --map ends=FROM:TO (--on ends=SET)",
                "stray: no set has 5 elements"}));
  const auto told = read_hdf5(bytes, {{{"ends", "sides", "knots"}}, {}});
  ASSERT_TRUE(told) << told.error().message();
  EXPECT_EQ(told->find_map("ends")->values, (std::vector<std::int32_t>{0, 1, 1, 2}));
}

TEST(Hdf5Mesh, takes_single_numbers_without_extents_for_sets) {
  Op2File out;
  const int sizes[] = {4, 1};
  const char* names[] = {"nodes", "cells"};
  for (int k = 0; k < 2; ++k) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t data = H5Dcreate2(out.file(), names[k], H5T_NATIVE_INT, space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &sizes[k]);
    H5Dclose(data);
    H5Sclose(space);
  }
  out.ints("pcell", {1, 4}, {0, 1, 2, 3});
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->find_set("nodes")->size, 4);
  EXPECT_EQ(mesh->find_map("pcell")->values, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(Hdf5Mesh, does_not_guess_between_sets_of_one_size) {
  Op2File out;
  out.ints("left", {1}, {3});
  out.ints("right", {1}, {3});
  out.doubles("heat", {3, 1}, {1, 2, 3});
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->left_out,
            (std::vector<std::string>{"heat: nothing says whether it is on 'left' or 'right': an "
                                      "attribute 'set' would, or --on heat=SET"}));
}

TEST(Hdf5Mesh, takes_numbers_of_every_width_and_byte_order) {
  Op2File out;
  out.dataset<int>("nodes", {1}, {3}, H5T_STD_I64BE, H5T_NATIVE_INT);
  out.dataset<int>("cells", {1}, {1}, H5T_STD_U16LE, H5T_NATIVE_INT);
  out.dataset<int>("pcell", {1, 3}, {2, 0, 1}, H5T_STD_I64LE, H5T_NATIVE_INT);
  out.dataset<double>("p_x", {3}, {0.5, 1, 2}, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE);
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->find_map("pcell")->values, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(values_of<double>(*mesh->find_dat("p_x"))[0], 0.5);
  EXPECT_EQ(mesh->find_dat("p_x")->dim, 1);
}

TEST(Hdf5Mesh, reads_compressed_values_and_texts_of_h5py) {
  Op2File out;
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[] = {1000, 1};
  H5Pset_chunk(plan, 2, chunk);
  H5Pset_deflate(plan, 9);
  out.ints("cells", {1}, {100000});
  out.dataset("p_adt", {100000, 1}, std::vector<double>(100000, 7), H5T_NATIVE_DOUBLE,
              H5T_NATIVE_DOUBLE, plan);
  H5Pclose(plan);
  out.variable_text("p_adt", "type", "double");
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(values_of<double>(*mesh->find_dat("p_adt"))[99999], 7);
  EXPECT_EQ(mesh->find_dat("p_adt")->type_text, "double");
}

TEST(Hdf5Mesh, says_what_does_not_fit) {
  const auto message = [](const auto& fill) {
    Op2File out;
    out.ints("nodes", {1}, {3});
    out.ints("cells", {1}, {1});
    fill(out);
    return refusal(read_hdf5(out.bytes()));
  };
  EXPECT_EQ(message([](Op2File& f) {
              f.ints("pcell", {1, 3}, {0, 1, 3});
            }),
            "map 'pcell': entry 2 of element 0 is 3, expected 0 to 2 ('nodes' has 3 elements)");
  EXPECT_EQ(message([](Op2File& f) {
              f.ints("pcell", {2, 3}, {0, 1, 2, 0, 1, 2});
            }),
            "map 'pcell': found 2 rows, expected 1 (the size of 'cells')");
  EXPECT_EQ(message([](Op2File& f) {
              f.ints("pedge", {2, 3}, {0, 1, 2, 0, 1, 2});
            }),
            "map 'pedge': the file has no set 'edges'");
  EXPECT_EQ(message([](Op2File& f) {
              f.doubles("pcell", {1, 2}, {0, 1});
            }),
            "map 'pcell': found numbers with a fraction, expected whole ones");
  EXPECT_EQ(message([](Op2File& f) {
              f.dataset<double>("pcell", {1, 2}, {0, 3e9}, H5T_STD_I64LE, H5T_NATIVE_DOUBLE);
            }),
            "map 'pcell': entry 1 of element 0 is 3000000000, expected 0 to 2147483647");
  EXPECT_EQ(message([](Op2File& f) { f.ints("edges", {1}, {-4}); }),
            "set 'edges': found -4 elements, expected 0 to 2147483647");
  EXPECT_EQ(message([](Op2File& f) {
              f.doubles("gam", {2}, {1, 2});
              f.number("gam", "dim", 3);
            }),
            "constant 'gam': found 2 values, expected 3");
  EXPECT_EQ(message([](Op2File& f) {
              f.doubles("p_x", {3, 0}, {});
            }),
            "dat 'p_x': found 0 numbers in a row, expected 1 to 2147483647");
}

TEST(Hdf5Mesh, leaves_out_what_no_mesh_has) {
  Op2File out;
  out.ints("nodes", {1}, {3});
  out.doubles("cube", {1, 1, 1}, {1});
  const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 8);
  H5Dclose(H5Dcreate2(out.file(), "title", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Tclose(type);
  H5Sclose(space);
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->left_out,
            (std::vector<std::string>{"cube: it has 3 dimensions, expected at most 2",
                                      "title: it holds no numbers of a known type"}));
}

TEST(Hdf5Mesh, stays_within_the_file) {
  Op2File out;
  out.ints("nodes", {1}, {3});
  H5Lcreate_external("/etc/passwd", "/", out.file(), "outside", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nodes", out.file(), "again", H5P_DEFAULT, H5P_DEFAULT);
  const auto mesh = read_hdf5(out.bytes());
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->sets.size(), 1u);
  EXPECT_TRUE(mesh->left_out.empty());

  Op2File external;
  external.ints("nodes", {1}, {3});
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plan, "/etc/passwd", 0, 48);
  external.dataset("p_x", {3, 2}, std::vector<double>{}, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE,
                   plan);
  H5Pclose(plan);
  EXPECT_EQ(refusal(read_hdf5(external.bytes())),
            "the values of 'p_x' lie in another file, expected them in this one");
}

TEST(Hdf5Mesh, takes_no_memory_for_values_that_are_not_there) {
  Op2File out;
  out.ints("nodes", {1}, {2000000000});
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[] = {1000, 1000};
  H5Pset_chunk(plan, 2, chunk);
  out.dataset("p_x", {2000000000, 2000000}, std::vector<double>{}, H5T_NATIVE_DOUBLE,
              H5T_NATIVE_DOUBLE, plan);
  H5Pclose(plan);
  const std::string message = refusal(read_hdf5(out.bytes()));
  EXPECT_EQ(message.find("'p_x' claims 4000000000000000 values, more than the file of "), 0u)
      << message;
}

TEST(Hdf5Mesh, ends_in_groups_that_hold_themselves) {
  Op2File out;
  out.ints("nodes", {1}, {3});
  H5Gclose(H5Gcreate2(out.file(), "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_hard(out.file(), "/", out.file(), "/a/b", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_NE(refusal(read_hdf5(out.bytes())).find("lies more than 16 deep"), std::string::npos);
  EXPECT_EQ(hdf5::open_objects(), 0u);
}

TEST(Hdf5Mesh, is_told_by_its_signature) {
  EXPECT_FALSE(is_hdf5({}));
  EXPECT_FALSE(is_hdf5(as_bytes("6 2 1 6\n0 0\n")));
  EXPECT_EQ(refusal(read_hdf5(as_bytes("6 2 1 6\n0 0\n"))),
            "no HDF5 file: its signature is missing");
  Bytes block(512);
  append(block, write_hdf5(two_squares()).value());
  EXPECT_TRUE(is_hdf5(block)) << "after a user block";
}

TEST(Hdf5Mesh, leaves_the_program_s_own_error_handler_in_place) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data = nullptr, *data_after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  ::testing::internal::CaptureStderr();
  Bytes image = write_hdf5(two_squares()).value();
  image.resize(image.size() / 2);
  EXPECT_FALSE(read_hdf5(image));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  EXPECT_EQ(before, after);
}

TEST(Hdf5Mesh, is_read_by_several_threads) {
  const MeshFile mesh = make_naca0012({10, 10}).value();
  const Bytes image = write_hdf5(mesh).value();
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int& count : right)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto again = read_hdf5(image);
        count += again && same(mesh, *again);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, (std::vector<int>{20, 20, 20, 20}));
}

}  // namespace
}  // namespace kiln::mesh
