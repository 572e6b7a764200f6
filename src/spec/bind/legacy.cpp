#include <algorithm>
#include <limits>

#include "spec/bind/binder.hpp"
#include "spec/read/type.hpp"

// What the original's dispatch gives each device: rounding, multiples, slices. Faithful, faults
// included; where the original stops with an error of its own, so does this, and says so.
namespace kiln::spec {
namespace {

using Multiples = std::vector<std::int64_t>;

std::int64_t as_signed(std::uint64_t size) { return static_cast<std::int64_t>(size); }

tl::unexpected<Error> original_fails(const Spec& spec, const std::string& attribute,
                                     const std::string& why) {
  return fail(Errc::refused, spec.file + ": attribute '" + attribute + "': " + why);
}

/// A file's factor may be any number: a step that does not fit is passed over, like all that are
/// larger than what is rounded. (Work-items are at most 2^40 in all.)
std::int64_t step_of(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}

/// The steps in which sizes are rounded, by the number of dimensions and the file's local size.
Multiples multiples_of(const Spec& spec, const BoundSpec& bound) {
  const auto global = [&](std::size_t i) { return as_signed(bound.global[i]); };
  if (bound.local_is_default) {
    switch (bound.global.size()) {
      case 1:
        return {1};
      case 2:
        return {global(1), 1};
      default:
        return {global(1) * global(2), global(1), 1};
    }
  }
  const auto local = as_signed(bound.local[0]);
  switch (bound.global.size()) {
    case 1: {
      const bool factor =
          bound.dialect == SpecDialect::concurrent && !spec.local_chunk_factor.empty();
      return {factor ? step_of(local, spec.local_chunk_factor[0]) : local, 1};
    }
    case 2:
      return {local * global(1), global(1), local, 1};
    default:
      return {1};
  }
}

/// Offset and count of one buffer.
Expected<Slice> slice_of(const BoundSpec& bound, const BoundArgument& buffer, const Share& share,
                         Multiples multiples) {
  Slice slice{buffer.position, 0, buffer.count, buffer.count};
  if (!buffer.sliceable || bound.dialect == SpecDialect::concurrent) return slice;
  if (buffer.chunk) multiples.insert(multiples.begin(), as_signed(*buffer.chunk));
  const auto round = [&](int percent) {
    return multiple_round(bound.dialect, as_signed(buffer.count), percent, multiples, share.exact,
                          share.total);
  };
  const auto offset = round(share.offset_percent);
  if (!offset) return tl::unexpected(offset.error());
  const auto count = round(share.size_percent);
  if (!count) return tl::unexpected(count.error());
  if (*count <= 0 || *offset < 0) {
    return fail(Errc::refused, "the original fails here: a part of " + std::to_string(*count) +
                                   " elements, and a buffer cannot be empty");
  }
  slice.offset = static_cast<std::uint64_t>(*offset);
  slice.count = static_cast<std::uint64_t>(*count);
  // At odd sizes the original's slice may end one past the buffer; its host array is cut there.
  const auto left = slice.offset < buffer.count ? buffer.count - slice.offset : 0;
  slice.host_count = std::min(slice.count, left);
  return slice;
}

/// Only dimension 0 is divided, and the buffers are not asked: that the two are rounded apart is
/// the original's main fault.
Expected<void> split_global(const Spec& spec, const BoundSpec& bound, const Share& share,
                            const Multiples& multiples, LegacyPart& part) {
  part.global = bound.global;
  if (!bound.local_is_default) part.local = bound.local;
  if (bound.dialect == SpecDialect::concurrent) return {};
  const auto rounded = multiple_round(bound.dialect, as_signed(bound.global[0]), share.size_percent,
                                      multiples, share.exact, share.total);
  if (!rounded) return original_fails(spec, "globalWorkSize", rounded.error().message());
  if (*rounded <= 0) {
    return original_fails(spec, "globalWorkSize",
                          "the original fails here: a part of " + std::to_string(*rounded) +
                              " work-items, and an NDRange cannot be empty");
  }
  part.global[0] = static_cast<std::uint64_t>(*rounded);
  if (!part.local.empty() && part.global[0] % part.local[0] != 0) {
    return original_fails(spec, "globalWorkSize",
                          "the original fails here: a part of " + std::to_string(*rounded) +
                              " work-items is not a multiple of the local size " +
                              std::to_string(part.local[0]));
  }
  return {};
}

/// No multiple is applied to values, so with a local size they disagree with the NDRange.
Expected<void> evaluate_scalars(const Spec& spec, const BoundSpec& bound, const Share& share,
                                LegacyPart& part) {
  auto scope = make_scope(spec, bound.symbols, bound.partition, Rounding::legacy, share);
  set_share(scope, share);
  for (const auto& var : spec.var_arguments) {
    const auto& formula = var.value;
    const auto value = formula.expression ? formula.expression->evaluate(scope)
                                          : Expected<expr::Value>(formula.literal);
    auto bytes = value ? to_bytes(var.type, *value)
                       : Expected<std::vector<std::byte>>(tl::unexpected(value.error()));
    if (!bytes) {
      return fail(Errc::bad_input, spec.file + ":" + std::to_string(formula.line) +
                                       ": attribute '" + formula.attribute +
                                       "': " + bytes.error().message());
    }
    part.scalars.push_back({.position = var.position,
                            .kind = ArgumentKind::scalar,
                            .type = var.type,
                            .bytes = bytes->size(),
                            .value = *std::move(bytes)});
  }
  std::sort(part.scalars.begin(), part.scalars.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  return {};
}

}  // namespace

Expected<LegacyPart> bind_part(const Spec& spec, const BoundSpec& bound, const Share& share,
                               LegacyPart::Device device) {
  if (bound.dialect == SpecDialect::concurrent &&
      (share.size_percent != 100 || share.offset_percent != 0)) {
    return fail(Errc::refused,
                spec.file +
                    ": the concurrent original cannot split a kernel: it stops with a "
                    "NameError; it runs partition 0 and 10 only");
  }
  LegacyPart part{.device = device, .share = share};
  const auto multiples = multiples_of(spec, bound);
  if (auto done = split_global(spec, bound, share, multiples, part); !done) {
    return tl::unexpected(done.error());
  }
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) continue;
    const auto slice = slice_of(bound, argument, share, multiples);
    if (!slice) {
      return original_fails(spec, "argument " + std::to_string(argument.position),
                            slice.error().message());
    }
    part.slices.push_back(*slice);
  }
  if (auto done = evaluate_scalars(spec, bound, share, part); !done) {
    return tl::unexpected(done.error());
  }
  return part;
}

Expected<std::vector<LegacyPart>> legacy_parts(const Spec& spec, const BoundSpec& bound,
                                               int partition) {
  if (partition < 0 || partition > 10) {
    return fail(Errc::bad_input,
                "found the partition class " + std::to_string(partition) + ", expected 0..10");
  }
  using Device = LegacyPart::Device;
  // A device with no share is left out: the original dispatches to one device there.
  std::vector<std::pair<Device, Share>> shares;
  const int tenths = partition * 10;
  if (partition > 0) shares.emplace_back(Device::gpu, Share{.size_percent = tenths});
  if (partition < 10) {
    shares.emplace_back(Device::cpu, Share{.size_percent = 100 - tenths, .offset_percent = tenths});
  }
  std::vector<LegacyPart> parts;
  for (const auto& [device, share] : shares) {
    auto part = bind_part(spec, bound, share, device);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(*std::move(part));
  }
  return parts;
}

}  // namespace kiln::spec
