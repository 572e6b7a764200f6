#pragma once

#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "cli/command/command.hpp"
#include "device/device.hpp"

/// The options that name a call of BLAS.
namespace kiln::cli {

namespace options {

inline constexpr std::string_view precisions[] = {"s", "d", "c", "z"};
inline constexpr std::string_view orders[] = {"column", "row"};
inline constexpr std::string_view sides[] = {"left", "right"};
inline constexpr std::string_view triangles[] = {"upper", "lower"};
inline constexpr std::string_view transposes[] = {"n", "t", "c"};
inline constexpr std::string_view diagonals[] = {"non-unit", "unit"};

inline constexpr Option size_m =
    Option::integer("size-m", "M", "The rows of the result. Default: as --size-n.")
        .at_least(1)
        .with_letter('m');
inline constexpr Option size_n =
    Option::integer("size-n", "N", "The columns of the result, or the length of the vectors.",
                    "1024")
        .at_least(1)
        .with_letter('n');
inline constexpr Option size_k =
    Option::integer(
        "size-k", "K",
        "The inner size of a product, or the diagonals next to the main one that a band "
        "has, on either side. Default: as --size-n; of bands 1.")
        .with_letter('k');
inline constexpr Option precision =
    Option::choice("precision", "P", precisions,
                   "s (float), d (double), c or z (complex numbers of either), where the routine's "
                   "name does not say it. Default: s, or c where it is for complex numbers alone.");
inline constexpr Option order = Option::choice(
    "order", "ORDER", orders, "Whether matrices are stored by columns or by rows.", "column");
inline constexpr Option side =
    Option::choice("side", "SIDE", sides, "Which factor the special matrix is.", "left");
inline constexpr Option uplo =
    Option::choice("uplo", "UPLO", triangles, "Which triangle of a matrix is given.", "upper");
inline constexpr Option trans_a = Option::choice(
    "trans-a", "T", transposes, "A as it is (n), transposed (t), conjugated as well (c).", "n");
inline constexpr Option trans_b =
    Option::choice("trans-b", "T", transposes, "The same for B.", "n");
inline constexpr Option diag = Option::choice(
    "diag", "DIAG", diagonals, "Whether the diagonal of a triangle is all ones.", "non-unit");
inline constexpr std::string_view storages[] = {"native", "half", "bfloat16", "e4m3",
                                                "e5m2",   "int8", "int32",    "int4"};
inline constexpr std::string_view ways[] = {"none", "rows", "columns"};
inline constexpr std::string_view activations[] = {"none", "relu", "gelu", "silu"};
inline constexpr Option stored = Option::choice(
    "stored", "KIND", storages,
    "How the elements of all operands lie in memory, of calls of precision s: as the "
    "precision says (native), or otherwise.",
    "native");
inline constexpr Option stored_a =
    Option::choice("stored-a", "KIND", storages, "The same of A alone. Default: as --stored.");
inline constexpr Option stored_b =
    Option::choice("stored-b", "KIND", storages, "The same of B alone. Default: as --stored.");
inline constexpr Option stored_c =
    Option::choice("stored-c", "KIND", storages, "The same of C alone. Default: as --stored.");
inline constexpr Option group_a = Option::integer(
    "group-a", "COUNT",
    "Of gemm: so many elements of A next to one another in k share a scale. 0: there are none.",
    "0");
inline constexpr Option group_b = Option::integer("group-b", "COUNT", "The same of B.", "0");
inline constexpr Option bias =
    Option::choice("bias", "ALONG", ways,
                   "Of gemm: what is added, an element for each row or column of C.", "none");
inline constexpr Option scale = Option::choice(
    "scale", "ALONG", ways,
    "Of gemm: what C is multiplied with, an element for each row or column.", "none");
inline constexpr Option activation =
    Option::choice("activation", "FUNCTION", activations,
                   "Of gemm: what C goes through before it is stored.", "none");
inline constexpr Option residual =
    Option::flag("residual", "Of gemm: a matrix is added at the end.");
inline constexpr Option invariant = Option::flag(
    "invariant", "Of products: the bits of an element depend on its row, its column and k alone.");
inline constexpr Option device = Option::text(
    "device", "DEVICE", "A device as --devices of kiln run names it. Default: the first one.");

/// What names a call, and where it runs.
inline constexpr Options blas_call = {size_m,   size_n,     size_k,   precision, order,   side,
                                      uplo,     trans_a,    trans_b,  diag,      device,  stored,
                                      stored_a, stored_b,   stored_c, group_a,   group_b, bias,
                                      scale,    activation, residual, invariant};

}  // namespace options

inline constexpr Positional routine_word = Positional::word(
    "ROUTINE", "A routine of BLAS, without (gemm) or with (dgemm) the letter of its precision.");

/// The call, with contiguous operands that have no memory yet. Throws Error (bad_input) for a
/// routine that there is not, or not in this precision.
blas::Call call_of(const Context& context);

/// The call in words: "dgemm, m 8, n 8, k 8, by columns, A transposed".
std::string text_of(const blas::Call& call);

/// Devices of --device.
std::vector<DevicePtr> devices_of(const Context& context);

}  // namespace kiln::cli
