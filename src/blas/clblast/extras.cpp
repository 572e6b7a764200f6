#include "blas/clblast/calls.hpp"

// CLBlast's routines that BLAS does not have, but for the batches.
namespace clblast {

using namespace kiln::clblast;

template <typename T>
StatusCode Had(size_t n, T alpha, KILN_VECTOR(x), KILN_VECTOR(y), T beta, KILN_VECTOR(z),
               KILN_QUEUE) {
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y), z = KILN_THE_VECTOR(z);
  Checks checks(sizeof(T), queue);
  checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y).vector(Name::y, n, z);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::had<Computed<T>>(n, number(alpha), operand<T>(x, n), operand<T>(y, n),
                                        number(beta), operand<T>(z, n));
  });
}
KILN_ALL(Had)

template <typename T>
StatusCode Omatcopy(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                    KILN_MATRIX(a), KILN_MATRIX(b), KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b);
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose).sizes({m, n}).matrix(Name::a, layout, m, n, a);
  checks.matrix(Name::b, layout, a_transpose, m, n, b);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::omatcopy<Computed<T>>(from(layout), from(a_transpose), m, n, number(alpha),
                                             operand<T>(a), operand<T>(b));
  });
}
KILN_ALL(Omatcopy)

// ---- Images. CLBlast's sizes of a filter may be 0 nowhere; what it does then is undefined.

#define KILN_WINDOW                                                                      \
  KernelMode kernel_mode, size_t channels, size_t height, size_t width, size_t kernel_h, \
      size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h, size_t stride_w,     \
      size_t dilation_h, size_t dilation_w
#define KILN_THE_WINDOW                                                                        \
  {                                                                                            \
    channels, height, width, kernel_h, kernel_w, pad_h, pad_w, stride_h, stride_w, dilation_h, \
        dilation_w, kernel_mode == KernelMode::kConvolution                                    \
  }

/// The checks of what windows go over; the call's own look at the rest, and at overflow.
Checks& check(Checks& checks, KernelMode mode, const kiln::blas::Window& window) {
  checks.options(mode).sizes({window.channels, window.height, window.width});
  for (const size_t size : {window.kernel_h, window.kernel_w, window.stride_h, window.stride_w,
                            window.dilation_h, window.dilation_w})
    checks.sizes({size});
  return checks;
}

template <typename T>
StatusCode Im2col(KILN_WINDOW, KILN_BLOCK(im), KILN_BLOCK(col), KILN_QUEUE) {
  const kiln::blas::Window window = KILN_THE_WINDOW;
  Checks checks(sizeof(T), queue);
  check(checks, kernel_mode, window);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::im2col<Computed<T>>(window, operand<T>(KILN_THE_BLOCK(im)),
                                           operand<T>(KILN_THE_BLOCK(col)));
  });
}
KILN_ALL(Im2col)

template <typename T>
StatusCode Col2im(KILN_WINDOW, KILN_BLOCK(col), KILN_BLOCK(im), KILN_QUEUE) {
  const kiln::blas::Window window = KILN_THE_WINDOW;
  Checks checks(sizeof(T), queue);
  check(checks, kernel_mode, window);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::col2im<Computed<T>>(window, operand<T>(KILN_THE_BLOCK(col)), Computed<T>(1),
                                           operand<T>(KILN_THE_BLOCK(im)));
  });
}
KILN_ALL(Col2im)

template <typename T>
StatusCode Convgemm(KILN_WINDOW, size_t num_kernels, size_t batch_count, KILN_BLOCK(im),
                    KILN_BLOCK(kernel), KILN_BLOCK(result), KILN_QUEUE) {
  const kiln::blas::Window window = KILN_THE_WINDOW;
  Checks checks(sizeof(T), queue);
  checks.batches(batch_count).sizes({num_kernels});
  check(checks, kernel_mode, window);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::conv<Computed<T>>(
        window, num_kernels, batch_count, operand<T>(KILN_THE_BLOCK(im)),
        operand<T>(KILN_THE_BLOCK(kernel)), operand<T>(KILN_THE_BLOCK(result)));
  });
}
KILN_REAL(Convgemm)
KILN_HALF(Convgemm)

}  // namespace clblast
