#include "blas/routines/team.hpp"

#include <algorithm>

#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

// Below this a second queue costs more than it brings; clBLAS gives it none either.
constexpr double least_team_area = 8192;
// Shares begin at multiples of this, for the sake of whole vectors.
constexpr std::int64_t alignment = 16;

}  // namespace

Team::Team(SequenceBuilder& to, double area) : to_(to) {
  const double most = std::max(1.0, area / least_team_area);
  queues_ = static_cast<unsigned>(std::min<double>(to.queues(), most));
  for (unsigned queue = 1; queue < to.queues(); ++queue)
    if (to.device(queue).handle() != to.device(0).handle() &&
        !(to.device(queue).host_memory && to.device(0).host_memory))
      one_memory_ = false;
}

std::vector<std::int64_t> Team::shares(std::int64_t count,
                                       const std::function<std::int64_t(std::int64_t)>& weight) {
  std::vector<std::int64_t> borders(queues_ + 1, count);
  borders[0] = 0;
  if (queues_ == 1) return borders;
  const std::int64_t stride = std::max(alignment, count / 4096 / alignment * alignment);
  // Up to which part of the work each queue goes.
  std::vector<double> done(queues_, 0);
  for (unsigned queue = 0; queue < queues_; ++queue)
    done[queue] = (queue == 0 ? 0 : done[queue - 1]) + to_.speed(queue, Limit::memory);
  double total = 0, sum = 0, sum_before = 0;
  for (std::int64_t j = 0; j < count; j += stride) total += static_cast<double>(weight(j)) + 1;
  unsigned queue = 1;
  const auto end_share = [&](double end) {
    to_.set_part(queue - 1, (end - sum_before) / total);
    sum_before = end;
  };
  for (std::int64_t j = 0; j < count && queue < queues_; j += stride) {
    for (; queue < queues_ && sum >= total * done[queue - 1] / done.back(); ++queue) {
      borders[queue] = j;
      end_share(sum);
    }
    sum += static_cast<double>(weight(j)) + 1;
  }
  for (; queue <= queues_; ++queue) end_share(total);
  return borders;
}

SequenceBuilder::Arguments Team::step(unsigned queue, const KernelChoice& choice,
                                      const NDRange& range) {
  std::vector<std::size_t> after;
  for (const auto& done : before_)
    if (done.queue != queue) after.push_back(done.step);
  now_.push_back({queue, to_.next_step()});
  return to_.step(queue, choice, range, after);
}

void Team::next_round() {
  end_round();
  to_.forget_parts();
}

void Team::end_round() {
  before_.insert(before_.end(), now_.begin(), now_.end());
  now_.clear();
}

DenseVector::DenseVector(SequenceBuilder& to, Team& team, Slot slot, std::size_t n, Copy copy)
    : slot_(slot), n_(n), is_copy_(copy == Copy::always || to.call()[slot].stride != 1) {
  if (!is_copy_) return;
  copy_ = to.workspace(n * size_of(to.call().precision));
  add_copy(to, team, false);
}

void DenseVector::add_copy(SequenceBuilder& to, Team& team, bool back) const {
  auto arguments =
      team.step(0, template_choice(to, 0, "pack_vector"), stream_range(to.device(0), n_));
  arguments.numbers(n_);
  if (back) arguments.buffer(copy_).numbers(0, 1);
  arguments.operand(slot_).numbers(to.call()[slot_].stride);
  if (!back) arguments.buffer(copy_).numbers(0, 1);
  team.next_round();
}

void DenseVector::put(SequenceBuilder::Arguments& to) const {
  if (is_copy_)
    to.buffer(copy_).numbers(0);
  else
    to.operand(slot_);
}

void DenseVector::write_back(SequenceBuilder& to, Team& team) const {
  if (is_copy_) add_copy(to, team, true);
}

}  // namespace kiln::blas
