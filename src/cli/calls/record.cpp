// `kiln record`: runs a program that writes down which calls it makes.
#include <stdlib.h>

#include <filesystem>

#include "cli/calls/recorded_calls.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/exec/program.hpp"
#include "kernel/calls/recorded_call.hpp"

namespace kiln::cli {
namespace {

const Options record_options = {
    {.name = "calls",
     .kind = Kind::file,
     .access = Access::update,
     .value_name = "FILE",
     .help = "The file to write. What it holds already stays: several runs add up.",
     .fallback = "calls.jsonl"},
};
const std::initializer_list<Example> record_examples = {
    {"kiln record -- ./solver --steps 10", "Which calls does it make, and how often?"},
    {"kiln record --calls solver.jsonl -- mpirun -n 4 ./solver",
     "All processes that it starts write into the one file."},
    {"kiln record -- ./solver && kiln prebuild --from calls.jsonl",
     "Compiles all that they need, so that the next start compiles nothing."},
};

}  // namespace

const Command record_command{
    .name = "record",
    .summary = "run a program and write down the calls that it makes",
    .description =
        "Runs a program that uses libkiln or libclBLAS.so.2 and writes every kind of call that it "
        "makes to a file: the routine with its shape, or the kernel with its sizes, the device, "
        "how often, and how long it took. The file is for kiln prebuild and kiln tune.\n\n"
        "The program takes the place of this command, so that its exit code, signals and standard "
        "streams are its own. All that the command does is to set KILN_RECORD; a program that is "
        "started in another way records, too, where that names a file. The file is added to every "
        "second and when the program ends, by whole lines: a program that is killed loses about "
        "one second, and many may share a file.",
    .options = {record_options},
    .positional = {.value_name = "PROGRAM",
                   .help = "The program, looked for in PATH, and its arguments; -- goes before it "
                           "where one of them begins with -.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file,
                   .access = Access::none,
                   .access_rest = Access::none},
    .examples = record_examples,
    .body = record,
};

int record(Context& context) {
  const auto file = std::filesystem::absolute(context.text("calls"));
  // Opened here so that a file that cannot be written is reported: the library would keep silent.
  value_or_throw(CallLog::open(file));
  ::setenv("KILN_RECORD", file.c_str(), 1);
  become_program(context.arguments());
}

}  // namespace kiln::cli
