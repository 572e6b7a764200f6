// `kiln tune`: its definition; what it does is in a file each.
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
    {.name = "seeds",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "How many searches to make, each with random numbers of its own.",
     .fallback = "100",
     .least = 1},
    {.name = "within",
     .kind = Kind::number,
     .value_name = "PERCENT",
     .help = "How near to the fastest configuration's speed a search must come.",
     .fallback = "5",
     .least = 0},
    options::json,
};
constexpr Example examples[] = {
    {"kiln tune --replay convolution_A4000.json.gz", "How many evaluations does a search take?"},
    {"kiln tune --replay cache.json --strategy all", "Which strategy is best there?"},
    {"kiln tune --replay a.json.gz --from b.json.gz", "What are another device's times worth?"},
};

}  // namespace

constinit const Command tune_command{
    .name = "tune",
    .summary = "search for the fastest parameters of a kernel",
    .description =
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
    .examples = examples,
};

std::span<const std::string_view> tune_strategy_names() {
  return std::span(strategy_names).subspan(1);
}

int tune(Context& context) {
  if (context.has("replay")) return tune_replay(context);
  throw Error(Errc::bad_input, "nothing to tune; expected --replay FILE");
}

}  // namespace kiln::cli
