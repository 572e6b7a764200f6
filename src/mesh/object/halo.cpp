#include "mesh/object/halo.hpp"

namespace kiln::mesh {
namespace {

HaloValues values_of(DatState& dat) {
  const auto& form = dat.data.form();
  return {dat.name,      form.type,
          form.dim,      dat.on.set().size(),
          form.elements, {dat.data.initial().data(), dat.data.bytes()}};
}

}  // namespace

bool DatState::has_halo() const {
  return Handles::state(on.set())->exchange != nullptr || on.set().total_size() > on.set().size();
}

void begin_exchange(DatState& dat, const Queue& queue) {
  dat.data.on_host(queue, false);
  Handles::state(dat.on.set())->exchange->begin(values_of(dat));
}

void end_exchange(DatState& dat, const Queue& queue) {
  // Not on_host(): what kernels do to owned elements meanwhile is nothing to wait for.
  Handles::state(dat.on.set())->exchange->end(values_of(dat));
  dat.data.upload_from(queue, dat.on.set().size());
  dat.is_halo_stale = false;
}

}  // namespace kiln::mesh
