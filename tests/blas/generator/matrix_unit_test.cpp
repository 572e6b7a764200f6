// Kernels for Hopper's matrix units: their text, the tiles that they accept, and which devices get
// them. Their results are held against references where there is such a device (bench/blas).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "blas/machine.hpp"

namespace kiln::blas::testing {
namespace {

Request request_for(const MatrixUnitPayload& payload) {
  Request request;
  request.family = MatrixUnitGenerator().family();
  request.payload = payload;
  return request;
}

std::vector<MatrixUnitPayload> payloads() {
  std::vector<MatrixUnitPayload> all;
  for (const std::int64_t rows : {64, 128, 256}) {
    for (const Storage factors : {Storage::half, Storage::bfloat16})
      for (const Storage result : {Storage::native, Storage::half, Storage::bfloat16})
        for (const bool first : {false, true})
          for (const bool second : {false, true})
            all.push_back({factors, result, first, second, rows});
    for (const Storage result : {Storage::native, Storage::int32, Storage::int8})
      all.push_back({Storage::int8, result, true, true, rows});
    // What comes after, each part of it.
    const auto add = [&](Epilogue after, Storage bias, Storage scale, Storage residual) {
      for (const Storage result : {Storage::native, Storage::half})
        all.push_back({Storage::half, result, false, false, rows, after, bias, scale, residual});
    };
    using enum Storage;
    for (const Along along : {Along::rows, Along::columns}) {
      add({along, Along::none, Activation::none, false}, half, native, native);
      add({along, Along::none, Activation::none, false}, native, native, native);
      add({Along::none, along, Activation::none, false}, native, half, native);
    }
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::silu})
      add({Along::none, Along::none, activation, false}, native, native, native);
    add({Along::none, Along::none, Activation::none, true}, native, native, half);
    add({Along::none, Along::none, Activation::none, true}, native, native, bfloat16);
  }
  return all;
}

/// What a line "#define NAME value" says.
std::string macro(const std::string& text, const std::string& name) {
  const std::string line = "#define " + name + " ";
  const std::size_t at = text.find(line);
  if (at == text.npos) return "";
  return text.substr(at + line.size(), text.find('\n', at) - at - line.size());
}

TEST(MatrixUnits, accept_their_defaults_which_fit_into_the_local_memory_of_a_work_group) {
  const MatrixUnitGenerator generator;
  for (const auto& payload : payloads()) {
    const auto request = request_for(payload);
    const Parameters tiles = generator.defaults(request);
    EXPECT_TRUE(generator.accepts(request, tiles));
    const std::string text = generator.generate(request, tiles);
    EXPECT_LE(std::stoi(macro(text, "LOCAL_BYTES")), 232448);
    // Stages, two barriers for each, and two tensor maps.
    EXPECT_EQ(std::stoll(macro(text, "LOCAL_BYTES")),
              tiles.get("stages", 0) * ((payload.rows + 128) * 128 + 16) + 256);
    EXPECT_EQ(std::stoll(macro(text, "SUM_COUNT")), payload.rows / 2);
    const std::string last = "sum" + std::to_string(payload.rows / 2 - 1) + "\"";
    EXPECT_TRUE(macro(text, "SUMS").ends_with(last)) << macro(text, "SUMS");
  }
}

TEST(MatrixUnits, refuse_what_the_instructions_do_not_have) {
  const MatrixUnitGenerator generator;
  const auto accepts = [&](MatrixUnitPayload payload, Parameters parameters) {
    return generator.accepts(request_for(payload), parameters);
  };
  const Parameters good{{"stages", 4}, {"strip", 8}};
  EXPECT_TRUE(accepts({}, good));
  EXPECT_FALSE(accepts({.rows = 192}, good));
  EXPECT_FALSE(accepts({.factors = Storage::e4m3}, good));
  EXPECT_FALSE(accepts({.factors = Storage::native}, good));
  // Integers lie along the depth.
  EXPECT_FALSE(accepts({Storage::int8, Storage::int32, true, false}, good));
  EXPECT_FALSE(accepts({}, {{"stages", 5}, {"strip", 8}}));  // more local memory than there is
  EXPECT_FALSE(accepts({}, {{"stages", 1}, {"strip", 8}}));
  EXPECT_FALSE(accepts({}, {{"stages", 4}, {"strip", 0}}));
  // Nothing becomes of integers.
  const Epilogue bias{Along::rows, Along::none, Activation::none, false};
  EXPECT_TRUE(accepts({Storage::int8, Storage::native, true, true, 256, bias}, good));
  EXPECT_FALSE(accepts({Storage::int8, Storage::int32, true, true, 256, bias}, good));
  // Remainders are of sums of integers alone.
  EXPECT_TRUE(accepts({Storage::int8, Storage::int8, true, true}, good));
  EXPECT_FALSE(accepts({Storage::int8, Storage::int8, true, true, 256, bias}, good));
  EXPECT_FALSE(accepts({Storage::half, Storage::int8, true, true}, good));
}

TEST(MatrixUnits, have_an_instruction_for_each_kind_of_factors) {
  const auto instruction = [](const MatrixUnitPayload& payload) {
    const MatrixUnitGenerator generator;
    const auto request = request_for(payload);
    const std::string text = generator.generate(request, generator.defaults(request));
    return macro(text, "INSTRUCTION") + " " + macro(text, "FLAGS");
  };
  // The second factor comes first; 1 says that it lies across the depth.
  EXPECT_EQ(instruction({Storage::half, Storage::half, true, false, 256}),
            R"("m64n256k16.f32.f16.f16" ", 1, 1, 1, 0")");
  EXPECT_EQ(instruction({Storage::bfloat16, Storage::native, false, true, 64}),
            R"("m64n64k16.f32.bf16.bf16" ", 1, 1, 0, 1")");
  EXPECT_EQ(instruction({Storage::int8, Storage::int32, true, true, 128}),
            R"("m64n128k32.s32.s8.s8" "")");
}

TEST(MatrixUnits, have_a_text_that_differs_with_all_that_is_asked_for) {
  const MatrixUnitGenerator generator;
  std::set<std::string> texts;
  std::set<std::string> keys;
  for (const auto& payload : payloads()) {
    const auto request = request_for(payload);
    texts.insert(generator.generate(request, generator.defaults(request)));
    std::string key;
    for (const auto& fact : request.payload.facts())
      std::visit([&](const auto& value) { key += fmt::format("{}={} ", fact.name, value); },
                 fact.value);
    keys.insert(key);
  }
  EXPECT_EQ(texts.size(), payloads().size());
  EXPECT_EQ(keys.size(), payloads().size());
}

// So that their Keys stay what they were.
TEST(MatrixUnits, name_what_comes_after_only_where_something_does) {
  EXPECT_EQ(facts_of(MatrixUnitPayload{}).size(), 5u);
  MatrixUnitPayload payload;
  payload.after.activation = Activation::gelu;
  EXPECT_EQ(facts_of(payload).size(), 6u);
}

// No instruction of sm_90a alone stands without a mark.
TEST(MatrixUnits, hide_what_the_source_compiler_does_not_take_behind_marks) {
  const MatrixUnitGenerator generator;
  MatrixUnitPayload payload;
  payload.after = {Along::rows, Along::columns, Activation::gelu, true};
  const auto request = request_for(payload);
  std::istringstream text(generator.generate(request, generator.defaults(request)));
  for (std::string line; std::getline(text, line);)
    for (const char* word : {"wgmma.", "setmaxnreg.", "mbarrier.", "fence.proxy", "tensormap."}) {
      const std::size_t at = std::min(line.find(word), line.size());
      EXPECT_TRUE(at == line.size() || line.find("PTX(") < at || line.find("//") < at ||
                  line.find("#define REPLACE(") < at)
          << line;
    }
}

TEST(MatrixUnits, are_those_of_one_architecture) {
  const Device& here = Machine::get().device();
  if (here.type == Device::Type::cpu) {
    EXPECT_FALSE(has_matrix_units(here));
  }
  Device other;
  other.vendor = "Made-up";
  EXPECT_FALSE(has_matrix_units(other));
}

}  // namespace
}  // namespace kiln::blas::testing
