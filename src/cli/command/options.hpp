#pragma once

#include "cli/command/command.hpp"

/// Options that several sub-commands have, defined once so that they read and mean the same.
namespace kiln::cli {

/// The words of the sub-commands that work on specification files.
inline constexpr Positional spec_files{.value_name = "SPEC",
                                       .help = "Specification files.",
                                       .least = 1,
                                       .most = 1'000'000,
                                       .kind = Kind::file};

namespace options {

inline constexpr std::string_view dialect_names[] = {"auto", "base", "concurrent"};
inline constexpr std::string_view compile_policies[] = {"apart", "background", "here"};
inline constexpr std::string_view log_levels[] = {"debug", "info", "warning", "off"};

inline constexpr Option json{
    .name = "json", .help = "Prints the result as JSON, one object a line, on standard output."};
inline constexpr Option dialect{
    .name = "dialect",
    .kind = Kind::choice,
    .value_name = "NAME",
    .help =
        "The dialect of the specification files: the two published programs that read them "
        "differ in details. With auto each file's attributes decide.",
    .fallback = "auto",
    .choices = dialect_names};
inline constexpr Option source_dir{
    .name = "source-dir",
    .kind = Kind::folder,
    .value_name = "DIR",
    .help =
        "A further folder in which the kernel's source file is looked for, after the spec's "
        "own folder, ../kernel_src and ../kernels.",
    .repeat = Repeat::yes};
inline constexpr Option set{
    .name = "set",
    .kind = Kind::assignment,
    .value_name = "NAME=VALUE",
    .help = "Gives a symbol of the spec a value. A name that the spec does not know is an error.",
    .repeat = Repeat::yes};
inline constexpr Option set_if{.name = "set-if",
                               .kind = Kind::assignment,
                               .value_name = "NAME=VALUE",
                               .help = "As --set, but ignored by specs that do not know the name.",
                               .repeat = Repeat::yes};
inline constexpr Option devices{
    .name = "devices",
    .kind = Kind::text,
    .value_name = "LIST",
    .help =
        "The devices to use, separated by commas: all, gpu, cpu, an index, ~ and a part of a "
        "name, cpu/2 (two equal sub-devices) or cpu/1,3 (sub-devices of 1 and 3 cores). The "
        "first is the one that a partition class favours.",
    .fallback = "all"};
inline constexpr Option rtol{
    .name = "rtol",
    .kind = Kind::number,
    .value_name = "X",
    .help =
        "The relative difference up to which two floating-point results count as equal. Default: "
        "1e-5 against a file, 0 (equal to the bit) between runs of one kernel."};
inline constexpr Option store{
    .name = "store",
    .kind = Kind::folder,
    .value_name = "DIR",
    .help =
        "The folder of the store that keeps compiled programs and records, or off to use "
        "none. Default: $XDG_CACHE_HOME/kiln."};
inline constexpr Option store_size{
    .name = "store-size",
    .kind = Kind::text,
    .value_name = "BYTES",
    .help =
        "How large the local store may become (500M, 2G; off: without end). What saves the least "
        "time a byte is evicted then.",
    .fallback = "5G"};
inline constexpr Option system_store{
    .name = "system-store",
    .kind = Kind::folder,
    .value_name = "DIR",
    .help =
        "A read-only store that is asked after the local one, as a package ships it, or off. "
        "Default: /usr/share/kiln/store where it is there."};
inline constexpr Option shared_store{
    .name = "shared-store",
    .kind = Kind::text,
    .value_name = "URL",
    .help =
        "The store of the fleet, asked after those of this machine: "
        "redis://[[user]:password@]host[:port][/db], unix:///socket[?db=N], or off. Default: "
        "none."};
inline constexpr Option shared_timeout{
    .name = "shared-timeout",
    .kind = Kind::integer,
    .value_name = "MS",
    .help =
        "What the shared store may add to a look-up, at most, in milliseconds. Default: 50; "
        "kiln store push and pull wait at least 5000 for each entry.",
    .least = 1};
inline constexpr Option compile{
    .name = "compile",
    .kind = Kind::choice,
    .value_name = "HOW",
    .help =
        "How a kernel that is not in the store is compiled for a PoCL device: apart (by a helper "
        "process, which makes what the store keeps), background (in this process, while the helper "
        "works for the store) or here (in this process; nothing is kept).",
    .fallback = "apart",
    .choices = compile_policies};

// Options of the commands that make files of other files.

inline constexpr Option output{
    .name = "output",
    .kind = Kind::file,
    .access = Access::write,
    .value_name = "FILE",
    .help =
        "The file to write. It appears whole or not at all: what stands there is replaced only "
        "when everything is written.",
    .letter = 'o'};
inline constexpr Option directory{
    .name = "directory",
    .kind = Kind::folder,
    .value_name = "DIR",
    .help =
        "The folder to write below, made where it is absent. Links that stand in it are not "
        "followed.",
    .fallback = ".",
    .letter = 'C'};

// Options of the commands that write a timeline (timeline/timeline.hpp).

inline constexpr Option trace{.name = "trace",
                              .kind = Kind::file,
                              .access = Access::write,
                              .value_name = "FILE",
                              .help = "Writes the timeline as Chrome trace JSON."};
inline constexpr Option gantt{.name = "gantt",
                              .kind = Kind::file,
                              .access = Access::write,
                              .value_name = "FILE",
                              .help = "Writes the timeline as a self-contained HTML page."};

}  // namespace options
}  // namespace kiln::cli
