#include <algorithm>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"
#include "blas/routines/routines.hpp"
#include "blas/sequence/sequence_builder.hpp"

// Matrices and images that are copied into another form, and the convolution, which is a product
// with such a copy. On the first queue alone: all but the convolution is bound by the memory.
namespace kiln::blas {
namespace {

/// `few`: of the kernel for so few filters; 0: of the others.
KernelChoice patches_kernel(const SequenceBuilder& to, const char* name, std::int64_t few = 0) {
  const Window& window = to.call().window;
  KernelChoice choice =
      template_choice(to, 0, "patches", {{"flipped", std::int64_t{window.flipped}}, {"few", few}});
  choice.kernel = name;
  return choice;
}

/// A GPU's work-groups have a tile, or a stretch, each, of so many elements.
NDRange copy_range(const Device& device, std::size_t elements) {
  constexpr std::size_t of_group = 1024, most = 1 << 16;
  if (device.type == Device::Type::cpu) return stream_range(device, elements);
  return work_groups(device, std::clamp<std::size_t>(elements / of_group, 1, most));
}

SequenceBuilder::Arguments& put(SequenceBuilder::Arguments& to, const Window& w) {
  return to.numbers(w.channels, w.height, w.width, w.kernel_h, w.kernel_w, w.pad_h, w.pad_w,
                    w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.rows(), w.columns());
}

}  // namespace

void add_omatcopy(SequenceBuilder& to) {
  const Call& call = to.call();
  // Seen by columns, a matrix by rows is its transpose, and so is the result.
  const bool by_columns = call.order == Order::column_major;
  const std::size_t rows = by_columns ? call.m : call.n, columns = by_columns ? call.n : call.m;
  const bool conjugated = call.trans_a == Transpose::conjugate && is_complex(call.precision);
  const KernelChoice kernel =
      template_choice(to, 0, "omatcopy",
                      {{"transposed", std::int64_t{call.trans_a != Transpose::none}},
                       {"conjugated", std::int64_t{conjugated}}});
  to.step(0, kernel, copy_range(to.device(0), rows * columns))
      .numbers(rows, columns)
      .scalars(call_alpha)
      .operand(Slot::a)
      .numbers(call[Slot::a].stride)
      .operand(Slot::b)
      .numbers(call[Slot::b].stride);
}

void add_patches(SequenceBuilder& to) {
  const Call& call = to.call();
  const bool from_image = call.routine == Routine::im2col;
  const std::size_t items = from_image ? call.m * call.n : call.window.points_of_image();
  auto arguments = to.step(0, patches_kernel(to, from_image ? "im2col" : "col2im"),
                           stream_range(to.device(0), items));
  put(arguments, call.window).operand(Slot::a);
  if (!from_image) arguments.scalars(call_beta);
  arguments.operand(Slot::b);
}

/// On a GPU a few filters need no patches. Returns false, and adds nothing, for others.
bool add_conv_of_few(SequenceBuilder& to) {
  constexpr std::size_t most_filters = 32;
  const Call& call = to.call();
  if (is_cpu_form(to.gemm_form(0)) || call.n == 0 || call.n > most_filters || has_stored(call))
    return false;
  auto arguments = to.step(0, patches_kernel(to, "conv", static_cast<std::int64_t>(call.n)),
                           stream_range(to.device(0), call.batch * call.m));
  put(arguments, call.window)
      .numbers(call.batch)
      .operand(Slot::a)
      .operand(Slot::b)
      .operand(Slot::c);
  return true;
}

// An image's result is, by columns, places x filters: the patches, places x points, times the
// filters, points x filters.
void add_conv(SequenceBuilder& to) {
  if (add_conv_of_few(to)) return;
  const Call& call = to.call();
  const auto places = static_cast<std::int64_t>(call.m), points = static_cast<std::int64_t>(call.k);
  const auto image = static_cast<std::int64_t>(call.window.points_of_image());
  const auto result = static_cast<std::int64_t>(call.m * call.n);
  // On GPUs many images go at once, as far as there is memory to spare for their patches.
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const std::size_t each = call.m * call.k * size_of(call.precision);
  const std::size_t at_once =
      is_cpu_form(to.gemm_form(0))
          ? 1
          : std::clamp<std::size_t>(most_bytes / std::max<std::size_t>(each, 1), 1, call.batch);
  const cl::Buffer patches = to.workspace(at_once * each);
  const KernelChoice copy = patches_kernel(to, "im2col");
  Product product;
  product.rows = call.m;
  product.columns = call.n;
  product.depth = call.k;
  product.first.region = {{}, patches, 0, places};
  product.first.region.item_step = places * points;
  product.second.region = {Slot::b, {}, 0, points};
  product.alpha = 1;
  product.beta = 0;
  for (std::size_t item = 0; item < call.batch; item += at_once) {
    product.items = std::min(at_once, call.batch - item);
    const auto from = static_cast<std::int64_t>(item);
    // Images lie one after another, as the channels of one do, and so do their patches.
    Window window = call.window;
    window.channels *= product.items;
    auto arguments = to.step(0, copy, stream_range(to.device(0), call.m * call.k * product.items));
    put(arguments, window).operand(Slot::a, from * image).buffer(patches).numbers(0);
    product.result = {Slot::c, {}, from * result, places};
    product.result.item_step = result;
    add_product(to, 0, product);
  }
}

}  // namespace kiln::blas
