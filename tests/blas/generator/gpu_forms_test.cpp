// Which form of the product a device gets by what it has, and that the form's kernels fit there.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "blas/api/library.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/machine.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas::testing {
namespace {

Device made_up(std::size_t group, cl_ulong local_memory) {
  Device device;
  device.name = "Made-up GPU";
  device.vendor = "Made-up";
  device.type = Device::Type::gpu;
  device.compute_units = 8;
  device.max_work_group_size = group;
  device.local_memory = local_memory;
  return device;
}

TEST(GpuForms, are_chosen_by_work_groups_and_local_memory) {
  constexpr cl_ulong kib = 1024;
  EXPECT_EQ(gemm_form(made_up(1024, 64 * kib)), "gpu");
  EXPECT_EQ(gemm_form(made_up(256, 48 * kib)), "gpu");
  EXPECT_EQ(gemm_form(made_up(256, 48 * kib - 1)), "gpu32");
  EXPECT_EQ(gemm_form(made_up(512, 32 * kib)), "gpu32");
  EXPECT_EQ(gemm_form(made_up(256, 30 * kib)), "gpu_small");
  EXPECT_EQ(gemm_form(made_up(255, 64 * kib)), "gpu_small");
  EXPECT_EQ(gemm_form(made_up(64, 32 * kib)), "gpu_small");
  Device cpu = made_up(1, 0);
  cpu.type = Device::Type::cpu;
  EXPECT_EQ(gemm_form(cpu), "cpu");
}

Request gemm_request(char precision, const std::string& form, bool small) {
  Request request;
  request.family = GemmGenerator().family();
  request.payload =
      GemmPayload{static_cast<Precision>(std::string_view("sdcz").find(precision)), form, small, 1};
  return request;
}

std::int64_t stage_bytes(char precision, const Parameters& tiles) {
  const std::int64_t element = precision == 's' ? 4 : precision == 'z' ? 16 : 8;
  return tiles.get("stages", 0) * tiles.get("depth", 0) *
         (tiles.get("rows", 0) + tiles.get("columns", 0)) * element;
}

TEST(GpuForms, have_default_tiles_that_fit_into_the_local_memory_that_they_are_chosen_by) {
  const GemmGenerator generator;
  for (const auto& [group, local] : {std::pair{256, 48 << 10}, {256, 32 << 10}, {64, 20 << 10}}) {
    const std::string form =
        gemm_form(made_up(static_cast<std::size_t>(group), static_cast<cl_ulong>(local)));
    EXPECT_LE(gpu_form(form).threads, static_cast<std::size_t>(group));
    for (const char precision : {'s', 'd', 'c', 'z'})
      for (const bool small : {false, true}) {
        const auto request = gemm_request(precision, form, small);
        const Parameters tiles = generator.defaults(request);
        EXPECT_TRUE(generator.accepts(request, tiles)) << form << precision;
        EXPECT_LE(stage_bytes(precision, tiles), local) << form << precision;
        EXPECT_GE(tiles.get("stages", 0), 2) << form << precision;
      }
  }
}

TEST(GpuForms, refuse_tiles_on_record_that_were_measured_with_more_local_memory) {
  const GemmGenerator generator;
  for (const char precision : {'s', 'c'}) {
    Parameters tiles = generator.defaults(gemm_request(precision, "gpu", false));
    if (precision == 's') {
      tiles.set("depth", 8);
      tiles.set("stages", 6);
    }
    EXPECT_EQ(stage_bytes(precision, tiles), 48 << 10);
    EXPECT_TRUE(generator.accepts(gemm_request(precision, "gpu", false), tiles));
    EXPECT_FALSE(generator.accepts(gemm_request(precision, "gpu32", false), tiles));
    EXPECT_FALSE(generator.accepts(gemm_request(precision, "gpu_small", false), tiles));
  }
}

TEST(GpuForms, of_hopper_have_stages_in_all_of_its_local_memory) {
  const GemmGenerator generator;
  for (const char precision : {'s', 'd', 'c', 'z'}) {
    const auto request = gemm_request(precision, "sm90a", false);
    Parameters tiles = generator.defaults(request);
    EXPECT_TRUE(generator.accepts(request, tiles)) << precision;
    EXPECT_GT(stage_bytes(precision, tiles), 48 << 10) << precision;
    EXPECT_FALSE(generator.accepts(gemm_request(precision, "sm90", false), tiles)) << precision;
    tiles.set("depth", 64);
    tiles.set("stages", 8);
    EXPECT_FALSE(generator.accepts(request, tiles)) << precision;
    const std::string text = generator.generate(request, generator.defaults(request));
    EXPECT_NE(text.find("cp.async.bulk"), std::string::npos) << precision;
  }
}

TEST(GpuForms, templates_take_work_groups_of_a_power_of_two) {
  EXPECT_EQ(work_group_of(made_up(1024, 0)), 256u);
  EXPECT_EQ(work_group_of(made_up(192, 0)), 128u);
  EXPECT_EQ(work_group_of(made_up(64, 0)), 64u);
}

TEST(GpuForms, a_device_with_too_little_for_any_is_refused_in_words) {
  const auto refusal = [](Routine routine, const Device& device) {
    Resolver resolver(nullptr, CompilePolicy::here);
    Call call;
    call.routine = routine;
    try {
      SequenceBuilder(call, nullptr, {std::make_shared<const Device>(device)}, resolver);
      return std::string();
    } catch (const Error& error) {
      return error.message();
    }
  };
  EXPECT_EQ(refusal(Routine::gemm, made_up(32, 32 << 10)),
            "Made-up GPU: found work-groups of 32 and 32768 bytes of local memory, BLAS needs 64 "
            "and 20480");
  EXPECT_NE(refusal(Routine::gemv, made_up(256, 1024)), "");
  EXPECT_EQ(refusal(Routine::gemm, made_up(64, 20 << 10)), "");
  EXPECT_EQ(refusal(Routine::axpy, made_up(1, 1024)), "");
}

/// Puts other Parameters on record once it has said its defaults, as a search in another thread may
/// between any two look-ups.
class Overtaken final : public GemmGenerator {
 public:
  Overtaken(Resolver& resolver, DevicePtr device)
      : resolver_(resolver), device_(std::move(device)) {}
  Parameters defaults(const Request& request) const override {
    const Parameters first = GemmGenerator::defaults(request);
    Parameters next = first;
    next.set("depth", first.get("depth", 0) / 2);  // which every form accepts
    if (depth_ == 0) {
      depth_ = next.get("depth", 0);
      resolver_.record(request, *device_, next);
    }
    return first;
  }
  /// On record since the first look-up.
  std::int64_t depth() const { return depth_; }

 private:
  Resolver& resolver_;
  DevicePtr device_;
  mutable std::int64_t depth_ = 0;
};

// Factors that are packed for tiles of one size and multiplied by tiles of another one give a wrong
// product.
TEST(GpuForms, kernels_and_geometry_of_a_product_are_of_one_choice_of_parameters) {
  const Machine& machine = Machine::get();
  for (const std::string form : {"gpu", "cpu"}) {
    Resolver resolver(nullptr, CompilePolicy::here);
    auto owned = std::make_unique<Overtaken>(resolver, machine.device_pointer());
    const Overtaken& generator = *owned;
    resolver.add(std::move(owned));
    Library library(resolver, form);
    Call call;
    call.routine = Routine::gemm;
    call.m = call.n = call.k = 300;
    for (const Slot matrix : {Slot::a, Slot::b, Slot::c}) call[matrix].stride = 300;
    const auto built = [&] {
      std::set<std::int64_t> depths;
      const auto sequence = library.build(call, {machine.queues()});
      for (const auto& one : sequence->explanations())
        depths.insert(one.parameters.parameters.get("depth", 0));
      EXPECT_EQ(depths.size(), 1u) << form;
      return *depths.begin();
    };
    // With many compute units the large tiles are looked up first, and overtaken, then the small.
    const std::int64_t first = built();
    EXPECT_TRUE(first == 2 * generator.depth() || first == generator.depth()) << form;
    EXPECT_EQ(built(), generator.depth()) << form;
  }
}

}  // namespace
}  // namespace kiln::blas::testing
