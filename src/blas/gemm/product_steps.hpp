#pragma once

#include "blas/gemm/product.hpp"

// What the forms of a product for CPUs and for GPUs share.
namespace kiln::blas {

/// The kernels of a product for a queue's device. `small`: for a result that is too small to fill
/// the device with large tiles.
KernelChoice gemm_choice(const SequenceBuilder& builder, unsigned queue, bool small);

/// Sets the arguments that describe a factor, from its memory to `conjugated`. `across`: it is the
/// second factor, whose panels lie across the columns of op(region).
SequenceBuilder::Arguments& put_factor(SequenceBuilder::Arguments& to, const Factor& factor,
                                       bool across);

/// Sets the arguments of the kernel `product` from the result's memory to `range`.
SequenceBuilder::Arguments& put_result(SequenceBuilder::Arguments& to, const Product& product,
                                       Precision precision);

void add_cpu_product(SequenceBuilder& builder, unsigned queue, const Product& product);
void add_gpu_product(SequenceBuilder& builder, unsigned queue, const Product& product);

}  // namespace kiln::blas
