#include "tune/space/derived.hpp"

#include <fmt/format.h>

namespace kiln::tune {
namespace {

Expected<std::size_t> whole(const expr::Expression& expression, const expr::Scope& scope,
                            const std::string& what, std::int64_t least) {
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::bad_input, fmt::format("{} '{}': {}", what, expression.canonical(), why));
  };
  const auto value = expression.evaluate(scope);
  if (!value) return refuse(value.error().message());
  const auto number = value->to_integer();
  // A `/` gives 4.0 where it goes up, which is as good as 4.
  const bool is_whole =
      value->is_number() && number && expr::Value(*number) == *value && *number >= least;
  if (!is_whole) {
    return refuse(fmt::format("found {}, expected an integer from {} up", value->text(), least));
  }
  return static_cast<std::size_t>(*number);
}

Expected<std::vector<std::size_t>> whole(const std::vector<expr::Expression>& expressions,
                                         const expr::Scope& scope, const std::string& what) {
  std::vector<std::size_t> sizes;
  for (const auto& expression : expressions) {
    const auto size = whole(expression, scope, what, 1);
    if (!size) return tl::unexpected(size.error());
    sizes.push_back(*size);
  }
  return sizes;
}

}  // namespace

Expected<Needs> needs_of(const DerivedValues& derived, const SearchSpace& space, ConfigurationId id,
                         const expr::Scope& sizes) {
  expr::Scope scope = sizes;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    scope.set(space.parameters()[p].name, space.value(id, p));
  }
  Needs needs;
  auto global = whole(derived.global_size, scope, "global size");
  if (!global) return tl::unexpected(global.error());
  auto local = whole(derived.local_size, scope, "local size");
  if (!local) return tl::unexpected(local.error());
  needs.global_size = *std::move(global);
  needs.local_size = *std::move(local);
  if (derived.local_memory) {
    const auto bytes = whole(*derived.local_memory, scope, "local memory", 0);
    if (!bytes) return tl::unexpected(bytes.error());
    needs.local_memory = *bytes;
  }
  return needs;
}

std::optional<std::string> refusal(const Needs& needs, const DeviceBounds& bounds) {
  std::size_t group = 1;
  for (std::size_t d = 0; d < needs.local_size.size(); ++d) {
    const std::size_t size = needs.local_size[d];
    if (d < bounds.work_items.size() && size > bounds.work_items[d]) {
      return fmt::format("{} work-items in dimension {} of a work-group, the device takes {}", size,
                         d, bounds.work_items[d]);
    }
    if (__builtin_mul_overflow(group, size, &group)) group = ~std::size_t{0};
    if (d < needs.global_size.size() && needs.global_size[d] % size != 0) {
      return fmt::format("a global size of {} in dimension {} is no multiple of the local size {}",
                         needs.global_size[d], d, size);
    }
  }
  if (group > bounds.work_group) {
    return fmt::format("a work-group of {} work-items, the device takes {}", group,
                       bounds.work_group);
  }
  if (needs.local_memory > bounds.local_memory) {
    return fmt::format("{} bytes of local memory, the device has {}", needs.local_memory,
                       bounds.local_memory);
  }
  return std::nullopt;
}

}  // namespace kiln::tune
