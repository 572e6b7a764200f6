#include "mesh/matrix/recorded_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace kiln::mesh {
namespace {

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
  const NDRange range = matrix_range(resolver.parameters(request, *device), 1);
  const auto context = Context::create({device});  // owns the program
  Explanation explanation;
  const Program& program =
      resolver.resolve(request, context, device, {variant_of(matrix.kernel, range)}, &explanation);
  program.kernel(matrix.kernel);  // throws where it is not there
  return explanation;
}

}  // namespace kiln::mesh
