#include "blas/routines/product.hpp"
#include "blas/routines/routines.hpp"
#include "blas/sequence/sequence_builder.hpp"

// Matrices and images that are copied into another form, and the convolution, which is a product
// with such a copy. On the first queue alone: all but the convolution is bound by the memory.
namespace kiln::blas {
namespace {

KernelChoice patches_kernel(const SequenceBuilder& to, const char* name) {
  const Window& window = to.call().window;
  KernelChoice choice =
      template_choice(to, 0, "patches", {{"flipped", std::int64_t{window.flipped}}});
  choice.kernel = name;
  return choice;
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
  to.step(0, kernel, stream_range(to.device(0), rows * columns))
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

// An image's result is, by columns, places x filters: the patches, places x points, times the
// filters, points x filters.
void add_conv(SequenceBuilder& to) {
  const Call& call = to.call();
  const auto places = static_cast<std::int64_t>(call.m), points = static_cast<std::int64_t>(call.k);
  const auto image = static_cast<std::int64_t>(call.window.points_of_image());
  const auto result = static_cast<std::int64_t>(call.m * call.n);
  const cl::Buffer patches = to.workspace(call.m * call.k * size_of(call.precision));
  const KernelChoice copy = patches_kernel(to, "im2col");
  Product product;
  product.rows = call.m;
  product.columns = call.n;
  product.depth = call.k;
  product.first.region = {{}, patches, 0, places};
  product.second.region = {Slot::b, {}, 0, points};
  product.alpha = 1;
  product.beta = 0;
  for (std::int64_t item = 0; item < static_cast<std::int64_t>(call.batch); ++item) {
    auto arguments = to.step(0, copy, stream_range(to.device(0), call.m * call.k));
    put(arguments, call.window).operand(Slot::a, item * image).buffer(patches).numbers(0);
    product.result = {Slot::c, {}, item * result, places};
    add_product(to, 0, product);
  }
}

}  // namespace kiln::blas
