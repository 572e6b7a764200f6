#include "blas/call/call.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "blas/call/routine_traits.hpp"

// Nothing here needs OpenCL at run time: a test of clBLAS's interface links this file alone.
namespace kiln::blas {

std::string_view name_of(Routine routine) {
  return routines[static_cast<std::size_t>(routine)].name;
}

std::string_view name_of(Slot slot) {
  static constexpr std::array<std::string_view, slot_count> names{
      "A",    "B",     "C",        "x",          "y",          "z",    "w",
      "bias", "scale", "residual", "scale of A", "scale of B", "items"};
  return names[static_cast<std::size_t>(slot)];
}

namespace {

using Access = Use::Access;
using Form = Use::Form;

/// Rows of a band's array: the diagonal, and those below and above. What has no number is more
/// than any array has, and must not come out small.
std::size_t band_rows(std::size_t below, std::size_t above) {
  std::size_t rows = 0;
  return __builtin_add_overflow(below, above, &rows) ||
                 __builtin_add_overflow(rows, std::size_t{1}, &rows)
             ? static_cast<std::size_t>(-1)
             : rows;
}

}  // namespace

/// Fills a Uses from the sizes of a call.
struct UseList {
  Uses& to;
  const Call& call;

  void matrix(Slot slot, std::size_t rows, std::size_t columns, Access access) {
    const bool by_columns = call.order == Order::column_major;
    lines(slot, by_columns ? rows : columns, by_columns ? columns : rows, access);
  }
  /// op(matrix) has the given sizes.
  void matrix(Slot slot, Transpose trans, std::size_t rows, std::size_t columns, Access access) {
    if (trans != Transpose::none) std::swap(rows, columns);
    matrix(slot, rows, columns, access);
  }
  void lines(Slot slot, std::size_t length, std::size_t lines, Access access) {
    add({slot, Form::matrix, access, length, lines});
  }
  void packed(Slot slot, Access access) {
    // One of n and n + 1 is even, so that the product cannot overflow before it is halved.
    const std::size_t n = call.n, even = n % 2 == 0 ? n / 2 : n,
                      odd = n % 2 == 0 ? n + 1 : (n + 1) / 2;
    std::size_t count = 0;
    if (__builtin_mul_overflow(even, odd, &count)) count = static_cast<std::size_t>(-1);
    add({slot, Form::packed, access, count});
  }
  void vector(Slot slot, std::size_t count, Access access) {
    add({slot, Form::vector, access, count});
  }
  /// One element, or a few, of a given size, where that is not as they are stored: results and
  /// parameters.
  void scalars(Slot slot, std::size_t count, std::size_t bytes, Access access) {
    Use use{slot, Form::packed, access, count};
    if (call[slot].stored == Storage::native) use.element = bytes;
    add(use);
  }
  void add(Use use) {
    const std::size_t bits = bits_of(call[use.slot].stored, call.precision);
    if (use.element == 0) use.element = (bits + 7) / 8;
    if (bits < 8) use.in_one = 8 / bits;
    // Only the device knows where the items of a table lie.
    use.items = call.by_items ? 1 : call.batch;
    to.uses_[to.count_++] = use;
  }
};

namespace {

/// The places and scalars of a batch's items.
void table(UseList& list, const Call& call) {
  list.add({Slot::items, Form::packed, Access::read, call.batch, 1, item_bytes(call.precision)});
}

void level_1(UseList& list, const Call& call) {
  const std::size_t element = size_of(call.precision);
  const std::size_t real = size_of(real_of(call.precision));
  switch (call.routine) {
    case Routine::swap:
    case Routine::rot:
    case Routine::rotm:
      list.vector(Slot::x, call.n, Access::both);
      list.vector(Slot::y, call.n, Access::both);
      if (call.routine == Routine::rotm) list.scalars(Slot::z, 5, element, Access::read);
      break;
    case Routine::scal:
      list.vector(Slot::x, call.n, Access::both);
      break;
    case Routine::copy:
    case Routine::axpy:
      list.vector(Slot::x, call.n, Access::read);
      list.vector(Slot::y, call.n, call.routine == Routine::copy ? Access::write : Access::both);
      if (call.by_items) table(list, call);
      break;
    case Routine::dot:
    case Routine::dotc:
      list.vector(Slot::x, call.n, Access::read);
      list.vector(Slot::y, call.n, Access::read);
      list.scalars(Slot::z, 1, element, Access::write);
      break;
    case Routine::nrm2:
    case Routine::asum:
    case Routine::sum:
    case Routine::iamax:
    case Routine::iamin:
    case Routine::imax:
    case Routine::imin:
      list.vector(Slot::x, call.n, Access::read);
      list.scalars(Slot::z, 1,
                   finds_place(call.routine)      ? sizeof(cl_uint)
                   : call.routine == Routine::sum ? element
                                                  : real,
                   Access::write);
      break;
    case Routine::had:
      list.vector(Slot::x, call.n, Access::read);
      list.vector(Slot::y, call.n, Access::read);
      list.vector(Slot::z, call.n, Access::both);
      break;
    case Routine::rotg:
      list.scalars(Slot::x, 1, element, Access::both);
      list.scalars(Slot::y, 1, element, Access::both);
      list.scalars(Slot::z, 1, real, Access::write);
      list.scalars(Slot::w, 1, element, Access::write);
      break;
    default:  // rotmg
      list.scalars(Slot::a, 1, element, Access::both);
      list.scalars(Slot::b, 1, element, Access::both);
      list.scalars(Slot::x, 1, element, Access::both);
      list.scalars(Slot::y, 1, element, Access::read);
      list.scalars(Slot::z, 5, element, Access::write);
  }
}

/// Images and patches lie without gaps. Products that have no number are more than any buffer has.
void windows(UseList& list, const Call& call) {
  const auto product = [](std::initializer_list<std::size_t> factors) {
    std::size_t all = 1;
    for (const std::size_t factor : factors)
      if (__builtin_mul_overflow(all, factor, &all)) return static_cast<std::size_t>(-1);
    return all;
  };
  const auto add = [&](Slot slot, std::size_t count, Access access) {
    list.add({slot, Form::packed, access, count});
  };
  const Window& window = call.window;
  const bool is_conv = call.routine == Routine::conv;
  const std::size_t image =
      product({is_conv ? call.batch : 1, window.channels, window.height, window.width});
  if (is_conv) {
    add(Slot::a, image, Access::read);
    add(Slot::b, product({call.n, call.k}), Access::read);
    add(Slot::c, product({call.batch, call.m, call.n}), Access::write);
    return;
  }
  const bool from_image = call.routine == Routine::im2col;
  const std::size_t patches = product({call.m, call.n});
  add(Slot::a, from_image ? image : patches, Access::read);
  add(Slot::b, from_image ? patches : image, from_image ? Access::write : Access::both);
}

void level_2(UseList& list, const Call& call) {
  if (is_windowed(call.routine)) return windows(list, call);
  if (call.routine == Routine::omatcopy) {
    list.matrix(Slot::a, call.m, call.n, Access::read);
    const bool as_is = call.trans_a == Transpose::none;
    list.matrix(Slot::b, as_is ? call.m : call.n, as_is ? call.n : call.m, Access::write);
    return;
  }
  const auto is = [&](unsigned trait) { return has(call.routine, trait); };
  const std::size_t n = call.n, rows = is(trait::rectangular) ? call.m : n;
  const Access of_a = is(trait::update) ? Access::both : Access::read;
  if (is(trait::packed))
    list.packed(Slot::a, of_a);
  else if (is(trait::band))
    list.lines(Slot::a, is(trait::rectangular) ? band_rows(call.kl, call.ku) : band_rows(call.k, 0),
               call.order == Order::column_major ? n : rows, of_a);
  else
    list.matrix(Slot::a, rows, n, of_a);

  if (is(trait::triangular)) {
    list.vector(Slot::x, n, Access::both);
  } else if (is(trait::update)) {
    list.vector(Slot::x, rows, Access::read);
    if (is(trait::second)) list.vector(Slot::y, n, Access::read);
  } else {
    const bool as_is = call.trans_a == Transpose::none;
    list.vector(Slot::x, as_is ? n : rows, Access::read);
    list.vector(Slot::y, as_is ? rows : n, Access::both);
  }
}

/// What a product's result and factors have besides.
void epilogue(UseList& list, const Call& call) {
  const Epilogue& after = call.epilogue;
  const auto along = [&](Along way) { return way == Along::rows ? call.m : call.n; };
  if (after.bias != Along::none) list.vector(Slot::bias, along(after.bias), Access::read);
  if (after.scale != Along::none) list.vector(Slot::scale, along(after.scale), Access::read);
  if (after.residual) list.matrix(Slot::residual, call.m, call.n, Access::read);
  const auto groups = [&](std::size_t lines, std::size_t group) {
    std::size_t count = 0;
    return __builtin_mul_overflow(lines, (call.k + group - 1) / group, &count)
               ? static_cast<std::size_t>(-1)
               : count;
  };
  if (call.group_a != 0)
    list.add({Slot::scale_a, Form::packed, Access::read, groups(call.m, call.group_a), 1, 2});
  if (call.group_b != 0)
    list.add({Slot::scale_b, Form::packed, Access::read, groups(call.n, call.group_b), 1, 2});
}

void level_3(UseList& list, const Call& call) {
  if (is_windowed(call.routine)) return windows(list, call);
  const auto is = [&](unsigned trait) { return has(call.routine, trait); };
  const std::size_t m = call.m, n = call.n, k = call.k;
  if (is(trait::sided)) {
    list.matrix(Slot::a, square_of(call), square_of(call), Access::read);
    list.matrix(Slot::b, m, n, is(trait::triangular) ? Access::both : Access::read);
    if (!is(trait::triangular)) list.matrix(Slot::c, m, n, Access::both);
  } else if (is(trait::update)) {
    list.matrix(Slot::a, call.trans_a, n, k, Access::read);
    if (is(trait::second)) list.matrix(Slot::b, call.trans_a, n, k, Access::read);
    list.matrix(Slot::c, n, n, Access::both);
  } else {
    list.matrix(Slot::a, call.trans_a, m, k, Access::read);
    list.matrix(Slot::b, call.trans_b, k, n, Access::read);
    list.matrix(Slot::c, m, n, Access::both);
    epilogue(list, call);
    if (call.by_items) table(list, call);
  }
}

}  // namespace

Uses::Uses(const Call& call) {
  UseList list{*this, call};
  if (call.routine < Routine::gemv)
    level_1(list, call);
  else if (call.routine < Routine::gemm)
    level_2(list, call);
  else
    level_3(list, call);
}

bool extent_of(const Use& use, const Operand& operand, std::size_t& extent) {
  if (use.length == 0 || use.lines == 0) {
    extent = 0;
    return true;
  }
  std::size_t last = use.length - 1;
  if (use.form == Use::Form::vector) {
    const auto step = static_cast<std::size_t>(std::llabs(operand.stride));
    if (__builtin_mul_overflow(last, step, &last)) return false;
  } else if (use.form == Use::Form::matrix) {
    std::size_t lines = use.lines - 1;
    if (__builtin_mul_overflow(lines, static_cast<std::size_t>(operand.stride), &lines) ||
        __builtin_add_overflow(last, lines, &last))
      return false;
  }
  std::size_t others = 0;
  return !__builtin_mul_overflow(use.items - 1, static_cast<std::size_t>(operand.batch_stride),
                                 &others) &&
         !__builtin_add_overflow(last, others, &last) &&
         !__builtin_add_overflow(last, operand.offset, &last) &&
         !__builtin_add_overflow(last, std::size_t{1}, &extent);
}

bool bytes_of(const Use& use, const Operand& operand, std::size_t& bytes) {
  std::size_t extent = 0;
  return extent_of(use, operand, extent) &&
         !__builtin_mul_overflow(extent / use.in_one + (extent % use.in_one == 0 ? 0 : 1),
                                 use.element, &bytes);
}

bool items_overlap(const Use& use, const Operand& operand) {
  if (use.items <= 1 || use.length == 0 || use.lines == 0) return false;
  // Lines of `length` elements, `ld` apart: a vector's are its elements.
  const bool is_vector = use.form == Use::Form::vector;
  const auto length = is_vector ? std::size_t{1} : use.length,
             lines = is_vector ? use.length : use.lines,
             ld =
                 lines == 1 ? std::size_t{0} : static_cast<std::size_t>(std::llabs(operand.stride));
  const auto step = static_cast<std::size_t>(operand.batch_stride);
  if (step == 0) return true;
  if (step >= (lines - 1) * ld + length) return false;  // one behind another
  // Items t steps apart meet where line q of one is less than a line's length from line 0 of the
  // other. Where one item's lines lie between another's, no t is.
  for (std::size_t q = 0; q < lines; ++q) {
    const std::size_t begin = q * ld;
    const std::size_t t = begin < length ? 1 : (begin - length) / step + 1;
    if (t >= use.items) return false;
    if (t * step < begin + length) return true;
  }
  return false;
}

bool has_stored(const Call& call) {
  const Uses uses(call);
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return call[use.slot].stored != Storage::native; });
}

Call contiguous(Call call) {
  for (const Use& use : Uses(call)) {
    Operand& operand = call[use.slot];
    operand.stride = use.form == Use::Form::matrix   ? static_cast<std::int64_t>(use.length)
                     : use.form == Use::Form::vector ? 1
                                                     : 0;
    if (operand.batch_stride != 0)
      operand.batch_stride = static_cast<std::int64_t>(use.length * use.lines);
  }
  return call;
}

bool is_compute_bound(Routine routine) { return routine >= Routine::gemm; }

double operations_of(const Call& call) {
  const auto product = [](std::size_t a, std::size_t b, std::size_t c) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  };
  const Routine routine = call.routine;
  const double terms = has(routine, trait::sided)    ? product(call.m, call.n, square_of(call))
                       : has(routine, trait::update) ? product(call.n, call.n, call.k)
                                                     : product(call.m, call.n, call.k);
  // Of a triangle, and of a result of which a triangle is computed, the half.
  const bool is_half = has(routine, trait::triangular) ||
                       (has(routine, trait::update) && !has(routine, trait::second));
  return (is_half ? 1 : 2) * static_cast<double>(call.batch) * terms *
         (is_complex(call.precision) ? 4 : 1);
}

double traffic_of(const Call& call) {
  Call whole = contiguous(call);
  for (auto& operand : whole.operands) operand.offset = 0;
  double bytes = 0;
  for (const Use& use : Uses(whole)) {
    std::size_t each = 0;
    Use item = use;
    item.items = 1;
    bytes_of(item, whole[use.slot], each);
    const bool is_one = call.by_items ? use.slot == Slot::items : whole[use.slot].batch_stride == 0;
    const double all = static_cast<double>(each) * (is_one ? 1 : static_cast<double>(call.batch));
    // Of a square matrix that has a structure, one triangle.
    const bool half = use.slot == Slot::a && use.form == Use::Form::matrix &&
                      use.length == use.lines &&
                      (is_compute_bound(call.routine) || !has(call.routine, trait::rectangular));
    bytes += (half ? all / 2 : all) * (use.access == Use::Access::both ? 2 : 1);
  }
  return bytes;
}

}  // namespace kiln::blas
