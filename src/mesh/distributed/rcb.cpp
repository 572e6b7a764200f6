// Recursive coordinate bisection (Berger and Bokhari, 1987), distributed and exact: the same parts
// whatever the blocks of rows.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// A number whose order is that of the coordinates.
std::uint64_t key_of(double coordinate) {
  const auto bits = std::bit_cast<std::uint64_t>(coordinate + 0.0);  // one zero
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

constexpr unsigned digit_bits = 4;
constexpr std::size_t digits = 1u << digit_bits;

/// Elements that go to parts begin to end - 1; this rank's.
struct Group {
  int begin = 0, end = 0;
  std::vector<std::int32_t> vertices;

  // While it is cut:
  std::size_t axis = 0;
  std::int64_t left = 0;  ///< so many of those that are still undecided go left
  bool all_left = false;
  std::uint64_t prefix = 0;  ///< of the key at the cut, as far as it is known
  std::uint64_t key = 0;     ///< of the coordinate at the cut
};

class Bisection {
 public:
  explicit Bisection(const PartitionInput& input)
      : input_(input), vertices_(input.coordinates.size() / input.dim) {
    const auto last = gather_values<std::int64_t>(
        input.transport, std::array{static_cast<std::int64_t>(vertices_)}, "rcb: sizes");
    for (const std::int64_t count : last) total_ += count;
  }

  std::vector<std::int32_t> run() {
    Group all{0, input_.transport.size(), {}};
    for (std::size_t at = 0; at < vertices_; ++at)
      all.vertices.push_back(static_cast<std::int32_t>(at));
    groups_.push_back(std::move(all));
    const unsigned levels = std::bit_width(static_cast<unsigned>(input_.transport.size() - 1));
    for (unsigned level = 0; level < levels; ++level) cut_all();
    std::vector<std::int32_t> parts(vertices_, 0);
    for (const Group& group : groups_)
      for (const std::int32_t vertex : group.vertices)
        parts[static_cast<std::size_t>(vertex)] = group.begin;
    return parts;
  }

 private:
  double coordinate(std::int32_t vertex, std::size_t axis) const {
    return input_.coordinates[static_cast<std::size_t>(vertex) * input_.dim + axis];
  }
  std::uint64_t key(const Group& group, std::int32_t vertex) const {
    return key_of(coordinate(vertex, group.axis));
  }
  std::uint64_t number(std::int32_t vertex) const {
    return static_cast<std::uint64_t>(input_.first + vertex);
  }
  static int middle(const Group& group) { return group.begin + (group.end - group.begin) / 2; }
  double share(int begin, int end) const {
    if (input_.weights.empty()) return end - begin;
    double sum = 0;
    for (int part = begin; part < end; ++part)
      sum += input_.weights[static_cast<std::size_t>(part)];
    return sum;
  }

  /// Brings each group's values from all ranks together, by the rank of its first part: only who
  /// has elements of a group takes part in it. `of` gives a group's values, `add` adds values to
  /// others; `use` gets the sum.
  template <class T, class Of, class Add, class Use>
  void bring_together(const Of& of, const Add& add, const Use& use) {
    Outbox<T> mine;
    std::vector<Group*> asked;
    for (Group& group : groups_) {
      if (group.end - group.begin < 2) continue;
      mine.box(group.begin) = of(group);
      asked.push_back(&group);
    }
    const auto arrived = mine.deliver(input_.transport, "rcb");
    std::vector<T> sum;
    for (const auto& [rank, values] : arrived) {
      if (sum.empty())
        sum = values;
      else
        add(sum, values);
    }
    for (const auto& [rank, values] : arrived) mine.box(rank) = sum;
    const auto answers = mine.deliver(input_.transport, "rcb");
    // Groups rise with their first parts, and so do answers with their ranks.
    for (std::size_t at = 0; at < answers.size(); ++at) use(*asked[at], answers[at].second);
  }

  void cut_all() {
    choose_axes();
    select(64, [&](const Group& group, std::int32_t vertex) {
      return std::optional(key(group, vertex));
    });
    for (Group& group : groups_) {
      group.key = group.prefix;
      group.prefix = 0;
    }
    // Of those that lie at the cut the lower numbers go left.
    const auto bits = static_cast<unsigned>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(total_ - 1, 1))));
    select((bits + digit_bits - 1) / digit_bits * digit_bits,
           [&](const Group& group, std::int32_t vertex) {
             return key(group, vertex) == group.key ? std::optional(number(vertex)) : std::nullopt;
           });
    divide();
  }

  /// The longest side of the box round the elements, and how many go left.
  void choose_axes() {
    const std::size_t dim = input_.dim;
    bring_together<double>(
        [&](const Group& group) {
          std::vector<double> box(1 + 2 * dim, -std::numeric_limits<double>::infinity());
          box[0] = static_cast<double>(group.vertices.size());
          for (const std::int32_t vertex : group.vertices)
            for (std::size_t axis = 0; axis < dim; ++axis) {
              box[1 + 2 * axis] = std::max(box[1 + 2 * axis], coordinate(vertex, axis));
              box[2 + 2 * axis] = std::max(box[2 + 2 * axis], -coordinate(vertex, axis));
            }
          return box;
        },
        [](std::vector<double>& sum, const std::vector<double>& more) {
          sum[0] += more[0];
          for (std::size_t at = 1; at < sum.size(); ++at) sum[at] = std::max(sum[at], more[at]);
        },
        [&](Group& group, const std::vector<double>& box) {
          group.axis = 0;
          for (std::size_t axis = 1; axis < dim; ++axis)
            if (box[1 + 2 * axis] + box[2 + 2 * axis] >
                box[1 + 2 * group.axis] + box[2 + 2 * group.axis])
              group.axis = axis;
          group.left = std::llround(box[0] * share(group.begin, middle(group)) /
                                    share(group.begin, group.end));
          group.all_left = group.left >= static_cast<std::int64_t>(box[0]);
          group.prefix = 0;
        });
  }

  /// Finds the value that has as many below it as go left, digit by digit, among the elements that
  /// have a value. Then `prefix` is that value, and `left` is how many of its elements go left.
  template <class ValueOf>
  void select(unsigned bits, const ValueOf& value_of) {
    for (unsigned shift = bits; shift > 0;) {
      shift -= digit_bits;
      bring_together<std::int64_t>(
          [&](const Group& group) {
            std::vector<std::int64_t> counts(digits, 0);
            for (const std::int32_t vertex : group.vertices)
              if (const auto value = value_of(group, vertex))
                if (shift + digit_bits == 64 || (*value >> (shift + digit_bits)) == group.prefix)
                  ++counts[(*value >> shift) % digits];
            return counts;
          },
          [](std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& more) {
            for (std::size_t at = 0; at < digits; ++at) sum[at] += more[at];
          },
          [](Group& group, const std::vector<std::int64_t>& counts) {
            std::size_t digit = 0;
            while (digit + 1 < digits && group.left >= counts[digit]) group.left -= counts[digit++];
            group.prefix = group.prefix << digit_bits | digit;
          });
    }
  }

  void divide() {
    std::vector<Group> next;
    for (Group& group : groups_) {
      if (group.end - group.begin < 2) {
        next.push_back(std::move(group));
        continue;
      }
      Group left{group.begin, middle(group), {}}, right{middle(group), group.end, {}};
      for (const std::int32_t vertex : group.vertices) {
        const std::uint64_t at = key(group, vertex);
        const bool goes_left =
            group.all_left || at < group.key || (at == group.key && number(vertex) < group.prefix);
        (goes_left ? left : right).vertices.push_back(vertex);
      }
      for (Group* half : {&left, &right})
        if (!half->vertices.empty()) next.push_back(std::move(*half));
    }
    groups_ = std::move(next);
  }

  const PartitionInput& input_;
  std::size_t vertices_;
  std::int64_t total_ = 0;
  std::vector<Group> groups_;  ///< that have elements here; rising
};

/// A dat's rows in blocks, as doubles.
std::vector<double> doubles_of(DatState& dat) {
  const std::byte* from = dat.data.on_host(dat.session->queue, false);
  const std::size_t count = dat.data.form().elements * dat.data.form().dim;
  std::vector<double> all(count);
  if (dat.data.form().type == ScalarType::f64) {
    std::memcpy(all.data(), from, count * sizeof(double));
  } else {
    std::vector<float> single(count);
    std::memcpy(single.data(), from, count * sizeof(float));
    std::ranges::copy(single, all.begin());
  }
  return all;
}

/// For each element of a map's set the mean of its targets' rows.
std::vector<double> mean_of_targets(MapState& map, DatState& dat) {
  Transport& transport = *dat.session->transport;
  const auto& to = *Handles::state(map.to);
  const std::size_t dim = dat.data.form().dim;
  std::vector<std::int64_t> values = map.declared.plain();
  if (values.empty()) values.assign(map.view().begin(), map.view().end());
  std::vector<std::int64_t> targets = values;
  make_rising(targets);
  Outbox<std::int64_t> questions;
  for (const std::int64_t target : targets) questions.add(to.blocks->rank_of(target), target);
  const auto rows = doubles_of(dat);
  const std::int64_t first = to.blocks->first(transport.rank());
  Outbox<double> answers;
  for (const auto& [rank, asked] : questions.deliver(transport, "coordinates: questions"))
    for (const std::int64_t target : asked)
      for (std::size_t k = 0; k < dim; ++k)
        answers.add(rank, rows[static_cast<std::size_t>(target - first) * dim + k]);
  std::vector<double> known;
  for (const auto& [rank, told] : answers.deliver(transport, "coordinates"))
    known.insert(known.end(), told.begin(), told.end());
  const NumberIndex index(targets);
  std::vector<double> means(values.size() / map.arity * dim, 0);
  for (std::size_t at = 0; at < values.size(); ++at)
    for (std::size_t k = 0; k < dim; ++k)
      means[at / map.arity * dim + k] +=
          known[static_cast<std::size_t>(index.find(values[at])) * dim + k];
  for (double& mean : means) mean /= static_cast<double>(map.arity);
  return means;
}

Partitioner make_rcb(const Set& primary, const Dat& coordinates, std::optional<Map> through) {
  const Set& from = through ? through->to() : primary;
  if (through && !(through->from() == primary))
    refuse("rcb: map {} leads from set {}, expected {}", through->name(), through->from().name(),
           primary.name());
  if (!(coordinates.set() == from))
    refuse("rcb: dat {} is on set {}, expected {}", coordinates.name(), coordinates.set().name(),
           from.name());
  if (!is_floating(coordinates.type()))
    refuse("rcb: dat {} is of {}, expected float or double", coordinates.name(),
           name_of(coordinates.type()));
  Partitioner made{.name = "rcb", .primary = primary, .adjacency = {}};
  made.coordinates = [coordinates, through] {
    DatState& dat = *Handles::state(coordinates);
    auto rows = through ? mean_of_targets(*Handles::state(*through), dat) : doubles_of(dat);
    return std::pair(std::move(rows), dat.data.form().dim);
  };
  made.cut = [](const PartitionInput& input) {
    together(input.transport, "rcb: coordinates", [&] {
      for (std::size_t at = 0; at < input.coordinates.size(); ++at)
        if (!std::isfinite(input.coordinates[at]))
          refuse("rcb: coordinate {} of element {} is {}, expected a finite number", at % input.dim,
                 input.first + static_cast<std::int64_t>(at / input.dim), input.coordinates[at]);
    });
    return Bisection(input).run();
  };
  return made;
}

}  // namespace

Partitioner rcb(const Set& primary, const Dat& coordinates) {
  return make_rcb(primary, coordinates, std::nullopt);
}

Partitioner rcb(const Set& primary, const Dat& coordinates, const Map& through) {
  return make_rcb(primary, coordinates, through);
}

}  // namespace kiln::mesh
