#include "blas/call/recorded_call.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/data/text.hpp"
#include "blas/call/call.hpp"
#include "blas/call/routine_traits.hpp"

namespace kiln::blas {
namespace {

using namespace std::string_view_literals;

// In the order of the enumerators.
constexpr std::string_view orders[] = {"row"sv, "column"sv};
constexpr std::string_view transposes[] = {"n"sv, "t"sv, "c"sv};
constexpr std::string_view triangles[] = {"upper"sv, "lower"sv};
constexpr std::string_view diagonals[] = {"unit"sv, "non-unit"sv};
constexpr std::string_view sides[] = {"left"sv, "right"sv};
constexpr std::string_view precisions[] = {"s"sv, "d"sv, "c"sv, "z"sv};
constexpr std::string_view alphas[] = {"0"sv, "1"sv, "other"sv};
constexpr std::string_view strides[slot_count] = {
    "stride_a"sv,       "stride_b"sv,       "stride_c"sv,    "stride_x"sv,     "stride_y"sv,
    "stride_z"sv,       "stride_w"sv,       "stride_bias"sv, "stride_scale"sv, "stride_residual"sv,
    "stride_scale_a"sv, "stride_scale_b"sv, "stride_items"sv};
constexpr std::string_view batch_strides[slot_count] = {
    "batch_stride_a"sv,        "batch_stride_b"sv,       "batch_stride_c"sv,
    "batch_stride_x"sv,        "batch_stride_y"sv,       "batch_stride_z"sv,
    "batch_stride_w"sv,        "batch_stride_bias"sv,    "batch_stride_scale"sv,
    "batch_stride_residual"sv, "batch_stride_scale_a"sv, "batch_stride_scale_b"sv,
    "batch_stride_items"sv};
constexpr std::string_view stored[slot_count] = {
    "stored_a"sv,       "stored_b"sv,       "stored_c"sv,    "stored_x"sv,     "stored_y"sv,
    "stored_z"sv,       "stored_w"sv,       "stored_bias"sv, "stored_scale"sv, "stored_residual"sv,
    "stored_scale_a"sv, "stored_scale_b"sv, "stored_items"sv};
constexpr std::string_view storages[] = {"native"sv, "half"sv, "bfloat16"sv, "e4m3"sv,
                                         "e5m2"sv,   "int8"sv, "int32"sv,    "int4"sv};
constexpr std::string_view activations[] = {"none"sv, "relu"sv, "gelu"sv, "silu"sv};
constexpr std::string_view ways[] = {"none"sv, "rows"sv, "columns"sv};
// Larger ones fit no memory, and sums of products of them no number.
constexpr std::int64_t largest = std::int64_t{1} << 40;

enum class Alpha : std::uint8_t { zero, one, other };

void window_fields(FactFields& to, Window& window) {
  to.integer("channels", window.channels, 0, largest, 0);
  to.integer("height", window.height, 0, largest, 0);
  to.integer("width", window.width, 0, largest, 0);
  to.integer("kernel_h", window.kernel_h, 0, largest, 1);
  to.integer("kernel_w", window.kernel_w, 0, largest, 1);
  to.integer("pad_h", window.pad_h, 0, largest, 0);
  to.integer("pad_w", window.pad_w, 0, largest, 0);
  to.integer("stride_h", window.stride_h, 0, largest, 1);
  to.integer("stride_w", window.stride_w, 0, largest, 1);
  to.integer("dilation_h", window.dilation_h, 0, largest, 1);
  to.integer("dilation_w", window.dilation_w, 0, largest, 1);
  to.integer("flipped", window.flipped, 0, 1, 0);
}

/// The Shape of a call; what has its default value is left out where routines do without it.
void call_fields(FactFields& to, Call& call) {
  const Call otherwise;
  // What is always written may be absent all the same.
  const auto if_read = [&](auto value) { return to.reads() ? std::optional(value) : std::nullopt; };
  to.choice("routine", call.routine, routine_names, {}, "BLAS");
  to.choice("precision", call.precision, precisions, if_read(otherwise.precision));
  to.choice(
      "order", call.order, orders,
      call.routine >= Routine::gemv ? if_read(otherwise.order) : std::optional(otherwise.order));
  to.choice("side", call.side, sides, std::optional(otherwise.side));
  to.choice("uplo", call.uplo, triangles, std::optional(otherwise.uplo));
  to.choice("trans_a", call.trans_a, transposes, std::optional(otherwise.trans_a));
  to.choice("trans_b", call.trans_b, transposes, std::optional(otherwise.trans_b));
  to.choice("diag", call.diag, diagonals, std::optional(otherwise.diag));
  Alpha alpha = call.alpha == Scalar(0)   ? Alpha::zero
                : call.alpha == Scalar(1) ? Alpha::one
                                          : Alpha::other;
  to.choice("alpha", alpha, alphas, if_read(Alpha::other));
  if (to.reads()) call.alpha = static_cast<double>(static_cast<int>(alpha));
  to.integer("real_alpha", call.real_alpha, 0, 1, 0);
  to.integer("m", call.m, 0, largest, 0);
  to.integer("n", call.n, 0, largest, 0);
  to.integer("k", call.k, 0, largest, 0);
  to.integer("kl", call.kl, 0, largest, 0);
  to.integer("ku", call.ku, 0, largest, 0);
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    Operand& operand = call.operands[slot];
    to.integer(strides[slot], operand.stride, -largest, largest, 0);
    to.integer(batch_strides[slot], operand.batch_stride, 0, largest, 0);
    to.choice(stored[slot], operand.stored, storages, std::optional(Storage::native));
  }
  to.integer("invariant", call.invariant, 0, 1, 0);
  to.integer("emulated", call.emulated, 0, 1, 0);
  to.integer("batch", call.batch, 1, largest, 1);
  to.integer("by_items", call.by_items, 0, 1, 0);
  to.integer("group_a", call.group_a, 0, largest, 0);
  to.integer("group_b", call.group_b, 0, largest, 0);
  to.integer("first_index", call.first_index, 0, 1, 1);
  if (is_windowed(call.routine)) window_fields(to, call.window);
  Epilogue& epilogue = call.epilogue;
  to.choice("bias", epilogue.bias, ways, std::optional(Along::none));
  to.choice("scale", epilogue.scale, ways, std::optional(Along::none));
  to.choice("activation", epilogue.activation, activations, std::optional(Activation::none));
  to.integer("residual", epilogue.residual, 0, 1, 0);
}

}  // namespace

RecordedCall recorded_call(const Call& call, std::span<const DevicePtr> devices) {
  Call shape = call;
  for (Operand& operand : shape.operands) operand.stride = operand.batch_stride = 0;
  for (const Use& use : Uses(call)) {
    shape[use.slot].stride = call[use.slot].stride;
    shape[use.slot].batch_stride = call[use.slot].batch_stride;
  }
  RecordedCall to;
  to.kind = "blas";
  to.name = std::string(1, letter(call.precision)) + std::string(name_of(call.routine));
  to.facts = to_facts(shape, call_fields);
  for (const auto& device : devices) to.devices.push_back(RecordedDevice::of(*device));
  to.flops = is_compute_bound(call.routine) ? operations_of(call) : 0;
  to.bytes = traffic_of(call);
  return to;
}

Expected<Call> call_of(const RecordedCall& recorded) {
  if (recorded.kind != "blas")
    return fail(Errc::bad_input,
                fmt::format("'kind': found '{}', expected 'blas'", one_line(recorded.kind)));
  return from_facts<Call>(recorded.facts, call_fields);
}

CallCounter* counter_of(const Call& call, std::span<const DevicePtr> devices) {
  CallLog* const log = CallLog::process();
  return log == nullptr ? nullptr : log->counter(recorded_call(call, devices));
}

}  // namespace kiln::blas
