#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "format/kdb/catalogue.hpp"

namespace kiln::kdb {
namespace {

/// clBLAS writes 64 whatever the device has, and its generators count on groups of 64.
constexpr std::uint64_t group_of_64 = 64;

/// a * b, or the largest number where that would not fit.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? unused_v1 : product;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? unused_v1 : sum;
}

class Checker {
 public:
  Checker(const Record& record, Layout layout, const DeviceLimits& device,
          std::vector<Breach>& breaches)
      : record_(record),
        group_(record.granularity),
        unused_(layout == Layout::v3 ? unused_v3 : unused_v1),
        states_limit_(layout == Layout::v3),
        device_(device),
        breaches_(breaches) {}

  void time() {
    if (!std::isfinite(record_.time) || record_.time <= 0)
      say("time", "found {} ms, expected more than 0", record_.time);
  }

  /// What OpenCL demands of any launch.
  // For every pattern, known or not: clEnqueueNDRangeKernel would refuse the launch, which clBLAS
  // passes on as an error of the routine.
  void work_group() {
    if (group_.dimensions != 1 && group_.dimensions != 2)
      return say("dimensions", "found {} dimensions, expected 1 or 2", group_.dimensions);
    const std::uint64_t items = total();
    if (items == 0) return say("zero", "the work-group has a size of 0");
    if (states_limit_ && items > group_.max_work_group)
      say("work-group-limit", "{} work-items in a group, the record's own maximum is {}", items,
          group_.max_work_group);
    if (device_.max_work_group != 0 && items > device_.max_work_group)
      say("device-limit", "{} work-items in a group, the device takes at most {}", items,
          device_.max_work_group);
    if (group_.wavefront == 0 || items % group_.wavefront != 0)
      say("wavefront", "{} work-items in a group are not a multiple of the wavefront of {}", items,
          group_.wavefront);
  }

  /// Whether no size is zero; clBLAS divides by them, or loops for ever.
  bool sizes() {
    const std::size_t before = breaches_.size();
    for (int level = 0; level < 2; ++level) {
      const Dimensions& d = record_.levels[static_cast<std::size_t>(level)];
      for (const auto& [name, size] : {std::pair{"x", d.x},
                                       {"y", d.y},
                                       {"bwidth", d.bwidth},
                                       {"itemX", d.item_x},
                                       {"itemY", d.item_y}})
        if (size == 0) say("zero", "{} of level {} is 0", name, level);
    }
    return breaches_.size() == before;
  }

  /// Level 1 divides level 0, and steps divide what they step through.
  bool divisions() {
    const std::size_t before = breaches_.size();
    divides("x", outer().x, "itemX", unused(inner().item_x) ? inner().x : inner().item_x);
    divides("y", outer().y, "itemY", unused(inner().item_y) ? inner().y : inner().item_y);
    divides("bwidth", outer().bwidth, "bwidth", inner().bwidth);
    const bool divide = breaches_.size() == before;
    for (int level = 0; level < 2; ++level) {
      const Dimensions& d = record_.levels[static_cast<std::size_t>(level)];
      steps(level, "itemX", d.item_x, "x", d.x);
      steps(level, "itemY", d.item_y, "y", d.y);
    }
    return divide;
  }

  // Level 2: x is the vector's, always 1. A group is y/y1 rows of items by bwidth/bwidth1 columns,
  // whose partial sums meet in local memory.
  void vector(bool symmetric, std::uint32_t type) {
    items_are_steps();
    const std::uint64_t width = element_bytes(type) / 4;
    const std::uint64_t most = symmetric ? 128 : (type >= 2 ? 128 : 256);
    range("x of level 0", outer().x, 1, 1);
    range("x of level 1", inner().x, 1, 1);
    range("y of level 1", inner().y, 1, 16 / width);
    range("bwidth of level 1", inner().bwidth, 1, 16 / width);
    range("y of level 0", outer().y, 1, most);
    range("bwidth of level 0", outer().bwidth, 1, most);
    if (symmetric && outer().y > outer().bwidth &&
        outer().y / outer().bwidth < outer().bwidth / inner().bwidth)
      say("tile-range", "y {} and bwidth {} of level 0 leave the diagonal to no work-item",
          outer().y, outer().bwidth);
    items(times(outer().y / inner().y, depth_parts()));
    size_64(total());
  }

  // Every item has a tile of the output of its own and walks through all of K, so that both levels
  // have one depth, and the group as many items as tiles.
  void block(bool flat, const SettingKey& setting) {
    const std::uint32_t type = setting.type;
    const bool widest = type == 3;
    tile(widest ? 1 : 2, widest ? 4 : 8);
    if (outer().bwidth != inner().bwidth)
      say("block-width", "bwidth is {} in level 0 and {} in level 1, expected the same",
          outer().bwidth, inner().bwidth);
    registers(type, 24);
    const std::uint64_t across = outer().x / used(inner().item_x, inner().x);
    const std::uint64_t down = outer().y / used(inner().item_y, inner().y);
    if (flat) {
      items(times(across, down));
      size_64(group_.work_group[0]);
    } else {
      const bool x_first = x_is_first(setting.flags);
      shape_of_product(x_first ? across : down, x_first ? down : across);
    }
  }

  // The items of a subgroup have one tile together and divide its depth among them.
  void subgroup(bool flat, std::uint32_t type) {
    items_are_steps();
    const bool complex = type == 2 || type == 3;
    if (flat) {
      tile(4, 16);
      if (complex) range("bwidth of level 1", inner().bwidth, 1, 8);
    } else {
      tile(type == 3 ? 1 : 2, 8);
    }
    registers(type, flat ? 63 : 49);
    const std::uint64_t groups = times(outer().y / inner().y, outer().x / inner().x);
    range("parts of bwidth", depth_parts(), flat ? 4 : 2, unused_v1);
    if (flat) {
      if (group_.dimensions != 1) say("dimensions", "found {}, expected 1", group_.dimensions);
      items(times(groups, depth_parts()));
      size_64(group_.work_group[0]);
    } else {
      shape(depth_parts(), groups);
      size_64(total());
    }
  }

 private:
  template <class... Values>
  void say(std::string_view rule, fmt::format_string<Values...> text, Values... values) {
    breaches_.push_back({rule, fmt::vformat(text, fmt::make_format_args(values...))});
  }

  const Dimensions& outer() const { return record_.levels[0]; }
  const Dimensions& inner() const { return record_.levels[1]; }
  bool unused(std::uint64_t item) const { return item >= unused_; }
  std::uint64_t used(std::uint64_t item, std::uint64_t step) const {
    return unused(item) ? step : item;
  }
  std::uint64_t depth_parts() const { return outer().bwidth / inner().bwidth; }
  std::uint64_t total() const {
    return times(group_.work_group[0], group_.dimensions == 2 ? group_.work_group[1] : 1);
  }
  // By version 3's numbers of types: float, double, complex float, complex double.
  static std::uint64_t element_bytes(std::uint32_t type) {
    return type == 0 ? 4 : type == 3 ? 16 : 8;
  }

  void divides(const char* whole_name, std::uint64_t whole, const char* part_name,
               std::uint64_t part) {
    if (whole % part != 0)
      say("divides", "{} {} of level 0 is not a multiple of {} {} of level 1", whole_name, whole,
          part_name, part);
  }
  void steps(int level, const char* item_name, std::uint64_t item, const char* step_name,
             std::uint64_t step) {
    if (!unused(item) && item % step != 0)
      say("item-step", "{} {} of level {} is not a multiple of {} {}", item_name, item, level,
          step_name, step);
  }
  void items_are_steps() {
    if (inner().x != inner().item_x || inner().y != inner().item_y)
      say("item-step", "level 1 steps by {} x {}, its items are {} x {}, expected the same",
          inner().x, inner().y, inner().item_x, inner().item_y);
  }
  void range(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value >= least && value <= most) return;
    if (most == unused_v1)
      return say("tile-range", "{} is {}, expected {} or more", name, value, least);
    say("tile-range", "{} is {}, expected {} to {}", name, value, least, most);
  }
  void tile(std::uint64_t least, std::uint64_t most) {
    range("x of level 1", inner().x, least, most);
    range("y of level 1", inner().y, least, most);
    range("bwidth of level 1", inner().bwidth, least, most);
  }
  // Beyond the limit a kernel is not wrong but slow or, where the compiler gives up, none.
  /// Registers of 16 bytes for the tiles of A, B and C.
  void registers(std::uint32_t type, std::uint64_t most) {
    const std::uint64_t elements =
        plus(plus(times(inner().y, inner().bwidth), times(inner().bwidth, inner().x)),
             times(inner().x, inner().y));
    const std::uint64_t used = times(elements, element_bytes(type)) / 16;
    if (used > most)
      say("registers", "the tiles take {} registers of 16 bytes, expected at most {}", used, most);
  }
  /// The work-group must have as many work-items as the decomposition has parts.
  void items(std::uint64_t expected) {
    if (total() != expected)
      say("work-group-shape", "{} work-items in a group, the decomposition has {} parts", total(),
          expected);
  }
  // The generator reads the group's dimensions as they are; a product that fits is not enough.
  void shape(std::uint64_t first, std::uint64_t second) {
    if (group_.dimensions != 2 || group_.work_group[0] != first || group_.work_group[1] != second)
      say("work-group-shape", "the work-group is {} x {} in {} dimensions, expected {} x {} in 2",
          group_.work_group[0], group_.work_group[1], group_.dimensions, first, second);
  }
  /// The same for a product, whose tuner puts the axis first that `x_is_first` names. A group the
  /// other way round covers another area than clBLAS counts on, which is right only where both have
  /// the same number of parts; other versions of the tuner may have written it on purpose, so it is
  /// named and not refused.
  void shape_of_product(std::uint64_t first, std::uint64_t second) {
    const auto& [size_0, size_1] = group_.work_group;
    if (group_.dimensions != 2 || first == second || size_0 != second || size_1 != first)
      return shape(first, second);
    say("work-group-order",
        "the work-group is {} x {}, expected {} x {} by how the operands are read", size_0, size_1,
        first, second);
    breaches_.back().severity = Finding::Severity::warning;
  }
  void size_64(std::uint64_t size) {
    if (size != group_of_64) say("work-group-size", "{} work-items in a group, expected 64", size);
  }

  const Record& record_;
  const Granularity& group_;
  std::uint64_t unused_;
  bool states_limit_;
  const DeviceLimits& device_;
  std::vector<Breach>& breaches_;
};

}  // namespace

bool x_is_first(std::uint32_t flags) {
  constexpr std::uint32_t trans_a = 0x1, trans_b = 0x4, column_major = 0x10;
  const bool by_columns = (flags & column_major) != 0;
  const bool a_by_columns = by_columns != ((flags & trans_a) != 0);
  const bool b_by_columns = by_columns == ((flags & trans_b) != 0);
  return !a_by_columns && b_by_columns;
}

void check_record(const Record& record, const KnownPattern* pattern, const SettingKey& setting,
                  Layout layout, const DeviceLimits& device, std::vector<Breach>& breaches) {
  Checker checker(record, layout, device, breaches);
  checker.time();
  checker.work_group();
  // The schemes divide by what these two make sure of.
  if (pattern == nullptr || setting.type > 3 || !checker.sizes() || !checker.divisions()) return;
  switch (pattern->scheme) {
    case Scheme::vector:
      return checker.vector(pattern->function->name == "SYMV", setting.type);
    case Scheme::block:
      return checker.block(true, setting);
    case Scheme::block_2d:
      return checker.block(false, setting);
    case Scheme::subgroup:
      return checker.subgroup(true, setting.type);
    case Scheme::subgroup_2d:
      return checker.subgroup(false, setting.type);
    case Scheme::legacy:
      return;
  }
}

}  // namespace kiln::kdb
