// The text of kernels on matrices, and such kernels in a record of calls.
#include "mesh/matrix/matrix_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
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

/// `piece(n)` for each chain, with `between` between them.
template <class Piece>
std::string for_each_sum(std::int64_t sums, const char* between, const Piece& piece) {
  std::string text;
  for (std::int64_t n = 0; n < sums; ++n) text += (n == 0 ? "" : between) + piece(n);
  return text;
}

/// One chain of additions would take as long as the memory does; and chains in an array, in a loop
/// over them, stay in memory.
std::string multiply_rows(std::int64_t sums) {
  // A loop over what is left would be made one for many.
  constexpr const char* one_more = R"(    if (at < stop) {
      const int column = colidx[at];
      __global const T *block = values + (size_t)at++ * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) sum0[j] += block[j * COLUMN_DIM + k] * X(column, k);
    }
)";
  const auto of = [](const char* form) {
    return [form](std::int64_t n) { return fmt::format(fmt::runtime(form), n); };
  };
  return fmt::format(
      R"(
  for (int row = begin; row < end; ++row) {{
    const int stop = rowptr[row + 1];
    T {};
    for (int j = 0; j < ROW_DIM; ++j) {} = 0;
    int at = rowptr[row];
    for (; at < stop - {}; at += {}) {{
      const int {};
      __global const T *block = values + (size_t)at * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) {{
          {}
        }}
    }}
{}    for (int j = 0; j < ROW_DIM; ++j) {{
      const T product = {};
      Y(row, j) = adds ? Y(row, j) + product : product;
    }}
  }}
}}
)",
      for_each_sum(sums, ", ", of("sum{}[ROW_DIM]")), for_each_sum(sums, " = ", of("sum{}[j]")),
      sums - 1, sums, for_each_sum(sums, ", ", of("column{0} = colidx[at + {0}]")),
      for_each_sum(sums, "\n          ",
                   of("sum{0}[j] += block[({0} * ROW_DIM + j) * COLUMN_DIM + k] * X(column{0}, "
                      "k);")),
      for_each_sum(sums - 1, "", [&](std::int64_t) { return std::string(one_more); }),
      for_each_sum(sums, " + ", of("sum{}[j]")));
}

// Behind the last entry of the largest matrices an int would end: n is unsigned.
constexpr const char* multiply_lanes = R"(
  __local T parts[GROUP];
  const int me = get_local_id(0), lane = me % LANES, of_group = GROUP / LANES;
  const long all = (long)(rows - first) * ROW_DIM;
  for (long at = (long)get_group_id(0) * of_group; at < all;
       at += (long)get_num_groups(0) * of_group) {
    const long mine = at + me / LANES;
    const int row = first + (int)(mine / ROW_DIM), j = (int)(mine % ROW_DIM);
    T sum = 0;
    if (mine < all) {
      const uint stop = rowptr[row + 1];
      for (uint n = rowptr[row] + lane; n < stop; n += LANES) {
        const int column = colidx[n];
        __global const T *line = values + ((size_t)n * ROW_DIM + j) * COLUMN_DIM;
        for (int k = 0; k < COLUMN_DIM; ++k) sum += line[k] * X(column, k);
      }
    }
    parts[me] = sum;
    for (int step = LANES / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < step) parts[me] += parts[me + step];
    }
    if (lane == 0 && mine < all) Y(row, j) = adds ? Y(row, j) + parts[me] : parts[me];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
)";

/// A kernel whose work-items take rows one by one.
std::string over_rows(bool cpu, const char* name, const char* parameters, const std::string& body) {
  return fmt::format("HEAD void {}(MATRIX{}, const int rows{}) {{\n{}{}  }}\n}}\n", name,
                     parameters, cpu ? ", const int block" : "", cpu ? "  BLOCK_OF(0, rows)\n" : "",
                     (cpu ? "  for (int i = begin; i < end; ++i) {\n"
                          // Behind the last row of the largest matrices an int would end.
                          : "  for (long position = (long)get_global_id(0); position < rows;\n"
                            "       position += (long)get_global_size(0)) {\n"
                            "    const int i = (int)position;\n") +
                         body);
}

/// Numbers of a vector, by element and component.
std::string access(const char* macro, const char* name, bool soa, int dim) {
  return soa && dim > 1
             ? fmt::format("#define {}(e, k) {}[(size_t)(k) * {}_stride + (e)]\n", macro, name,
                           name)
             : fmt::format("#define {}(e, k) {}[(size_t)(e) * {} + (k)]\n", macro, name, dim);
}

// Blocks of more rows or columns are no matrix of an application, but a lot of text.
constexpr std::int64_t most_in_block = 1 << 12, most_in_row = 1 << 30;

/// What is wrong with a record, thrown to recorded_matrix_of().
struct WrongMatrix {
  std::string text;
};

std::int64_t take(const RecordedCall& from, const char* name, std::int64_t least,
                  std::int64_t most) {
  const std::int64_t found = from.number(name, least - 1);
  if (found < least || found > most)
    throw WrongMatrix{fmt::format("'{}': expected an integer from {} to {}", name, least, most)};
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

std::string MatrixGenerator::generate(const Request& request, const Parameters& parameters) const {
  const MatrixShape shape = matrix_shape_of(request);
  const bool cpu = parameters.get("FORM", 0) == 0;
  const std::int64_t group = cpu ? 1 : parameters.get("GROUP", default_group);
  std::string text = fmt::format(
      "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
      "#define T {}\n#define ROW_DIM {}\n#define COLUMN_DIM {}\n#define GROUP {}\n"
      "#define LANES {}\n"
      "#define HEAD __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
      "#define MATRIX __global T *restrict values, __global const int *restrict rowptr, \\\n"
      "    __global const int *restrict colidx\n"
      "#define BLOCK_OF(first, rows) \\\n"
      "  const int begin = first + (int)get_group_id(0) * block; \\\n"
      "  const int end = rows - begin < block ? rows : begin + block;\n",
      name_of(shape.type), shape.row_dim, shape.column_dim, group, parameters.get("LANES", 1));
  text += access("X", "x", shape.x_soa, shape.column_dim);
  text += access("Y", "y", shape.y_soa, shape.row_dim);
  text += find_text;
  constexpr const char* vector_x = ", __global const T *restrict x, const long x_stride";
  constexpr const char* vector_y = ", __global T *restrict y, const long y_stride";
  text += fmt::format(
      "HEAD void kiln_multiply(MATRIX{}{}, const int adds, const int first, "
      "const int rows{}) {{{}{}",
      vector_x, vector_y, cpu ? ", const int block" : "", cpu ? "\n  BLOCK_OF(first, rows)" : "",
      cpu ? multiply_rows(parameters.get("SUMS", default_sums)) : multiply_lanes);
  text += over_rows(cpu, "kiln_diagonal", vector_y,
                    "    const int at = kiln_find(rowptr, colidx, i, i);\n"
                    "    for (int j = 0; j < ROW_DIM; ++j)\n"
                    "      Y(i, j) = at < 0 || j >= COLUMN_DIM ? 0 : values[((size_t)at * ROW_DIM "
                    "+ j) * COLUMN_DIM + j];\n");
  text += over_rows(cpu, "kiln_set_diagonal", vector_x,
                    "    const int at = kiln_find(rowptr, colidx, i, i);\n"
                    "    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)\n"
                    "      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = X(i, j);\n");
  text += over_rows(cpu, "kiln_rows",
                    ", __global const int *restrict list, const int all, const int clear, "
                    "const int set, const T value",
                    "    const int row = all ? i : list[i];\n"
                    "    const size_t stop = (size_t)rowptr[row + 1] * (ROW_DIM * COLUMN_DIM);\n"
                    "    if (clear)\n"
                    "      for (size_t n = (size_t)rowptr[row] * (ROW_DIM * COLUMN_DIM); n < stop; "
                    "++n) values[n] = 0;\n"
                    "    const int at = set ? kiln_find(rowptr, colidx, row, row) : -1;\n"
                    "    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)\n"
                    "      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = value;\n");
  return text + fmt::format(
                    "HEAD void kiln_zero(__global T *restrict values, const long count) {{\n"
                    "  for (long n = {}; n < {}; {}) values[n] = 0;\n}}\n",
                    cpu ? "(long)get_group_id(0) * 65536" : "(long)get_global_id(0)",
                    cpu ? "min(count, (long)(get_group_id(0) + 1) * 65536)" : "count",
                    cpu ? "++n" : "n += (long)get_global_size(0)");
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
  RecordedMatrix matrix;
  try {
    bool is_known = false;
    for (auto type = ScalarType::i8; type <= ScalarType::f64;
         type = static_cast<ScalarType>(static_cast<int>(type) + 1))
      if (recorded.text("type") == name_of(type)) matrix.shape.type = type, is_known = true;
    if (!is_known)
      throw WrongMatrix{fmt::format("'type': found '{}', expected a scalar type of OpenCL C",
                                    one_line(recorded.text("type")))};
    matrix.shape.row_dim = static_cast<int>(take(recorded, "row_dim", 1, most_in_block));
    matrix.shape.column_dim = static_cast<int>(take(recorded, "column_dim", 1, most_in_block));
    matrix.shape.x_soa = take(recorded, "x_soa", 0, 1) != 0;
    matrix.shape.y_soa = take(recorded, "y_soa", 0, 1) != 0;
    matrix.row_length = static_cast<double>(take(recorded, "row_length", 0, most_in_row));
    matrix.rows = take(recorded, "rows", 0, most_in_row * 2 - 1);
    matrix.kernel = recorded.text("kernel");
  } catch (const WrongMatrix& wrong) {
    return fail(Errc::bad_input, wrong.text);
  }
  return matrix;
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
