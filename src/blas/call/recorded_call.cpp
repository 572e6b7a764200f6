#include "blas/call/recorded_call.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/data/text.hpp"
#include "blas/call/call.hpp"

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
constexpr std::string_view strides[slot_count] = {"stride_a"sv, "stride_b"sv, "stride_c"sv,
                                                  "stride_x"sv, "stride_y"sv, "stride_z"sv,
                                                  "stride_w"sv};
// Larger ones fit no memory, and sums of products of them no number.
constexpr std::int64_t largest = std::int64_t{1} << 40;

template <class E>
void put_choice(RecordedCall& to, const char* name, std::span<const std::string_view> words, E e) {
  to.facts.push_back({name, std::string(words[static_cast<std::size_t>(e)])});
}

/// What is wrong with a field, thrown to call_of().
struct Wrong {
  std::string text;
};

template <class E>
void take_choice(const RecordedCall& from, const char* name,
                 std::span<const std::string_view> words, E& to) {
  if (from.fact(name) == nullptr) return;
  const std::string_view found = from.text(name);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == found) {
      to = static_cast<E>(i);
      return;
    }
  throw Wrong{fmt::format("'{}': found '{}', expected one of {}", name, one_line(found),
                          fmt::join(words, ", "))};
}

std::int64_t take_number(const RecordedCall& from, std::string_view name, std::int64_t least) {
  if (from.fact(name) == nullptr) return 0;
  const std::int64_t found = from.number(name, -largest - 1);
  if (found < least || found > largest)
    throw Wrong{fmt::format("'{}': expected an integer from {} to {}", name, least, largest)};
  return found;
}

Routine routine_named(std::string_view name) {
  std::array<std::string_view, routine_count> names;
  for (int i = 0; i < routine_count; ++i) {
    names[static_cast<std::size_t>(i)] = name_of(static_cast<Routine>(i));
    if (names[static_cast<std::size_t>(i)] == name) return static_cast<Routine>(i);
  }
  throw Wrong{fmt::format("'routine': found '{}', expected one of BLAS{}", one_line(name),
                          did_you_mean(name, names))};
}

enum class Alpha : std::uint8_t { zero, one, other };

Call call_or_throw(const RecordedCall& recorded) {
  if (recorded.kind != "blas")
    throw Wrong{fmt::format("'kind': found '{}', expected 'blas'", one_line(recorded.kind))};
  Call call;
  call.routine = routine_named(recorded.text("routine"));
  take_choice(recorded, "precision", precisions, call.precision);
  take_choice(recorded, "order", orders, call.order);
  take_choice(recorded, "side", sides, call.side);
  take_choice(recorded, "uplo", triangles, call.uplo);
  take_choice(recorded, "trans_a", transposes, call.trans_a);
  take_choice(recorded, "trans_b", transposes, call.trans_b);
  take_choice(recorded, "diag", diagonals, call.diag);
  Alpha alpha = Alpha::other;
  take_choice(recorded, "alpha", alphas, alpha);
  call.alpha = static_cast<double>(static_cast<int>(alpha));
  call.real_alpha = take_number(recorded, "real_alpha", 0) != 0;
  const auto size = [&](const char* name) {
    return static_cast<std::size_t>(take_number(recorded, name, 0));
  };
  call.m = size("m"), call.n = size("n"), call.k = size("k");
  call.kl = size("kl"), call.ku = size("ku");
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    call.operands[slot].stride = take_number(recorded, strides[slot], -largest);
  return call;
}

}  // namespace

RecordedCall recorded_call(const Call& call, std::span<const DevicePtr> devices) {
  RecordedCall to;
  to.kind = "blas";
  to.name = std::string(1, letter(call.precision)) + std::string(name_of(call.routine));
  to.facts.push_back({"routine", std::string(name_of(call.routine))});
  put_choice(to, "precision", precisions, call.precision);
  const Call otherwise;
  if (call.routine >= Routine::gemv || call.order != otherwise.order)
    put_choice(to, "order", orders, call.order);
  if (call.side != otherwise.side) put_choice(to, "side", sides, call.side);
  if (call.uplo != otherwise.uplo) put_choice(to, "uplo", triangles, call.uplo);
  if (call.trans_a != otherwise.trans_a) put_choice(to, "trans_a", transposes, call.trans_a);
  if (call.trans_b != otherwise.trans_b) put_choice(to, "trans_b", transposes, call.trans_b);
  if (call.diag != otherwise.diag) put_choice(to, "diag", diagonals, call.diag);
  put_choice(to, "alpha", alphas,
             call.alpha == Scalar(0)   ? Alpha::zero
             : call.alpha == Scalar(1) ? Alpha::one
                                       : Alpha::other);
  const auto put = [&](std::string_view name, std::int64_t value) {
    if (value != 0) to.facts.push_back({std::string(name), value});
  };
  put("real_alpha", call.real_alpha ? 1 : 0);
  put("m", static_cast<std::int64_t>(call.m));
  put("n", static_cast<std::int64_t>(call.n));
  put("k", static_cast<std::int64_t>(call.k));
  put("kl", static_cast<std::int64_t>(call.kl));
  put("ku", static_cast<std::int64_t>(call.ku));
  for (const Use& use : Uses(call))
    put(strides[static_cast<std::size_t>(use.slot)], call[use.slot].stride);
  for (const auto& device : devices) to.devices.push_back(RecordedDevice::of(*device));
  to.flops = is_compute_bound(call.routine) ? operations_of(call) : 0;
  to.bytes = traffic_of(call);
  return to;
}

Expected<Call> call_of(const RecordedCall& recorded) {
  try {
    return call_or_throw(recorded);
  } catch (const Wrong& wrong) {
    return fail(Errc::bad_input, wrong.text);
  }
}

CallCounter* counter_of(const Call& call, std::span<const DevicePtr> devices) {
  CallLog* const log = CallLog::process();
  return log == nullptr ? nullptr : log->counter(recorded_call(call, devices));
}

}  // namespace kiln::blas
