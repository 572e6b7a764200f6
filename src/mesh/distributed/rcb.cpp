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

constexpr unsigned digit_bits = 8;
constexpr std::size_t digits = 1u << digit_bits;

/// Elements are cut into two halves, which go to two halves of the ranks, and so on: in each step a
/// rank has elements of one group only, those of the parts `begin` to `end` - 1, and speaks with
/// the ranks of these. So a step takes a packet a rank or two, however scattered the elements are.
class Bisection {
 public:
  explicit Bisection(const PartitionInput& input)
      : input_(input),
        dim_(input.dim),
        end_(input.transport.size()),
        coordinates_(input.coordinates.begin(), input.coordinates.end()) {
    const std::size_t count = dim_ == 0 ? 0 : coordinates_.size() / dim_;
    for (std::size_t at = 0; at < count; ++at)
      numbers_.push_back(input.first + static_cast<std::int64_t>(at));
    firsts_ = gather_values<std::int64_t>(input.transport, std::array{input.first}, "rcb: rows");
    const auto counts = gather_values<std::int64_t>(
        input.transport, std::array{static_cast<std::int64_t>(count)}, "rcb: sizes");
    for (const std::int64_t one : counts) total_ += one;
    counts_ = counts;
  }

  std::vector<std::int32_t> run() {
    const unsigned levels = std::bit_width(static_cast<unsigned>(input_.transport.size() - 1));
    for (unsigned level = 0; level < levels; ++level) {
      choose_axis();
      select(64, [&](std::size_t at) { return std::optional(key(at)); });
      key_ = std::exchange(prefix_, 0);
      // Of those that lie at the cut the lower numbers go left.
      const auto bits = static_cast<unsigned>(
          std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(total_ - 1, 1))));
      select((bits + digit_bits - 1) / digit_bits * digit_bits, [&](std::size_t at) {
        return key(at) == key_ ? std::optional(static_cast<std::uint64_t>(numbers_[at]))
                               : std::nullopt;
      });
      divide();
    }
    return at_home();
  }

 private:
  std::uint64_t key(std::size_t at) const { return key_of(coordinates_[at * dim_ + axis_]); }
  bool is_single() const { return end_ - begin_ < 2; }
  int middle() const { return begin_ + (end_ - begin_) / 2; }
  double share(int begin, int end) const {
    if (input_.weights.empty()) return end - begin;
    double sum = 0;
    for (int part = begin; part < end; ++part)
      sum += input_.weights[static_cast<std::size_t>(part)];
    return sum;
  }

  /// The group's values from all of its ranks that have some of its elements; `add` adds values to
  /// others. Its first rank brings them together. Empty where this rank has no elements.
  template <class T, class Add>
  std::vector<T> bring_together(std::vector<T> mine, const Add& add) {
    Outbox<T> box;
    if (!is_single() && !numbers_.empty()) box.box(begin_) = std::move(mine);
    const auto arrived = box.deliver(input_.transport, "rcb");
    std::vector<T> sum;
    for (const auto& [rank, values] : arrived) {
      if (sum.empty())
        sum = values;
      else
        add(sum, values);
    }
    for (const auto& [rank, values] : arrived) box.box(rank) = sum;
    auto answers = box.deliver(input_.transport, "rcb");
    return answers.empty() ? std::vector<T>() : std::move(answers.front().second);
  }

  /// The longest side of the box round the elements, and how many go left.
  void choose_axis() {
    std::vector<double> box(1 + 2 * dim_, -std::numeric_limits<double>::infinity());
    box[0] = static_cast<double>(numbers_.size());
    for (std::size_t at = 0; at < numbers_.size(); ++at)
      for (std::size_t axis = 0; axis < dim_; ++axis) {
        const double coordinate = coordinates_[at * dim_ + axis];
        box[1 + 2 * axis] = std::max(box[1 + 2 * axis], coordinate);
        box[2 + 2 * axis] = std::max(box[2 + 2 * axis], -coordinate);
      }
    box = bring_together<double>(std::move(box),
                                 [](std::vector<double>& sum, const std::vector<double>& more) {
                                   sum[0] += more[0];
                                   for (std::size_t at = 1; at < sum.size(); ++at)
                                     sum[at] = std::max(sum[at], more[at]);
                                 });
    prefix_ = 0;
    if (box.empty()) return;
    const auto side = [&](std::size_t axis) { return box[1 + 2 * axis] + box[2 + 2 * axis]; };
    axis_ = 0;
    for (std::size_t axis = 1; axis < dim_; ++axis)
      if (side(axis) > side(axis_)) axis_ = axis;
    left_ = std::llround(box[0] * share(begin_, middle()) / share(begin_, end_));
    all_left_ = left_ >= static_cast<std::int64_t>(box[0]);
  }

  /// Finds the value that has as many below it as go left, digit by digit, among the elements that
  /// have a value. Then prefix_ is that value, and left_ is how many of its elements go left.
  template <class ValueOf>
  void select(unsigned bits, const ValueOf& value_of) {
    for (unsigned shift = bits; shift > 0;) {
      shift -= digit_bits;
      std::vector<std::int64_t> counts(digits, 0);
      for (std::size_t at = 0; at < numbers_.size() && !is_single(); ++at)
        if (const auto value = value_of(at))
          if (shift + digit_bits == 64 || (*value >> (shift + digit_bits)) == prefix_)
            ++counts[(*value >> shift) % digits];
      counts = bring_together<std::int64_t>(std::move(counts),
                                            [](std::vector<std::int64_t>& sum, const auto& more) {
                                              for (std::size_t at = 0; at < digits; ++at)
                                                sum[at] += more[at];
                                            });
      if (counts.empty()) continue;
      std::size_t digit = 0;
      while (digit + 1 < digits && left_ >= counts[digit]) left_ -= counts[digit++];
      prefix_ = prefix_ << digit_bits | digit;
    }
  }

  /// The halves go to the ranks of their parts, as many to each.
  void divide() {
    std::vector<char> goes_left(numbers_.size(), 0);
    std::array<std::int64_t, 2> mine{};
    for (std::size_t at = 0; at < numbers_.size() && !is_single(); ++at) {
      const std::uint64_t own = key(at);
      const bool left = all_left_ || own < key_ ||
                        (own == key_ && static_cast<std::uint64_t>(numbers_[at]) < prefix_);
      goes_left[at] = left ? 1 : 0;
      ++mine[left ? 0 : 1];
    }
    const auto all = gather_values<std::int64_t>(input_.transport, mine, "rcb: halves");
    std::array<std::int64_t, 2> before{}, sums{};
    for (int rank = begin_; rank < end_; ++rank)
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int64_t count = all[2 * static_cast<std::size_t>(rank) + half];
        if (rank < input_.transport.rank()) before[half] += count;
        sums[half] += count;
      }
    Outbox<double> coordinates;
    Outbox<std::int64_t> numbers;
    for (std::size_t at = 0; at < numbers_.size(); ++at) {
      const std::size_t half = goes_left[at] != 0 ? 0 : 1;
      int to = begin_;
      if (!is_single()) {
        const int first = half == 0 ? begin_ : middle(), last = half == 0 ? middle() : end_;
        // Rising: what is next to one another goes to the same rank.
        to = first + static_cast<int>(before[half]++ * (last - first) / sums[half]);
      }
      numbers.add(to, numbers_[at]);
      auto& row = coordinates.box(to);
      for (std::size_t axis = 0; axis < dim_; ++axis) row.push_back(coordinates_[at * dim_ + axis]);
    }
    free_memory(numbers_), free_memory(coordinates_);
    for (auto& [rank, some] : numbers.deliver(input_.transport, "rcb: numbers"))
      numbers_.insert(numbers_.end(), some.begin(), some.end());
    for (auto& [rank, some] : coordinates.deliver(input_.transport, "rcb: coordinates"))
      coordinates_.insert(coordinates_.end(), some.begin(), some.end());
    if (is_single()) return;
    (input_.transport.rank() < middle() ? end_ : begin_) = middle();
  }

  /// Each element is on the rank of its part now: those whose rows they are in are told.
  std::vector<std::int32_t> at_home() {
    Outbox<std::int64_t> told;
    for (const std::int64_t number : numbers_) told.add(home_of(number), number);
    std::vector<std::int32_t> parts(input_.coordinates.size() / std::max<std::size_t>(dim_, 1), 0);
    for (const auto& [rank, some] : told.deliver(input_.transport, "rcb: parts"))
      for (const std::int64_t number : some)
        parts[static_cast<std::size_t>(number - input_.first)] = rank;
    return parts;
  }
  int home_of(std::int64_t number) const {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
    auto rank = static_cast<std::size_t>(after - firsts_.begin()) - 1;
    while (counts_[rank] == 0) --rank;
    return static_cast<int>(rank);
  }

  const PartitionInput& input_;
  const std::size_t dim_;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> firsts_, counts_;  ///< of rows, by rank

  // The group, and its elements here:
  int begin_ = 0, end_;
  std::vector<double> coordinates_;
  std::vector<std::int64_t> numbers_;
  // While it is cut:
  std::size_t axis_ = 0;
  std::int64_t left_ = 0;  ///< so many of those that are still undecided go left
  bool all_left_ = false;
  std::uint64_t prefix_ = 0;  ///< of the value at the cut, as far as it is known
  std::uint64_t key_ = 0;     ///< of the coordinate at the cut
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
