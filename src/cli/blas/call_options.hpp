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
inline constexpr Option device = Option::text(
    "device", "DEVICE", "A device as --devices of kiln run names it. Default: the first one.");

/// What names a call, and where it runs.
inline constexpr Options blas_call = {size_m, size_n,  size_k,  precision, order, side,
                                      uplo,   trans_a, trans_b, diag,      device};

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
