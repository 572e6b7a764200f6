#include "frame/statistics.hpp"

#include <fmt/format.h>

namespace kiln::bench {

tl::expected<Pairs, std::string> interleave(const Sample& first, const Sample& second, int pairs,
                                            int warm_up) {
  Pairs measured;
  for (int i = -warm_up; i < pairs; ++i) {
    const bool first_leads = i % 2 == 0;
    auto one = first_leads ? first() : second();
    if (!one) return tl::unexpected(one.error());
    auto other = first_leads ? second() : first();
    if (!other) return tl::unexpected(other.error());
    if (i < 0) continue;
    measured.first.push_back(first_leads ? *one : *other);
    measured.second.push_back(first_leads ? *other : *one);
  }
  return measured;
}

namespace {

template <class Operation>
Figure per_pair(const Pairs& pairs, const std::string& unit, Operation operation) {
  std::vector<double> results;
  for (std::size_t i = 0; i < pairs.first.size(); ++i) {
    results.push_back(operation(pairs.first[i], pairs.second[i]));
  }
  return {median(results),
          fmt::format("{:.4g} against {:.4g} {}, quartiles {:.3f} to {:.3f}, {} pairs",
                      median(pairs.first), median(pairs.second), unit, quantile(results, 0.25),
                      quantile(results, 0.75), results.size())};
}

}  // namespace

Figure ratio(const Pairs& pairs, const std::string& unit) {
  return per_pair(pairs, unit, [](double a, double b) { return a / b; });
}

Figure difference(const Pairs& pairs, const std::string& unit) {
  return per_pair(pairs, unit, [](double a, double b) { return a - b; });
}

}  // namespace kiln::bench
