#pragma once

#include "cli/common_options.hpp"
#include "cli/timeline_options.hpp"

/// Options of the commands that run an application.
namespace kiln::cli::options {

inline constexpr Option application_report{
    .name = "report",
    .help =
        "Prints of each loop how often it ran, its time, the time of its plans and programs, the "
        "bytes that it moves, and which share of the device's copy bandwidth that is."};
inline constexpr Option application_check{
    .name = "check", .help = "Holds every plan against its definition before it is used."};
inline constexpr Option application_tune{
    .name = "tune",
    .kind = Kind::number,
    .value_name = "SECONDS",
    .help =
        "After the first step, searches for the fastest form of each loop for at most so long; "
        "what is found goes on record in the store, for all later runs.",
    .least = 0.1};
inline constexpr Option application_device{
    .name = "device",
    .kind = Kind::text,
    .value_name = "DEVICE",
    .help = "The device: gpu, cpu, an index, or ~ and a part of a name. Default: the first one."};
inline constexpr Option application_reference{
    .name = "reference",
    .kind = Kind::number,
    .value_name = "RMS",
    .help = "Holds the last result against this number, in place of OP2's for the large mesh."};
inline constexpr Option application_intervals{
    .name = "intervals",
    .kind = Kind::integer,
    .value_name = "G",
    .help = "Intervals along each side of the square: (G - 1)² inner nodes.",
    .fallback = "6",
    .least = 5,
    .letter = 'G'};

}  // namespace kiln::cli::options
