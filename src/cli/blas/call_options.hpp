#pragma once

#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "cli/command/command.hpp"
#include "device/device.hpp"

/// `kiln blas …`: what a call of BLAS comes to, and how fast it is; the options that name a call.
namespace kiln::cli {

extern const Command blas_explain_command, blas_bench_command;
int blas_explain(Context& context);
int blas_bench(Context& context);

namespace options {

inline constexpr std::string_view precisions[] = {"s", "d", "c", "z"};
inline constexpr std::string_view orders[] = {"column", "row"};
inline constexpr std::string_view sides[] = {"left", "right"};
inline constexpr std::string_view triangles[] = {"upper", "lower"};
inline constexpr std::string_view transposes[] = {"n", "t", "c"};
inline constexpr std::string_view diagonals[] = {"non-unit", "unit"};

inline constexpr Option size_m{.name = "size-m",
                               .kind = Kind::integer,
                               .value_name = "M",
                               .help = "The rows of the result. Default: as --size-n.",
                               .least = 1,
                               .letter = 'm'};
inline constexpr Option size_n{.name = "size-n",
                               .kind = Kind::integer,
                               .value_name = "N",
                               .help = "The columns of the result, or the length of the vectors.",
                               .fallback = "1024",
                               .least = 1,
                               .letter = 'n'};
inline constexpr Option size_k{
    .name = "size-k",
    .kind = Kind::integer,
    .value_name = "K",
    .help =
        "The inner size of a product, or the diagonals beside the main one that a band has, on "
        "either side. Default: as --size-n; of bands 1.",
    .letter = 'k'};
inline constexpr Option precision{
    .name = "precision",
    .kind = Kind::choice,
    .value_name = "P",
    .help =
        "s (float), d (double), c or z (complex numbers of either), where the routine's name "
        "does not say it. Default: s, or c where it is for complex numbers alone.",
    .choices = precisions};
inline constexpr Option order{.name = "order",
                              .kind = Kind::choice,
                              .value_name = "ORDER",
                              .help = "Whether matrices are stored by columns or by rows.",
                              .fallback = "column",
                              .choices = orders};
inline constexpr Option side{.name = "side",
                             .kind = Kind::choice,
                             .value_name = "SIDE",
                             .help = "Which factor the special matrix is.",
                             .fallback = "left",
                             .choices = sides};
inline constexpr Option uplo{.name = "uplo",
                             .kind = Kind::choice,
                             .value_name = "UPLO",
                             .help = "Which triangle of a matrix is given.",
                             .fallback = "upper",
                             .choices = triangles};
inline constexpr Option trans_a{.name = "trans-a",
                                .kind = Kind::choice,
                                .value_name = "T",
                                .help = "A as it is (n), transposed (t), conjugated as well (c).",
                                .fallback = "n",
                                .choices = transposes};
inline constexpr Option trans_b{.name = "trans-b",
                                .kind = Kind::choice,
                                .value_name = "T",
                                .help = "The same for B.",
                                .fallback = "n",
                                .choices = transposes};
inline constexpr Option diag{.name = "diag",
                             .kind = Kind::choice,
                             .value_name = "DIAG",
                             .help = "Whether the diagonal of a triangle is all ones.",
                             .fallback = "non-unit",
                             .choices = diagonals};
inline constexpr Option device{
    .name = "device",
    .kind = Kind::text,
    .value_name = "DEVICE",
    .help = "A device as --devices of kiln run names it. Default: the first one."};

}  // namespace options

/// The routines' names, for completion and messages.
std::span<const std::string_view> routine_names();
inline constexpr Positional routine_word{
    .value_name = "ROUTINE",
    .help = "A routine of BLAS, without (gemm) or with (dgemm) the letter of its precision.",
    .least = 1,
    .most = 1};

/// The call, with contiguous operands that have no memory yet. Throws Error (bad_input) for a
/// routine that there is not, or not in this precision.
blas::Call call_of(const Context& context);

/// The call in words: "dgemm, m 8, n 8, k 8, by columns, A transposed".
std::string text_of(const blas::Call& call);

/// Devices of --device.
std::vector<DevicePtr> devices_of(const Context& context);

}  // namespace kiln::cli
