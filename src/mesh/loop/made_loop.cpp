#include "mesh/loop/made_loop.hpp"

#include "mesh/object/halo.hpp"

namespace kiln::mesh {

void MadeLoop::set_constants() {
  for (auto& constant : constants_) {
    if (constant.seen == constant.state->version) continue;
    const auto& data = constant.state->data;
    if (constant.state->dim == 1) {
      const ByteView value{const_cast<Residence&>(data).initial().data(), data.bytes()};
      for (std::size_t i = 0; i < loop_launches_; ++i)
        launches_[i].set_scalar(constant.position, value);
    }
    constant.seen = constant.state->version;
  }
}

bool MadeLoop::begin_exchanges(const Queue& queue) {
  bool any = false;
  for (DatState* dat : halo_reads_) {
    if (!dat->is_halo_stale) continue;
    begin_exchange(*dat, queue);
    any = true;
  }
  return any;
}

void MadeLoop::end_exchanges(const Queue& queue) {
  for (DatState* dat : halo_reads_)
    if (dat->is_halo_stale) end_exchange(*dat, queue);
}

void MadeLoop::run(const Queue& queue, bool is_timed) {
  const bool exchanges = !halo_reads_.empty() && begin_exchanges(queue);
  for (Residence* input : inputs_) input->on_device(queue);
  set_constants();
  const auto some = [&](std::size_t begin, std::size_t end) {
    if (!is_timed) return enqueue(queue, begin, end);
    for (std::size_t i = begin; i < end; ++i)
      times_.enqueue(launches_[i], queue, LaunchTimes::part(i, launches_.size()));
  };
  std::size_t done = 0;
  if (exchanges) {
    some(0, done = core_launches_);
    if (done > 0) check_cl(::clFlush(queue.cl()()), "clFlush");
    end_exchanges(queue);
  }
  some(done, launches_.size());
  for (Residence* output : outputs_) output->device_writes();
  for (DatState* dat : halo_writes_) dat->is_halo_stale = true;
  for (GlobalState* global : extrema_) global->is_extremum = true;
}

}  // namespace kiln::mesh
