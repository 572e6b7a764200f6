#include <fmt/format.h>

#include "base/cursor.hpp"
#include "base/log.hpp"
#include "kernel/resolver.hpp"

namespace kiln {
namespace {

constexpr std::uint32_t parameters_schema = 1;

Bytes canonical_record(const Request& request, const Device& device) {
  CanonicalWriter writer("parameters", 1);
  writer.text("family", request.family)
      .integer("version", request.version)
      .text("problem class", request.problem_class)
      .text("device", device.speed_identity());
  return writer.view();
}

Bytes encode_parameters(const Parameters& parameters) {
  Bytes bytes;
  for (const auto& [name, value] : parameters) {
    append_le(bytes, static_cast<std::uint32_t>(name.size()));
    append(bytes, name);
    append_le(bytes, value);
  }
  return bytes;
}

std::optional<Parameters> decode_parameters(ByteView bytes) {
  Cursor in(bytes, "parameters");
  Parameters parameters;
  while (in.left() > 0) {
    auto name = in.text("name");
    parameters.set(name, in.number<std::int64_t>("value"));
  }
  return in.ok() ? std::optional(parameters) : std::nullopt;
}

}  // namespace

std::size_t Resolver::ParameterHash::operator()(const ParameterView& key) const noexcept {
  const std::hash<std::string_view> hash;
  // Multiplied, not XORed: equal parts in different places must not cancel.
  return (hash(key.family) * 31 + hash(key.problem_class)) * 31 + hash(key.device);
}

Parameters Resolver::parameters(const Request& request, const Device& device,
                                ParameterOrigin* from) {
  const auto came = [from](ParameterOrigin origin, Parameters parameters) {
    if (from != nullptr) *from = parameters.empty() ? ParameterOrigin::none : origin;
    return parameters;
  };
  const Generator* maker = request.source ? nullptr : generator(request.family);
  if (maker == nullptr && request.problem_class.empty()) return came(ParameterOrigin::none, {});
  // The version is a part of the Key: a front end that forgot it would get stale programs.
  if (maker != nullptr && maker->version() != request.version)
    throw Error(Errc::internal,
                fmt::format("a Request of version {} for the generator of {}, which has version {}",
                            request.version, request.family, maker->version()));
  const std::string& speed = device.speed_identity();
  const std::optional<Parameters>* known =
      parameters_.find(ParameterView{request.family, request.problem_class, speed});
  if (known == nullptr)
    known = &parameters_.insert({request.family, request.problem_class, speed},
                                stored_record(request, device));
  // One problem class holds many Requests, and a record need not fit them all.
  if (*known && (maker == nullptr || maker->accepts(request, **known)))
    return came(ParameterOrigin::record, **known);
  return came(ParameterOrigin::defaults, maker ? maker->defaults(request) : Parameters{});
}

std::optional<Parameters> Resolver::stored_record(const Request& request,
                                                  const Device& device) const {
  if (!store_) return {};
  const Bytes canonical = canonical_record(request, device);
  const auto lookup = store_->get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != parameters_schema) return {};
  return decode_parameters(lookup.entry->content);
}

void Resolver::record(const Request& request, const Device& device, const Parameters& parameters) {
  ParameterKey key{request.family, request.problem_class, device.speed_identity()};
  using Table = decltype(parameters_);
  parameters_.insert(std::move(key), parameters, Table::OnExisting::replace);
  if (!store_) return;
  const Bytes canonical = canonical_record(request, device);
  const Metadata metadata{parameters_schema, request.family, device.fingerprint(), 0};
  if (auto kept = store_->put(Kind::record, key_of(canonical), canonical,
                              encode_parameters(parameters), metadata);
      !kept)
    log(LogLevel::warning,
        fmt::format("Parameters of {} are not kept: {}", request.family, kept.error().message()));
}

}  // namespace kiln
