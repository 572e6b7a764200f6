#pragma once

#include "cli/command/command.hpp"

/// Options that several sub-commands have, defined once so that they read and mean the same.
namespace kiln::cli {

/// The words of the sub-commands that work on specification files.
inline constexpr Positional spec_files = Positional::files("SPEC", "Specification files.");

namespace options {

inline constexpr std::string_view dialect_names[] = {"auto", "base", "concurrent"};
inline constexpr std::string_view compile_policies[] = {"apart", "background", "here"};
inline constexpr std::string_view log_levels[] = {"debug", "info", "warning", "off"};

inline constexpr Option json =
    Option::flag("json", "Prints the result as JSON, one object a line, on standard output.");
inline constexpr Option dialect =
    Option::choice("dialect", "NAME", dialect_names,
                   "The dialect of the specification files: the two published programs that read "
                   "them differ in details. With auto each file's attributes decide.",
                   "auto");
inline constexpr Option source_dir =
    Option::folder("source-dir", "DIR",
                   "A further folder in which the kernel's source file is looked for, after the "
                   "spec's own folder, ../kernel_src and ../kernels.")
        .repeatable();
inline constexpr Option set =
    Option::assignment(
        "set", "NAME=VALUE",
        "Gives a symbol of the spec a value. A name that the spec does not know is an error.")
        .repeatable();
inline constexpr Option set_if =
    Option::assignment("set-if", "NAME=VALUE",
                       "As --set, but ignored by specs that do not know the name.")
        .repeatable();
inline constexpr Option devices =
    Option::text("devices", "LIST",
                 "The devices to use, separated by commas: all, gpu, cpu, an index, ~ and a part "
                 "of a name, cpu/2 (two equal sub-devices) or cpu/1,3 (sub-devices of 1 and 3 "
                 "cores). The first is the one that a partition class favours.",
                 "all");
inline constexpr Option rtol = Option::number(
    "rtol", "X",
    "The relative difference up to which two floating-point results count as equal. Default: 1e-5 "
    "against a file, 0 (equal to the bit) between runs of one kernel.");
inline constexpr Option store =
    Option::folder("store", "DIR",
                   "The folder of the store that keeps compiled programs and records, or off to "
                   "use none. Default: $XDG_CACHE_HOME/kiln.");
inline constexpr Option store_size =
    Option::text("store-size", "BYTES",
                 "How large the local store may become (500M, 2G; off: without end). What saves "
                 "the least time a byte is evicted then.",
                 "5G");
inline constexpr Option system_store =
    Option::folder("system-store", "DIR",
                   "A read-only store that is asked after the local one, as a package ships it, or "
                   "off. Default: /usr/share/kiln/store where it is there.");
inline constexpr Option shared_store = Option::text(
    "shared-store", "URL",
    "The store of the fleet, asked after those of this machine: "
    "redis://[[user]:password@]host[:port][/db], unix:///socket[?db=N], or off. Default: none.");
inline constexpr Option shared_timeout =
    Option::integer("shared-timeout", "MS",
                    "What the shared store may add to a look-up, at most, in milliseconds. "
                    "Default: 50; kiln store push and pull wait at least 5000 for each entry.")
        .at_least(1);
inline constexpr Option compile = Option::choice(
    "compile", "HOW", compile_policies,
    "How a kernel that is not in the store is compiled for a PoCL device: apart (by a helper "
    "process, which makes what the store keeps), background (in this process, while the helper "
    "works for the store) or here (in this process; nothing is kept).",
    "apart");

/// Where programs and records are kept, and how what is missing is made.
inline constexpr Options stores = {store,          system_store, shared_store,
                                   shared_timeout, store_size,   compile};

// Options of the commands that make files of other files.

inline constexpr Option output =
    Option::file("output", "FILE",
                 "The file to write. It appears whole or not at all: what stands there is replaced "
                 "only when everything is written.",
                 Access::write)
        .with_letter('o');
inline constexpr Option directory =
    Option::folder("directory", "DIR",
                   "The folder to write below, made where it is absent. Links that stand in it are "
                   "not followed.",
                   ".")
        .with_letter('C');

// Options of the commands that write a timeline (timeline/timeline.hpp).

inline constexpr Option trace =
    Option::file("trace", "FILE", "Writes the timeline as Chrome trace JSON.", Access::write);
inline constexpr Option gantt = Option::file(
    "gantt", "FILE", "Writes the timeline as a self-contained HTML page.", Access::write);

}  // namespace options
}  // namespace kiln::cli
