// The text of kernels on matrices, and such kernels in a record of calls.
#include "mesh/matrix/matrix_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

constexpr std::int64_t default_group = 128, default_sums = 2;

// Blocks of more rows or columns are no matrix of an application, but a lot of text.
constexpr std::int64_t most_in_block = 1 << 12, most_in_row = 1 << 30;

void fields(FactFields& to, RecordedMatrix& matrix) {
  constexpr auto types = [] {
    std::array<std::string_view, static_cast<std::size_t>(ScalarType::f64) + 1> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_of(static_cast<ScalarType>(i));
    return names;
  }();
  MatrixShape& shape = matrix.shape;
  std::int64_t row_length = std::llround(matrix.row_length);
  to.text("kernel", matrix.kernel, "a kernel's name");
  to.choice<ScalarType>("type", shape.type, types, {}, "OpenCL C's scalar types");
  to.integer("row_dim", shape.row_dim, 1, most_in_block);
  to.integer("column_dim", shape.column_dim, 1, most_in_block);
  to.integer("x_soa", shape.x_soa, 0, 1);
  to.integer("y_soa", shape.y_soa, 0, 1);
  to.integer("row_length", row_length, 0, most_in_row);
  to.integer("rows", matrix.rows, 0, most_in_row * 2 - 1);
  matrix.row_length = static_cast<double>(row_length);
}

}  // namespace

Parameters MatrixGenerator::defaults(const Request& request) const {
  const auto& matrix = request.payload.as<MatrixPayload>();
  if (matrix.cpu) return {{"FORM", 0}, {"SUMS", default_sums}};
  // Half of a row's length: what a work-item reads ahead covers the rest.
  const auto lanes = std::clamp<std::int64_t>(matrix.row_length / 2, 1, 32);
  return {{"FORM", 1}, {"GROUP", default_group}, {"LANES", lanes}};
}

bool MatrixGenerator::accepts(const Request&, const Parameters& parameters) const {
  const auto is_power = [](std::int64_t n) {
    return n >= 1 && n <= 1024 && std::has_single_bit(static_cast<std::uint64_t>(n));
  };
  const std::int64_t form = parameters.get("FORM", 0);
  const std::int64_t group = parameters.get("GROUP", default_group);
  const std::int64_t lanes = parameters.get("LANES", 1),
                     sums = parameters.get("SUMS", default_sums);
  const std::int64_t block = parameters.get("BLOCK", 1);
  if (form == 0) return sums >= 1 && sums <= 8 && block >= 1 && block <= 1 << 24;
  return form == 1 && is_power(group) && is_power(lanes) && lanes <= group;
}

std::int64_t MatrixGenerator::version() const {
  return version_of(5, {template_mark("fp64"), template_mark("matrix_prelude"),
                        template_mark("find"), template_mark("matrix")});
}

std::string matrix_prelude(const MatrixShape& shape, bool cpu) {
  return fmt::format(
      "{}#define T {}\n#define ROW_DIM {}\n#define COLUMN_DIM {}\n#define X_SOA {:d}\n"
      "#define Y_SOA {:d}\n#define ON_CPU {:d}\n{}",
      template_text("fp64"), name_of(shape.type), shape.row_dim, shape.column_dim,
      shape.x_soa && shape.column_dim > 1, shape.y_soa && shape.row_dim > 1, cpu,
      template_text("matrix_prelude"));
}

std::string MatrixGenerator::generate(const Request& request, const Parameters& parameters) const {
  const bool cpu = parameters.get("FORM", 0) == 0;
  return fmt::format("{}#define GROUP {}\n#define LANES {}\n#define SUMS {}\n{}{}",
                     matrix_prelude(request.payload.as<MatrixPayload>().shape, cpu),
                     cpu ? 1 : parameters.get("GROUP", default_group), parameters.get("LANES", 1),
                     parameters.get("SUMS", default_sums), template_text("find"),
                     template_text("matrix"));
}

NDRange matrix_range(const Parameters& parameters, std::size_t groups) {
  NDRange range;
  range.local[0] = parameters.get("FORM", 0) == 0
                       ? 1
                       : static_cast<std::size_t>(parameters.get("GROUP", default_group));
  range.global[0] = groups * range.local[0];
  return range;
}

std::int64_t matrix_block(std::int64_t rows, std::int64_t compute_units) {
  return std::clamp<std::int64_t>(rows / (compute_units * 16), 128, 4096);
}

std::vector<std::pair<std::string, std::vector<std::int64_t>>> matrix_space(bool cpu) {
  if (cpu)
    return {{"FORM", {0}}, {"SUMS", {1, 2, 4}}, {"BLOCK", {128, 256, 512, 1024, 2048, 4096}}};
  return {{"FORM", {1}}, {"GROUP", {64, 128, 256}}, {"LANES", {1, 2, 4, 8, 16, 32}}};
}

Facts facts_of(const MatrixPayload& matrix) {
  const MatrixShape& shape = matrix.shape;
  return {{"type", static_cast<std::int64_t>(shape.type)},
          {"row-dim", std::int64_t{shape.row_dim}},
          {"column-dim", std::int64_t{shape.column_dim}},
          {"x-soa", std::int64_t{shape.x_soa}},
          {"y-soa", std::int64_t{shape.y_soa}},
          {"cpu", std::int64_t{matrix.cpu}},
          {"row-length", matrix.row_length}};
}

Request make_matrix_request(const MatrixShape& shape, bool cpu, double row_length,
                            std::int64_t rows) {
  const auto rounded = static_cast<std::uint64_t>(std::max(1.0, std::round(row_length)));
  Request request;
  const MatrixGenerator generator;
  request.family = generator.family();
  request.version = generator.version();
  // The power of 2 below it: lengths that are alike share their programs.
  request.payload =
      MatrixPayload{shape, cpu, cpu ? 0 : static_cast<std::int64_t>(std::bit_floor(rounded))};
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  request.problem_class = fmt::format("{}-{}x{}-{}{}-{}", name_of(shape.type), shape.row_dim,
                                      shape.column_dim, shape.x_soa ? "soa" : "aos",
                                      shape.y_soa ? "soa" : "aos", std::bit_floor(rounded));
  request.problem_size = rows;
  request.label = "mesh matrix";
  return request;
}

RecordedCall recorded_call(const RecordedMatrix& matrix, const Device& device) {
  const MatrixShape& shape = matrix.shape;
  RecordedCall call;
  call.kind = "matrix";
  call.name = matrix.kernel;
  call.facts = to_facts(matrix, fields);
  call.devices.push_back(RecordedDevice::of(device));
  if (matrix.kernel == "kiln_multiply") {
    const double entries =
        matrix.row_length * static_cast<double>(matrix.rows) * shape.row_dim * shape.column_dim;
    call.flops = 2 * entries;
    call.bytes = entries * static_cast<double>(size_of(shape.type));
  }
  return call;
}

Expected<RecordedMatrix> recorded_matrix_of(const RecordedCall& recorded) {
  return from_facts<RecordedMatrix>(recorded.facts, fields);
}

Explanation build_recorded(const RecordedMatrix& matrix, Resolver& resolver,
                           const DevicePtr& device) {
  const Request request = make_matrix_request(matrix.shape, device->type == Device::Type::cpu,
                                              matrix.row_length, matrix.rows);
  const ChosenParameters chosen = resolver.choose(request, *device);
  const NDRange range = matrix_range(chosen.parameters, 1);
  const auto context = Context::create({device});  // owns the program
  Explanation explanation;
  const Program& program = resolver.resolve(request, chosen, context, device,
                                            {variant_of(matrix.kernel, range)}, &explanation);
  program.kernel(matrix.kernel);  // throws where it is not there
  return explanation;
}

}  // namespace kiln::mesh
