#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/data/bytes.hpp"
#include "base/expected.hpp"
#include "format/spirv/types.hpp"

// Other values for a module's specialization constants.
namespace kiln::spirv {
namespace {

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::string text_of(const Value& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

/// An integer of either sign, as its sign and what is without it.
struct Magnitude {
  bool negative;
  std::uint64_t of;
};

std::optional<Magnitude> integer_of(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return Magnitude{false, *truth ? 1u : 0u};
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return Magnitude{false, *natural};
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return Magnitude{*integer < 0, *integer < 0 ? 0 - static_cast<std::uint64_t>(*integer)
                                                : static_cast<std::uint64_t>(*integer)};
  return {};
}

double number_of(const Value& value) {
  return std::visit([](const auto& held) { return static_cast<double>(held); }, value);
}

Error unfit(const Value& value, const std::string& expected) {
  return {Errc::bad_input, fmt::format("found {}, expected {}", text_of(value), expected)};
}

Expected<std::uint64_t> integer_bits(const Constant& constant, const Value& value) {
  const auto integer = integer_of(value);
  const std::uint64_t half = std::uint64_t{1} << (constant.bits - 1);
  const std::uint64_t most = low_bits(~std::uint64_t{0}, constant.bits);
  if (!integer || integer->of > (integer->negative ? half : most))
    return tl::unexpected(unfit(value, fmt::format("an integer of type {0} or u{0}, -{1} to {2}",
                                                   constant.type_name(), half, most)));
  return low_bits(integer->negative ? 0 - integer->of : integer->of, constant.bits);
}

Expected<std::uint64_t> boolean_bits(const Value& value) {
  const auto integer = integer_of(value);
  if (!integer || integer->negative || integer->of > 1)
    return tl::unexpected(unfit(value, "true, false, 1 or 0"));
  return integer->of;
}

Expected<std::uint64_t> floating_bits(const Constant& constant, const Value& value) {
  const double number = number_of(value);
  if (constant.bits == 64) return std::bit_cast<std::uint64_t>(number);
  if (constant.bits != 32)
    return fail(Errc::unsupported,
                "found a value for a constant of type half, expected one for another type");
  const bool is_finite = std::isfinite(number);
  if (is_finite && std::abs(number) > double{std::numeric_limits<float>::max()})
    return tl::unexpected(unfit(value, "a number that a float holds"));
  return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(number))};
}

/// A half (IEEE 754 binary16): a sign, 5 bits of exponent, 10 of fraction.
double number_of_half(std::uint16_t bits) {
  constexpr int fraction_bits = 10, bias = 15, largest_exponent = 31;
  const int exponent = bits >> fraction_bits & largest_exponent;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  double magnitude;
  if (exponent == largest_exponent)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  else
    magnitude = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return std::copysign(magnitude, bits >> 15 == 0 ? 1.0 : -1.0);
}

/// The words of a module's constants: where they are, and what they become.
class Specializer {
 public:
  Specializer(Bytes& module, std::span<const Setting> settings) : module_(module) {
    for (const Setting& one : settings) by_id_[one.id] = &one;
  }

  void run() {
    const Bytes original = module_;  // read while the other one changes
    std::unordered_map<std::uint32_t, std::uint32_t> spec_ids, groups;
    for_each_instruction(original, [&](const Instruction& one) {
      constexpr std::uint32_t spec_id = 1;
      if (one.opcode() == op_decorate && one.operand(1, "a decoration") == spec_id)
        spec_ids[one.operand(0, "an id")] = one.operand(2, "a constant's SpecId");
      if (one.opcode() == op_group_decorate)
        if (const auto group = spec_ids.find(one.operand(0, "an id")); group != spec_ids.end())
          for (std::size_t i = 1; i < one.operands(); ++i)
            spec_ids[one.operand(i, "an id")] = group->second;
      if (one.opcode() < op_spec_constant_true || one.opcode() > op_spec_constant) return;
      const auto id = spec_ids.find(one.operand(1, "the id of a constant"));
      if (id == spec_ids.end()) return;
      if (const auto set = by_id_.find(id->second); set != by_id_.end()) write(one, *set->second);
    });
  }

 private:
  void write(const Instruction& one, const Setting& setting) {
    if (setting.kind == ConstantKind::boolean) {
      const std::uint32_t opcode = setting.value ? op_spec_constant_true : op_spec_constant_false;
      return put(one.at(), static_cast<std::uint32_t>(one.words()) << 16 | opcode);
    }
    constexpr std::size_t first = 3 * 4;  // behind the opcode, the type and the id
    put(one.at() + first, static_cast<std::uint32_t>(setting.value));
    if (setting.bits == 64)
      put(one.at() + first + 4, static_cast<std::uint32_t>(setting.value >> 32));
  }
  void put(std::size_t at, std::uint32_t word) {
    std::memcpy(module_.data() + at, &word, sizeof word);
  }

  Bytes& module_;
  std::unordered_map<std::uint32_t, const Setting*> by_id_;
};

}  // namespace

std::string Constant::type_name() const {
  if (kind == ConstantKind::boolean) return "bool";
  return std::string(scalar_name(kind == ConstantKind::floating, bits));
}

std::int64_t Setting::as_integer() const {
  if (kind == ConstantKind::boolean || bits == 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

double Setting::as_number() const {
  if (bits == 64) return std::bit_cast<double>(value);
  if (bits == 16) return number_of_half(static_cast<std::uint16_t>(value));
  return double{std::bit_cast<float>(static_cast<std::uint32_t>(value))};
}

Expected<Setting> setting(const Constant& constant, const Value& value) {
  auto bits = constant.kind == ConstantKind::floating  ? floating_bits(constant, value)
              : constant.kind == ConstantKind::boolean ? boolean_bits(value)
                                                       : integer_bits(constant, value);
  if (!bits) return tl::unexpected(bits.error());
  return Setting{constant.id, constant.kind, constant.bits, *bits};
}

Expected<Bytes> specialize(ByteView module, std::span<const Setting> settings) {
  return expected_from([&] {
    const Module known = value_or_throw(parse(module));
    for (const Setting& one : settings) {
      const Constant* constant = known.constant(one.id);
      if (constant == nullptr || constant->kind != one.kind || constant->bits != one.bits)
        throw Error(
            Errc::bad_input,
            fmt::format("SPIR-V module: found no specialization constant {} of this type", one.id));
    }
    Bytes result = little_endian(module);
    Specializer(result, settings).run();
    return result;
  });
}

}  // namespace kiln::spirv
