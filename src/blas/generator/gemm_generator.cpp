#include "blas/generator/gemm_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "blas/call/call.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/generator/template_generator.hpp"

namespace kiln::blas {

GemmTiles GemmTiles::of(const Parameters& parameters) {
  const auto get = [&](const char* name) {
    return static_cast<std::size_t>(parameters.get(name, 1));
  };
  return {get("rows"), get("columns"), get("depth")};
}

namespace {

Fact part(const char* name, auto value) { return {name, static_cast<std::int64_t>(value)}; }

}  // namespace

Facts parts_of(const Epilogue& after, Storage bias, Storage scale, Storage residual) {
  return {part("bias", after.bias),
          part("bias_kind", bias),
          part("scale", after.scale),
          part("scale_kind", scale),
          part("activation", after.activation),
          part("residual", after.residual),
          part("residual_kind", residual)};
}

Facts parts_of(const ProductForm& product) {
  Facts parts{part("first", product.first), part("second", product.second),
              part("result", product.result), part("grouped_first", product.grouped_first),
              part("grouped_second", product.grouped_second)};
  for (Fact& fact : parts_of(product.after, product.bias, product.scale, product.residual))
    parts.push_back(std::move(fact));
  parts.push_back(part("gated", product.gated));
  return parts;
}

std::string gemm_form(const Device& device, const ProductForm& product) {
  if (device.type == Device::Type::cpu)
    return !product.is_integer() ? "cpu"
           : device.vnni         ? "cpu_vnni"
           : device.avx2         ? "cpu_pairs"
                                 : "cpu";
  const auto has_room_for = [&](std::string_view form) {
    return device.max_work_group_size >= gpu_form(form).threads &&
           device.local_memory >= gpu_form(form).local_memory;
  };
  if (!has_room_for("gpu")) return has_room_for("gpu32") ? "gpu32" : "gpu_small";
  const auto [architecture, version] = nvidia_compute_capability(device);
  if (architecture == 9 && version == 0) return "sm90a";
  return architecture >= 9 ? "sm90" : architecture == 8 ? "sm80" : "gpu";
}

namespace {

/// What a Request asks for, and what follows from it.
struct GemmFacts : GemmPayload {
  explicit GemmFacts(const Request& request)
      : GemmPayload(request.payload.as<GemmPayload>()),
        lanes(static_cast<std::size_t>(std::clamp<std::int64_t>(
            is_double(precision) ? native_floats / 2 : native_floats, 2, 16))) {}
  /// Whether the tile is computed by the matrix units of NVIDIA devices.
  bool by_matrix_units() const { return form.starts_with("sm90") && is_double(precision); }
  /// Whether a warp of its own feeds the others (the template product_producer).
  bool has_producer() const { return gpu_form(form).producers != 0; }
  /// Whether panels hold bytes.
  bool by_bytes() const { return units_of_four_bytes(form) != 0 && product.is_integer(); }
  bool by_pairs_of_bytes() const { return by_bytes() && units_of_four_bytes(form) == 2; }
  /// Whether floats hold integer sums, exactly as far as a block of the depth goes.
  bool sums_in_floats() const { return form == "cpu" && product.is_integer(); }
  /// Reals by which a line of local memory is longer, so that the lanes of a fragment of the matrix
  /// units have no bank conflicts.
  int pad() const { return by_matrix_units() ? (is_complex(precision) ? 2 : 4) : 0; }
  /// The text that packs a factor into panels. `kind`, `grouped`: macros that say how it lies.
  std::string pack(const char* name, std::size_t width, const char* kind,
                   const char* grouped) const {
    return fmt::format("#define PACK {}\n#define WIDTH {}\n#define KIND {}\n#define GROUPED {}\n",
                       name, width, kind, grouped) +
           std::string(template_text(by_bytes()          ? "pack_bytes"
                                     : is_cpu_form(form) ? "pack"
                                                         : "pack_gpu"));
  }
  std::string packs(const GemmTiles& tiles) const {
    const auto flip = [&](const char* bits) {
      return by_bytes() ? fmt::format("#define FLIP {}\n", bits) : "";
    };
    return flip("(int)0x80808080") + pack("pack_first", tiles.rows, "FIRST", "GROUPED_FIRST") +
           flip("0") + pack("pack_second", tiles.columns, "SECOND", "GROUPED_SECOND") +
           std::string(is_cpu_form(form) ? "" : template_text("pack_both"));
  }
  std::string_view if_special(const char* name) const {
    return product.is_special() ? template_text(name) : std::string_view();
  }

  std::size_t lanes;  ///< of a vector
};

std::string macros_of(const GemmFacts& facts) {
  Facts all = parts_of(facts.product);
  all.push_back({"integer", std::int64_t{facts.product.is_integer()}});
  all.push_back({"special", std::int64_t{facts.product.is_special()}});
  all.push_back({"vector_epilogue", std::int64_t{is_cpu_form(facts.form)}});
  if (is_cpu_form(facts.form))
    all.push_back({"vnni", std::int64_t{facts.by_bytes() && !facts.by_pairs_of_bytes()}});
  if (facts.product.flipped) all.push_back({"flipped", std::int64_t{1}});
  std::string text;
  for (const Fact& fact : all)
    text += fmt::format("#define {} {}\n", capitals(fact.name), std::get<std::int64_t>(fact.value));
  return text;
}

Parameters cpu_defaults(const GemmFacts& facts) {
  const bool wide = facts.native_floats >= 16;  // 32 vector registers, elsewhere 16
  const bool complex = is_complex(facts.precision);
  const std::int64_t vectors = complex && !wide ? 1 : 2;
  // Of pairs of bytes a tile needs registers for the halves of a vector, too.
  return {{"rows", vectors * static_cast<std::int64_t>(facts.lanes)},
          {"columns", wide && !complex            ? 12
                      : facts.by_pairs_of_bytes() ? 4
                                                  : 6},
          {"depth", facts.by_bytes()                                ? 1024
                    : (complex ? wide : is_double(facts.precision)) ? 256
                                                                    : 512}};
}

/// Bytes of local memory that a product's stages take.
std::int64_t stage_bytes(const GemmFacts& facts, const Parameters& parameters) {
  return parameters.get("stages", 0) * parameters.get("depth", 0) *
         (parameters.get("rows", 0) + parameters.get("columns", 0) + 2 * facts.pad()) *
         static_cast<std::int64_t>(size_of(facts.precision));
}

/// Tiles for large results on Hopper, with stages in all of a compute unit's local memory; found by
/// kiln tune (docs/performance.md).
Parameters hopper_defaults(const GemmFacts& facts) {
  const bool complex = is_complex(facts.precision);
  if (!is_double(facts.precision))
    return {{"rows", complex ? 64 : 128}, {"columns", 128}, {"depth", 32}, {"stages", 4}};
  if (complex) return {{"rows", 64}, {"columns", 128}, {"depth", 8}, {"stages", 6}};
  return {{"rows", 64}, {"columns", 256}, {"depth", 16}, {"stages", 3}};
}

/// Tiles that a work-group's registers hold, with stages that fit into 48 KiB of local memory.
Parameters large_gpu_defaults(const GemmFacts& facts) {
  const bool complex = is_complex(facts.precision);
  if (facts.has_producer() && !facts.small) return hopper_defaults(facts);
  if (facts.by_matrix_units() && facts.small)
    return {{"rows", 64}, {"columns", 64}, {"depth", complex ? 4 : 8}, {"stages", 3}};
  if (facts.by_matrix_units())
    return {
        {"rows", 64}, {"columns", 128}, {"depth", complex ? 4 : 12}, {"stages", complex ? 3 : 2}};
  if (is_double(facts.precision))
    return {{"rows", 64}, {"columns", complex ? 64 : 128}, {"depth", 4}, {"stages", 2}};
  if (complex)
    return {{"rows", 64}, {"columns", facts.small ? 64 : 128}, {"depth", 8}, {"stages", 4}};
  if (facts.has_producer()) return {{"rows", 64}, {"columns", 128}, {"depth", 32}, {"stages", 4}};
  if (facts.small) return {{"rows", 64}, {"columns", 64}, {"depth", 32}, {"stages", 2}};
  return {{"rows", 128}, {"columns", 128}, {"depth", 16}, {"stages", 2}};
}

/// The same for a device's form, which may have less.
Parameters gpu_defaults(const GemmFacts& facts) {
  if (facts.form == "gpu_small")
    return {{"rows", 32},
            {"columns", 32},
            {"depth", is_double(facts.precision) ? 4 : 8},
            {"stages", 2}};
  Parameters parameters = large_gpu_defaults(facts);
  const auto bound = static_cast<std::int64_t>(gpu_form(facts.form).stage_memory);
  while (stage_bytes(facts, parameters) > bound) {
    const char* const which = parameters.get("stages", 0) > 2 ? "stages" : "depth";
    parameters.set(which, parameters.get(which, 0) - (*which == 's' ? 1 : 4));
  }
  return parameters;
}

const char* tasks_of(GemmPayload::Kernels kernels) {
  using enum GemmPayload::Kernels;
  return kernels == solve ? "solve_tasks" : kernels == deep ? "deep_parts" : "product_tasks";
}

std::string cpu_text(const GemmFacts& facts, const GemmTiles& tiles) {
  return fmt::format(
      "#define LANES {}\n#define ROWS {}\n#define COLUMNS {}\n{}{}{}{}{}{}{}{}{}{}{}", facts.lanes,
      tiles.rows, tiles.columns, template_text("factor"), template_text("cpu_vectors"),
      template_text(facts.by_bytes() ? "byte_quads" : "real_panels"), facts.packs(tiles),
      template_text("cpu_tile_loops"), facts.if_special("epilogue"), facts.if_special("cpu_finish"),
      template_text(facts.by_bytes() ? "byte_tile" : "cpu_tile"), template_text("tasks"),
      template_text(tasks_of(facts.kernels)), facts.if_special("cpu_finish_only"));
}

std::string gpu_text(const GemmFacts& facts, const Parameters& parameters) {
  const GemmTiles tiles = GemmTiles::of(parameters);
  const std::int64_t stages = parameters.get("stages", 2);
  std::string text = fmt::format(
      "#define ROWS {}\n#define COLUMNS {}\n#define STEP {}\n#define STAGES {}\n#define PAD {}\n"
      "#define THREADS {}\n#define ASYNC {}\n",
      tiles.rows, tiles.columns, tiles.depth, stages, facts.pad(), gpu_form(facts.form).threads,
      facts.form.starts_with("sm") ? 1 : 0);
  if (facts.has_producer())
    text += fmt::format("#define LOCAL_BYTES {}\n", stage_bytes(facts, parameters) + 16 * stages);
  text += template_text("square_lines");
  text += facts.packs(tiles);
  text += facts.if_special("epilogue");
  text += template_text("product_gpu");
  text += template_text(facts.by_matrix_units() ? "product_mma" : "product_simt");
  if (facts.has_producer()) text += template_text("copy_barriers");
  text += template_text(facts.has_producer() ? "product_producer" : "product_copies");
  return text + std::string(template_text("product_walk"));
}

}  // namespace

Facts facts_of(const GemmPayload& gemm) {
  Facts facts{{"precision", std::string(1, letter(gemm.precision))},
              {"form", gemm.form},
              {"small", std::int64_t{gemm.small}},
              {"native_floats", gemm.native_floats}};
  if (gemm.kernels == GemmPayload::Kernels::solve) facts.push_back({"solves", std::int64_t{1}});
  if (gemm.kernels == GemmPayload::Kernels::deep) facts.push_back({"deep", std::int64_t{1}});
  if (gemm.product.flipped) facts.push_back({"flipped", std::int64_t{1}});
  // What is as usual is not named, so that more kinds of products change no Key of the others.
  for (Fact& part : parts_of(gemm.product))
    if (std::get<std::int64_t>(part.value) != 0) facts.push_back(std::move(part));
  return facts;
}

std::int64_t GemmGenerator::version() const {
  constexpr std::int64_t own = 12;  // raised when the code of this file changes
  constexpr const char* parts[] = {"prelude",
                                   "gate",
                                   "stored",
                                   "matrix_element",
                                   "factor",
                                   "cpu_vectors",
                                   "real_panels",
                                   "byte_quads",
                                   "pack_bytes",
                                   "byte_tile",
                                   "pack",
                                   "epilogue",
                                   "cpu_tile_loops",
                                   "cpu_finish",
                                   "cpu_tile",
                                   "cpu_finish_only",
                                   "tasks",
                                   "product_tasks",
                                   "solve_tasks",
                                   "deep_parts",
                                   "square_lines",
                                   "pack_gpu",
                                   "pack_both",
                                   "product_gpu",
                                   "product_mma",
                                   "product_simt",
                                   "product_copies",
                                   "copy_barriers",
                                   "product_producer",
                                   "product_walk"};
  static const std::int64_t version = [&] {
    std::int64_t of = own;
    for (const char* part : parts) of = version_of(of, {template_mark(part)});
    return of;
  }();
  return version;
}

Parameters GemmGenerator::defaults(const Request& request) const {
  const GemmFacts facts(request);
  return is_cpu_form(facts.form) ? cpu_defaults(facts) : gpu_defaults(facts);
}

bool GemmGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const GemmFacts facts(request);
  const auto lanes = static_cast<std::int64_t>(facts.lanes);
  const auto rows = parameters.get("rows", 0), columns = parameters.get("columns", 0),
             depth = parameters.get("depth", 0), stages = parameters.get("stages", 0);
  if (is_cpu_form(facts.form))
    return rows >= lanes && rows <= 8 * lanes && rows % lanes == 0 && columns >= 1 &&
           columns <= 32 && depth >= 8 && depth <= (facts.sums_in_floats() ? 1024 : 4096);
  // A work-group has 4 x 2 warps of pieces of 4 x 4 (of 64 work-items 2 x 1), or 2 x 4 of fragments
  // of 16 x 8.
  const GpuForm form = gpu_form(facts.form);
  const std::int64_t least = form.threads == 64 ? 32 : 64;
  return rows >= least && rows <= 4 * least && rows % least == 0 && columns >= least &&
         columns <= 4 * least && columns % least == 0 && depth >= 4 && depth <= 64 &&
         depth % 4 == 0 && stages >= 2 && stages <= 8 &&
         stage_bytes(facts, parameters) + 16 * stages * (form.producers != 0) <=
             static_cast<std::int64_t>(form.stage_memory);
}

std::string GemmGenerator::generate(const Request& request, const Parameters& parameters) const {
  const GemmFacts facts(request);
  const GemmTiles tiles = GemmTiles::of(parameters);
  return fmt::format("#define PRECISION {}\n#define ON_CPU {}\n", letter(facts.precision),
                     is_cpu_form(facts.form) ? 1 : 0) +
         macros_of(facts) + std::string(template_text("prelude")) +
         std::string(template_text("gate")) + std::string(template_text("stored")) +
         std::string(template_text("matrix_element")) +
         (is_cpu_form(facts.form) ? cpu_text(facts, tiles) : gpu_text(facts, parameters));
}

std::vector<std::string> GemmGenerator::classes_like(const std::string& problem_class) const {
  return blas::classes_like(problem_class);
}

}  // namespace kiln::blas
