#include "blas/shape.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "blas/uses.hpp"

namespace kiln::blas {

static_assert(std::has_unique_object_representations_v<Shape>);

Shape::Shape(const Call& call, cl_context in_context, const cl_device_id* on, std::size_t count)
    : routine(static_cast<std::uint8_t>(call.routine)),
      precision(static_cast<std::uint8_t>(call.precision)),
      order(static_cast<std::uint8_t>(call.order)),
      side(static_cast<std::uint8_t>(call.side)),
      uplo(static_cast<std::uint8_t>(call.uplo)),
      trans_a(static_cast<std::uint8_t>(call.trans_a)),
      trans_b(static_cast<std::uint8_t>(call.trans_b)),
      diag(static_cast<std::uint8_t>(call.diag)),
      real_alpha(call.real_alpha ? 1 : 0),
      alpha_is_zero(call.alpha == Scalar(0) ? 1 : 0),
      alpha_is_one(call.alpha == Scalar(1) ? 1 : 0),
      queues(static_cast<std::uint8_t>(std::min(count, most_queues))),
      unused{},
      m(call.m),
      n(call.n),
      k(call.k),
      kl(call.kl),
      ku(call.ku),
      strides{},
      context(in_context),
      devices{} {
  for (const Use& use : Uses(call))
    strides[static_cast<std::size_t>(use.slot)] = call[use.slot].stride;
  std::copy_n(on, queues, devices.begin());
}

bool Shape::operator==(const Shape& other) const {
  return std::memcmp(this, &other, sizeof *this) == 0;
}

std::uint64_t Shape::hash() const { return XXH3_64bits(this, sizeof *this); }

}  // namespace kiln::blas
