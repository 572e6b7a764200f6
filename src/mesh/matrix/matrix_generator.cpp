// The text of kernels on matrices, and such kernels in a record of calls.
#include "mesh/matrix/matrix_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/data/text.hpp"
#include "mesh/codegen/helper_text.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {
namespace {

constexpr std::int64_t default_group = 128, default_sums = 2;

std::int64_t fact(const Request& request, std::string_view name) {
  if (const auto value = number_fact(request, name)) return *value;
  throw Error(Errc::internal, fmt::format("a matrix has no fact {}", name));
}

MatrixShape matrix_shape_of(const Request& request) {
  MatrixShape shape;
  shape.type = static_cast<ScalarType>(fact(request, "type"));
  shape.row_dim = static_cast<int>(fact(request, "row-dim"));
  shape.column_dim = static_cast<int>(fact(request, "column-dim"));
  shape.x_soa = fact(request, "x-soa") != 0;
  shape.y_soa = fact(request, "y-soa") != 0;
  return shape;
}

// Blocks of more rows or columns are no matrix of an application, but a lot of text.
constexpr std::int64_t most_in_block = 1 << 12, most_in_row = 1 << 30;

/// A number of a record; throws bad_input to recorded_matrix_of().
std::int64_t take(const RecordedCall& from, const char* name, std::int64_t least,
                  std::int64_t most) {
  const std::int64_t found = from.number(name, least - 1);
  if (found < least || found > most)
    refuse("'{}': expected an integer from {} to {}", name, least, most);
  return found;
}

}  // namespace

Parameters MatrixGenerator::defaults(const Request& request) const {
  if (fact(request, "cpu") != 0) return {{"FORM", 0}, {"SUMS", default_sums}};
  // Half of a row's length: what a work-item reads ahead covers the rest.
  const auto lanes = std::clamp<std::int64_t>(fact(request, "row-length") / 2, 1, 32);
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
                     matrix_prelude(matrix_shape_of(request), cpu),
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

Request make_matrix_request(const MatrixShape& shape, bool cpu, double row_length,
                            std::int64_t rows) {
  const auto rounded = static_cast<std::uint64_t>(std::max(1.0, std::round(row_length)));
  Request request;
  const MatrixGenerator generator;
  request.family = generator.family();
  request.version = generator.version();
  request.facts = {{"type", static_cast<std::int64_t>(shape.type)},
                   {"row-dim", std::int64_t{shape.row_dim}},
                   {"column-dim", std::int64_t{shape.column_dim}},
                   {"x-soa", std::int64_t{shape.x_soa}},
                   {"y-soa", std::int64_t{shape.y_soa}},
                   {"cpu", std::int64_t{cpu}},
                   // The power of 2 below it: lengths that are alike share their programs.
                   {"row-length", cpu ? 0 : static_cast<std::int64_t>(std::bit_floor(rounded))}};
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
  call.facts = {{"kernel", matrix.kernel},
                {"type", std::string(name_of(shape.type))},
                {"row_dim", std::int64_t{shape.row_dim}},
                {"column_dim", std::int64_t{shape.column_dim}},
                {"x_soa", std::int64_t{shape.x_soa}},
                {"y_soa", std::int64_t{shape.y_soa}},
                {"row_length", std::int64_t{std::llround(matrix.row_length)}},
                {"rows", matrix.rows}};
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
  return expected_of([&] {
    RecordedMatrix matrix;
    const std::string_view type = recorded.text("type");
    int number = 0;
    while (number < 10 && type != name_of(static_cast<ScalarType>(number))) ++number;
    if (number == 10)
      refuse("'type': found '{}', expected a scalar type of OpenCL C", one_line(type));
    matrix.shape.type = static_cast<ScalarType>(number);
    matrix.shape.row_dim = static_cast<int>(take(recorded, "row_dim", 1, most_in_block));
    matrix.shape.column_dim = static_cast<int>(take(recorded, "column_dim", 1, most_in_block));
    matrix.shape.x_soa = take(recorded, "x_soa", 0, 1) != 0;
    matrix.shape.y_soa = take(recorded, "y_soa", 0, 1) != 0;
    matrix.row_length = static_cast<double>(take(recorded, "row_length", 0, most_in_row));
    matrix.rows = take(recorded, "rows", 0, most_in_row * 2 - 1);
    matrix.kernel = recorded.text("kernel");
    return matrix;
  });
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
