#include "mpi/shares.hpp"

#include <algorithm>

namespace kiln::mpi {

std::vector<double> shares_from(std::vector<double> speeds) {
  double sum = 0;
  std::size_t known = 0;
  for (const double speed : speeds)
    if (speed > 0) sum += speed, ++known;
  const double mean = known == 0 ? 1 : sum / static_cast<double>(known);
  for (double& speed : speeds)
    if (!(speed > 0)) speed = mean;
  constexpr double least_share = 0.01;  // of the largest
  const double least = least_share * std::ranges::max(speeds);
  sum = 0;
  for (double& speed : speeds) sum += speed = std::max(speed, least);
  for (double& speed : speeds) speed /= sum;
  return speeds;
}

Cost cost_of(const std::vector<Work>& all) {
  if (all.empty()) return {};
  double elements = 0, seconds = 0;
  for (const Work& work : all) elements += work.elements, seconds += work.seconds;
  const auto count = static_cast<double>(all.size());
  double square = 0, product = 0;
  for (const Work& work : all) {
    const double from_mean = work.elements - elements / count;
    square += from_mean * from_mean;
    product += from_mean * (work.seconds - seconds / count);
  }
  const double of_all = seconds / elements;
  if (square <= 0) return {0, of_all};
  // Times that hardly grow with the part are noise, too: the next cut will tell.
  const double each = std::clamp(product / square, 0.1 * of_all, of_all);
  return {(seconds - each * elements) / count, each};
}

EvenShares even_shares(std::vector<Cost> costs, double elements) {
  double each = 0, known = 0;
  for (const Cost& cost : costs) each += cost.each, known += cost.each > 0 ? 1 : 0;
  if (known == 0 || elements <= 0)
    return {std::vector<double>(costs.size(), 1 / static_cast<double>(costs.size())), 0};
  for (Cost& cost : costs)
    if (cost.each <= 0) cost.each = each / known;
  std::vector<bool> takes_part(costs.size(), true);
  EvenShares found{std::vector<double>(costs.size()), 0};
  // A share that a partitioner cannot tell from none (a thousandth of an equal one) is none.
  const double least = 1e-3 / static_cast<double>(costs.size());
  for (bool is_settled = false; !is_settled;) {
    double per_second = 0, at_once = 0;
    for (std::size_t rank = 0; rank < costs.size(); ++rank)
      if (takes_part[rank]) {
        per_second += 1 / costs[rank].each;
        at_once += costs[rank].fixed / costs[rank].each;
      }
    found.seconds = (elements + at_once) / per_second;
    is_settled = true;
    for (std::size_t rank = 0; rank < costs.size(); ++rank) {
      const double share = (found.seconds - costs[rank].fixed) / costs[rank].each / elements;
      found.shares[rank] = takes_part[rank] ? share : 0;
      if (!takes_part[rank] || share >= least) continue;
      takes_part[rank] = false;
      is_settled = false;
    }
  }
  return found;
}

}  // namespace kiln::mpi
