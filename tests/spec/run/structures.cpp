// Structures in specification files: what they are laid out as, and that kernels get them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "schedule/co_run.hpp"
#include "spec/run/arrays.hpp"
#include "spec/run/job.hpp"
#include "spec/run_spec.hpp"
#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `item` of the kernel below.
constexpr const char* item_fields =
    R"~([{"type": "uchar", "name": "tag"}, {"type": "float3", "name": "at"},
         {"type": "struct", "name": "in", "fields": [{"type": "short", "count": 2}, {"type": "int"}]},
         {"type": "double", "name": "w"}])~";
constexpr const char* kernel_text = R"~(
typedef struct { uchar tag; float3 at; struct { short s[2]; int i; } in; double w; } item;
typedef struct { int add; float4 by; uchar raw[3]; } plan;
kernel void move(global const item* a, global item* b, plan p, local item* t) {
  int i = get_global_id(0);
  t[get_local_id(0)] = a[i];
  item r = t[get_local_id(0)];
  r.at += p.by.xyz;
  r.in.i += p.add + p.raw[2];
  b[i].tag = r.tag;
  b[i].at = r.at;
  b[i].in = r.in;
  b[i].w = r.w;
}
)~";

std::string move_spec(
    const std::string& plan = R"~("fields": [{"type": "int", "value": "dataset - 63"},
      {"type": "float4", "value": ["dataset", 0.5, 2, -1]},
      {"type": "uchar", "count": 3, "value": [7, 8, 9]}])~") {
  const std::string item = R"~("type": "struct", "fields": )~" + std::string(item_fields);
  return R"~({"name": "move", "src": "move.cl", "workDimension": 1, "globalWorkSize": "[dataset]",
  "localWorkSize": [8],
  "inputBuffers": [{"pos": 0, )~" +
         item + R"~(, "size": "dataset", "break": 1}],
  "outputBuffers": [{"pos": 1, )~" +
         item + R"~(, "size": "dataset", "break": 1}],
  "varArguments": [{"pos": 2, "type": "struct", )~" +
         plan + R"~(}],
  "localArguments": [{"pos": 3, "type": "struct", "bytes": 64, "size": 8}]})~";
}

struct alignas(16) Item {
  std::uint8_t tag;
  alignas(16) float at[4];
  struct {
    std::int16_t s[2];
    std::int32_t i;
  } in;
  double w;
};
static_assert(sizeof(Item) == 48);

TEST(Structures, are_laid_out_as_opencl_does) {
  const auto bound = bound_of(move_spec(), set("dataset", expr::Value(64)));
  ASSERT_EQ(bound.arguments.size(), 4u);
  EXPECT_EQ(bound.arguments[0].type.bytes(), sizeof(Item));
  EXPECT_EQ(bound.arguments[0].bytes, 64 * sizeof(Item));
  EXPECT_EQ(bound.arguments[0].type.opencl_name(),
            "struct {uchar, float3, struct {short[2], int}, double}");
  EXPECT_EQ(bound.arguments[3].bytes, 8 * 64u);
  const auto& plan = bound.arguments[2].value;
  ASSERT_EQ(plan.size(), 48u);
  std::array<float, 4> by;
  std::memcpy(&by, plan.data() + 16, sizeof by);
  EXPECT_THAT(by, ElementsAre(64.0f, 0.5f, 2.0f, -1.0f));
  EXPECT_EQ(plan[0], std::byte{1});
  EXPECT_EQ(plan[34], std::byte{9});
}

TEST(Structures, packed_ones_have_no_padding_and_bytes_stand_for_themselves) {
  const auto packed = bound_of(move_spec(
      R"~("packed": true, "fields": [{"type": "char", "value": -1}, {"type": "int", "value": 2}])~"));
  EXPECT_THAT(packed.arguments[2].value,
              ElementsAre(std::byte{255}, std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}));
  const auto raw = bound_of(move_spec(R"~("bytes": [1, "dataset / 1024 + 1", 255])~"));
  EXPECT_THAT(raw.arguments[2].value, ElementsAre(std::byte{1}, std::byte{2}, std::byte{255}));
}

TEST(Structures, members_of_unknown_alignment_are_taken_where_it_changes_nothing) {
  const Type eight = Type::opaque_structure(8), character(Scalar::i8), real(Scalar::f64);
  const auto laid_out = [](std::vector<Type> types) {
    std::vector<StructField> fields;
    for (const Type& type : types) fields.push_back({"", type});
    return Type::structure(std::move(fields), Type::Packing::natural);
  };
  EXPECT_EQ(value_or_throw(laid_out({eight, real})).bytes(), 16u);
  EXPECT_EQ(value_or_throw(laid_out({real, eight})).bytes(), 16u);
  for (const auto& types : {std::vector{character, eight}, std::vector{eight, character}}) {
    const auto refused = laid_out(types);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("its alignment decides the layout"));
  }
}

TEST(Structures, too_deep_ones_are_refused) {
  std::string fields = R"~([{"type": "int"}])~";
  for (int i = 0; i < 20; ++i) fields = R"~([{"type": "struct", "fields": )~" + fields + "}]";
  const auto errors = errors_in(with(small, R"~({"pos": 0, "type": "float")~",
                                     R"~({"pos": 0, "type": "struct", "fields": )~" + fields));
  EXPECT_THAT(errors, ElementsAre(HasSubstr("more than 16 deep")));
}

TEST(Structures, random_data_are_those_of_each_member_and_differences_name_it) {
  const auto type = bound_of(move_spec()).arguments[0].type;
  std::vector<Item> items(100), same(100);
  fill_random(std::as_writable_bytes(std::span(items)), type, 1, 0);
  fill_random(std::as_writable_bytes(std::span(same)), type, 1, 0);
  EXPECT_EQ(std::memcmp(items.data(), same.data(), items.size() * sizeof(Item)), 0);
  double sum = 0;
  for (const auto& item : items) {
    EXPECT_LT(item.tag, 128);
    EXPECT_GE(item.w, 0);
    EXPECT_LT(item.w, 1);
    EXPECT_LT(item.in.s[1], 4096);
    sum += item.w;
  }
  EXPECT_NEAR(sum / 100, 0.5, 0.2);
  EXPECT_NE(items[0].in.s[0], items[0].in.s[1]);
  same[7].in.i += 1;
  const auto difference =
      first_difference(type, std::as_bytes(std::span(items)), std::as_bytes(std::span(same)), 0);
  EXPECT_THAT(difference, HasSubstr("in.field 1, element 7"));
  // Padding says nothing.
  same = items;
  reinterpret_cast<std::byte*>(same.data())[1] = std::byte{77};
  EXPECT_EQ(
      first_difference(type, std::as_bytes(std::span(items)), std::as_bytes(std::span(same)), 0),
      "");
}

class StructuresRun : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
    value_or_throw(write_file(folder_.path() / "move.cl", as_bytes(kernel_text)));
  }
  std::filesystem::path write(const std::string& text) {
    value_or_throw(write_file(folder_.path() / "move.json", as_bytes(text)));
    return folder_.path() / "move.json";
  }
  /// Runs it on one device; the error's message where it does not.
  std::string run(const std::string& text) {
    try {
      const auto spec = value_or_throw(load_spec(write(text)));
      const auto bound = value_or_throw(bind(spec, {{}, {{"dataset", expr::Value(64)}}}));
      arrays_ = value_or_throw(Arrays::make(bound, 0, {}));
      const auto device = value_or_throw(all_devices()).front();
      const Queue queue(Context::create({device}), device);
      CoRun run(off_, {queue},
                value_or_throw(
                    make_job(spec, bound, value_or_throw(load_kernel_source(spec, {})), arrays_)),
                {});
      check_job_types(bound, run.job(), off_, queue);
      run.run_on(0);
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  }
  template <class T>
  std::span<const T> as(std::uint32_t position) {
    const auto view = arrays_.at(position).view();
    return {reinterpret_cast<const T*>(view.data()), view.size() / sizeof(T)};
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-struct"));
  Resolver off_{nullptr};
  Arrays arrays_;
};

TEST_F(StructuresRun, reach_the_kernel) {
  ASSERT_EQ(run(move_spec()), "");
  const auto a = as<Item>(0), b = as<Item>(1);
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_EQ(b[i].tag, a[i].tag);
    ASSERT_EQ(b[i].at[0], a[i].at[0] + 64);
    ASSERT_EQ(b[i].in.i, a[i].in.i + 1 + 9);
    ASSERT_EQ(b[i].w, a[i].w);
  }
}

TEST_F(StructuresRun, of_another_size_than_the_kernels_are_refused_with_both) {
  EXPECT_EQ(
      run(move_spec(R"~("fields": [{"type": "int", "value": 1}])~")),
      "argument 2 of kernel move: a value of 4 bytes is given; the kernel takes a value of 48 "
      "bytes (plan p)");
  EXPECT_EQ(
      run(move_spec(R"~("bytes": [1, 2, 3])~")),
      "argument 2 of kernel move: a value of 3 bytes is given; the kernel takes a value of 48 "
      "bytes (plan p)");
  auto text = move_spec();
  text.replace(text.find("uchar"), 5, "ulong8");
  EXPECT_EQ(run(text),
            "argument 0 of kernel move: a buffer with elements of 128 bytes is given; the kernel "
            "takes a __global buffer with elements of 48 bytes (item* a)");
  // As it was before files could say structures: a scalar for one.
  for (const char* type : {"char", "float", "float8"}) {
    const std::string value = std::string(type) == "float8" ? "[1,2,3,4,5,6,7,8]" : "1";
    const auto scalar = with(move_spec("SCALAR"), R"~("type": "struct", SCALAR)~",
                             "\"type\": \"" + std::string(type) + "\", \"value\": " + value);
    EXPECT_THAT(run(scalar), HasSubstr("the kernel takes a value of 48 bytes (plan p)")) << type;
  }
}

TEST_F(StructuresRun, a_typedef_of_another_kind_is_refused) {
  value_or_throw(write_file(folder_.path() / "move.cl",
                            as_bytes("typedef float real; kernel void move(global real* y, real r) "
                                     "{ y[get_global_id(0)] = r; }")));
  const auto spec = [](const char* type) {
    return R"~({"name": "move", "src": "move.cl", "workDimension": 1, "globalWorkSize": "[64]",
      "outputBuffers": [{"pos": 0, "type": "float", "size": 64, "break": 1}],
      "varArguments": [{"pos": 1, "type": ")~" +
           std::string(type) + R"~(", "value": 1}]})~";
  };
  EXPECT_EQ(run(spec("float")), "");
  EXPECT_EQ(run(spec("int")),
            "argument 1 of kernel move: found a value of type int, expected real r");
  EXPECT_THAT(run(spec("double")), HasSubstr("the kernel takes a value of 4 bytes (real r)"));
}

TEST_F(StructuresRun, buffers_of_them_are_split_and_verified) {
  const Runtime runtime({.devices = "cpu/2", .store = "off"});
  if (Runtime({.devices = "cpu", .store = "off"}).devices().front().compute_units < 2)
    GTEST_SKIP() << "one compute unit: nothing to split";
  // 72 are 9 work-groups: no cut is a multiple of 128 bytes.
  std::vector<std::string> outcomes;
  for (const auto& verdict :
       verify(runtime, write(move_spec()), {.set_if = {{"dataset", 72}}, .splits = {"5", "3"}}))
    outcomes.push_back(verdict.outcome + verdict.reason);
  EXPECT_THAT(outcomes, ElementsAre("equal", "equal"));
}

TEST_F(StructuresRun, npy_files_of_them_are_bytes) {
  ASSERT_EQ(run(move_spec()), "");
  const auto bound = bound_of(move_spec(), set("dataset", expr::Value(64)));
  const auto file = folder_.path() / "b.npy";
  value_or_throw(save_npy(bound.arguments[1], arrays_.at(1).view(), file));
  EXPECT_EQ(value_or_throw(compare_with_npy(bound.arguments[1], arrays_.at(1).view(), file, 0)),
            "");
  const auto again = value_or_throw(Arrays::make(bound, 0, {{0, InputData(file)}}));
  EXPECT_EQ(std::memcmp(again.at(0).data(), arrays_.at(1).data(), 64 * sizeof(Item)), 0);
}

}  // namespace
}  // namespace kiln::spec
