#include <algorithm>
#include <cmath>

#include "tune/report/run.hpp"
#include "tune/strategy/forest_model.hpp"

namespace kiln::tune {
namespace {

/// Points of the sampled estimate: its error is about 1/sqrt of it.
constexpr std::size_t kPoints = 2048;
constexpr std::size_t kFolds = 5;
/// More would only take longer: the estimate's own error is larger then.
constexpr std::size_t kMostMeasured = 4000;
constexpr ExtraTrees::Shape kShape{40, 1.0, 64};

using Row = std::vector<float>;

struct Samples {
  std::size_t width = 0;
  std::vector<float> rows, targets;

  void add(const float* row, float target) {
    rows.insert(rows.end(), row, row + width);
    targets.push_back(target);
  }
  const float* row(std::size_t i) const { return rows.data() + i * width; }
};

/// Positions in place of values: trees look at the order only, and texts have one, too.
Samples samples_of(const TuningRun& run) {
  Samples samples;
  samples.width = run.parameters.size();
  Row row(samples.width);
  auto ranked = run.ranked();
  // Of more configurations than are taken, evenly spaced ones over the whole range of times.
  const std::size_t step = (ranked.size() + kMostMeasured - 1) / kMostMeasured;
  for (std::size_t i = 0; i < ranked.size(); i += std::max<std::size_t>(step, 1)) {
    for (std::size_t p = 0; p < row.size(); ++p)
      row[p] = static_cast<float>(ranked[i]->positions[p]);
    samples.add(row.data(), static_cast<float>(std::log(ranked[i]->outcome.time)));
  }
  return samples;
}

double mean_of(std::span<const float> numbers) {
  double sum = 0;
  for (const float number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

double variance(std::span<const float> numbers) {
  const double mean = mean_of(numbers);
  double sum = 0;
  for (const float number : numbers) sum += (number - mean) * (number - mean);
  return sum / static_cast<double>(numbers.size());
}

/// The part of the variance that forests explain of what they have not seen.
double explained(const Samples& all) {
  Random random(1);
  double error = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    Samples known{all.width, {}, {}};
    for (std::size_t i = 0; i < all.targets.size(); ++i)
      if (i % kFolds != fold) known.add(all.row(i), all.targets[i]);
    ExtraTrees forest;
    forest.fit(known.rows, known.width, known.targets, kShape, random);
    for (std::size_t i = fold; i < all.targets.size(); i += kFolds) {
      const double off = forest.estimate(all.row(i)).mean - all.targets[i];
      error += off * off;
    }
  }
  return 1 - error / static_cast<double>(all.targets.size()) / variance(all.targets);
}

/// What the forest says at random points, and at those with one parameter of other points.
class Analysis {
 public:
  /// `centre`: what the forest says on average, about.
  Analysis(const TuningRun& run, const ExtraTrees& forest, double centre)
      : forest_(forest), centre_(centre) {
    Random random(2);
    for (auto* points : {&first_, &second_})
      for (std::size_t i = 0; i < kPoints; ++i) {
        auto& point = points->emplace_back();
        for (const auto& parameter : run.parameters)
          point.push_back(static_cast<float>(random.below(parameter.values.size())));
      }
    of_first_ = said(first_);
    of_second_ = said(second_);
    std::vector<float> both = of_first_;
    both.insert(both.end(), of_second_.begin(), of_second_.end());
    variance_ = variance(both);
  }

  Importance::Share share(std::size_t parameter) const {
    if (variance_ <= 0) return {parameter, 0, 0};
    auto mixed = first_;
    for (std::size_t i = 0; i < kPoints; ++i) mixed[i][parameter] = second_[i][parameter];
    const auto of_mixed = said(mixed);
    double alone = 0, with_others = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double moved = of_mixed[i] - of_first_[i];
      alone += of_second_[i] * moved;
      with_others += moved * moved / 2;
    }
    const double scale = static_cast<double>(kPoints) * variance_;
    // Sampling can leave them a little outside of what they can be.
    const double total = std::clamp(with_others / scale, 0.0, 1.0);
    return {parameter, std::clamp(alone / scale, 0.0, total), total};
  }

 private:
  std::vector<float> said(const std::vector<Row>& points) const {
    std::vector<float> all;
    // Around 0: the products of share() would drown in the mean else.
    for (const auto& point : points)
      all.push_back(static_cast<float>(forest_.estimate(point.data()).mean - centre_));
    return all;
  }

  const ExtraTrees& forest_;
  std::vector<Row> first_, second_;
  std::vector<float> of_first_, of_second_;
  double centre_, variance_ = 0;
};

}  // namespace

std::optional<Importance> importance_of(const TuningRun& run) {
  const Samples samples = samples_of(run);
  if (samples.targets.size() < kLeastForImportance || variance(samples.targets) <= 0)
    return std::nullopt;
  Random random(3);
  ExtraTrees forest;
  forest.fit(samples.rows, samples.width, samples.targets, kShape, random);
  Importance importance{{}, samples.targets.size(), explained(samples)};
  const Analysis analysis(run, forest, mean_of(samples.targets));
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    importance.shares.push_back(analysis.share(p));
  std::stable_sort(importance.shares.begin(), importance.shares.end(),
                   [](const auto& a, const auto& b) { return a.with_others > b.with_others; });
  return importance;
}

}  // namespace kiln::tune
