// `kiln tune`: its definition; what it does is in a file each.
#include "cli/blas/call_options.hpp"
#include "cli/common_options.hpp"
#include "cli/context.hpp"
#include "cli/tune/commands.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view strategy_names[] = {
    "all",       "forest",  "multi-start", "iterated-local",
    "annealing", "genetic", "random",      "exhaustive",
};

constexpr Option own_options[] = {
    {.name = "replay",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "A measured space to search in place of a device: a Kernel Tuner cache file or a T4 "
             "results file, compressed or not."},
    {.name = "from",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "A measured space of another device, in the same formats, to start from."},
    {.name = "from-evaluations",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "Starts from a run of the tuner with N evaluations on the other device, another for "
             "each seed, in place of all that was measured there. 0 takes all.",
     .fallback = "0",
     .least = 0},
    {.name = "strategy",
     .kind = Kind::choice,
     .value_name = "NAME",
     .help = "How to search; all compares them.",
     .fallback = "forest",
     .choices = strategy_names},
    {.name = "param",
     .kind = Kind::text,
     .value_name = "NAME=VALUES",
     .help = "A parameter of a specification's kernel, a symbol of the file or a macro, and the "
             "whole numbers that it may be: 8,16,32 or 1..8:1 (from, to, step) or 8..64:*2.",
     .repeat = Repeat::yes},
    {.name = "constraint",
     .kind = Kind::text,
     .value_name = "CONDITION",
     .help = "What must hold between parameters, as \"TS % WPT == 0\".",
     .repeat = Repeat::yes},
    options::set,
    options::set_if,
    options::dialect,
    options::source_dir,
    {.name = "in",
     .kind = Kind::file_assignment,
     .value_name = "P=FILE",
     .help = "Reads the data of argument P of a specification from a .npy file.",
     .repeat = Repeat::yes},
    {.name = "expect",
     .kind = Kind::file_assignment,
     .value_name = "P=FILE",
     .help = "What argument P must be after a run; of all that are written, or of none. Default: "
             "what the file's own run without parameters writes.",
     .repeat = Repeat::yes},
    options::rtol,
    {.name = "budget",
     .kind = Kind::text,
     .value_name = "TIME",
     .help =
         "How long to search, as 90s, 10m or 2h; the last candidate and the play-off come on top.",
     .fallback = "10m"},
    {.name = "evaluations",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "How many candidates to measure, at most. 0: as many as the budget allows.",
     .fallback = "0",
     .least = 0},
    {.name = "seed",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "Of the search's random numbers.",
     .fallback = "0",
     .least = 0},
    {.name = "journal",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "Where each measurement is written as soon as it is known. Default: a file of the "
             "search's own in $XDG_STATE_HOME/kiln/tuning."},
    {.name = "resume",
     .help = "Goes on with the search that the journal holds, where it was stopped or killed."},
    {.name = "from-scratch",
     .help = "Does not start from the nearest search on record: of the same device with another "
             "driver, of another size, of a device like it."},
    {.name = "report",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "Writes the search as a page for a browser when it ends: the best so far, what each "
             "parameter matters, failures, the ten fastest. kiln tuned report makes it of any "
             "journal."},
    {.name = "jobs",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "How many processes compile what is measured next. 0: by the processors of this "
             "machine, at most 8.",
     .fallback = "0",
     .least = 0},
    {.name = "hang-time",
     .kind = Kind::text,
     .value_name = "TIME",
     .help = "How long a candidate may take to compile and run before it counts as hanging.",
     .fallback = "60s"},
    options::size_m,
    options::size_n,
    options::size_k,
    options::precision,
    options::order,
    options::side,
    options::uplo,
    options::trans_a,
    options::trans_b,
    options::diag,
    options::device,
    {.name = "seeds",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "With --replay: how many searches to make, each with random numbers of its own.",
     .fallback = "100",
     .least = 1},
    {.name = "within",
     .kind = Kind::number,
     .value_name = "PERCENT",
     .help = "How near to the fastest configuration's speed a search must come.",
     .fallback = "5",
     .least = 0},
    options::json,
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
};
constexpr Example examples[] = {
    {"kiln tune gemm -n 1024 --budget 10m", "Find the fastest block sizes for products of floats."},
    {"kiln tune mm.json --param TS=8,16,32 --param WPT=1..8 --constraint \"TS % WPT == 0\"",
     "The same for a kernel of one's own."},
    {"kiln tune gemm -n 1024 --resume", "Go on where that was stopped."},
    {"kiln tune --replay convolution_A4000.json.gz", "How many evaluations does a search take?"},
    {"kiln tune --replay cache.json --strategy all", "Which strategy is best there?"},
    {"kiln tune --replay a.json.gz --from b.json.gz", "What are another device's times worth?"},
};

}  // namespace

constinit const Command tune_command{
    .name = "tune",
    .summary = "search for the fastest parameters of a kernel",
    .description =
        "Searches for the parameters with which a routine of BLAS is fastest on a device, for "
        "calls "
        "of this kind and about this size, and puts them on record: from then on every call uses "
        "them. Every candidate's result is compared with that of the built-in parameters, which "
        "take part, so that what is recorded is never slower. Candidates run in a process of their "
        "own: those that hang or crash are noted and passed over. Ctrl-C ends the search in good "
        "order.\n\n"
        "With --replay, searches a space in which every configuration was measured before, so that "
        "strategies can be compared at no cost. For each seed it counts the evaluations until a "
        "configuration within 5 % of the fastest one's speed is found: configurations that fail "
        "count, those that were measured before do not, and a search that never gets there "
        "counts as the whole space.\n\n"
        "The score is that of the autotuning community's methodology: how far the best found lies "
        "between random search's and the optimum, averaged over the evaluations in which random "
        "search comes 95 % of the way from the median to the optimum. 0 is as good as random, 1 "
        "would be the optimum at once.",
    .options = own_options,
    .positional = {.value_name = "WHAT",
                   .help = "A routine of BLAS, without (gemm) or with (dgemm) the letter of its "
                           "precision; or a specification file; or a tuning problem (T1).",
                   .least = 0,
                   .most = 1},
    .examples = examples,
};

std::span<const std::string_view> tune_strategy_names() {
  return std::span(strategy_names).subspan(1);
}

int tune(Context& context) {
  if (context.has("replay")) return tune_replay(context);
  if (!context.arguments().empty()) return tune_search(context);
  throw Error(
      Errc::bad_input,
      "nothing to tune; expected a routine, as gemm, a specification file, or --replay FILE");
}

}  // namespace kiln::cli
