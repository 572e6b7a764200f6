// `kiln store explain`: why is this an entry of its own?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entries.hpp"
#include "kiln/json.hpp"

namespace kiln::cli {
namespace {

constexpr Option store_explain_options[] = {options::store, options::kind, options::system_store,
                                            options::shared_store, options::json};
constexpr Example store_explain_examples[] = {
    {"kiln store explain 3f2a", "Which layers have it, and what is its nearest relative?"},
    {"kiln store explain 3f2a 91c0", "Why are these two not one?"},
};

int explain_two(Context& context, const Store& store) {
  const EntryInfo first = store.entry(context.arguments()[0], kind_of(context));
  const EntryInfo second = store.entry(context.arguments()[1], kind_of(context));
  const std::string difference = store.difference(first, second);
  if (context.flag("json"))
    print_json(
        {{"first", first.key.hex()}, {"second", second.key.hex()}, {"difference", difference}});
  else
    print(difference.empty() ? "the same\n" : difference);
  return 0;
}

}  // namespace

constinit const Command store_explain_command{
    .name = "store explain",
    .summary = "show which layers have an entry, and what tells it from others",
    .description =
        "With one KEY: what each layer of the store says to it, with the time that took, and the "
        "entry that differs in the fewest facts: what changed, and so why this one was made. With "
        "two: the facts in which they differ, \"-\" of the first and \"+\" of the second.",
    .options = store_explain_options,
    .positional = {.value_name = "KEY",
                   .help = "The first letters of a key.",
                   .least = 1,
                   .most = 2},
    .examples = store_explain_examples,
};

int store_explain(Context& context) {
  const Store store = store_of(context);
  if (context.arguments().size() == 2) return explain_two(context, store);
  const StoreExplanation explanation =
      store.explain(store.entry(context.arguments().front(), kind_of(context)));
  if (context.flag("json")) {
    print_json_line(json_of(explanation));
    return 0;
  }
  for (const auto& answer : explanation.layers)
    print(fmt::format("{:<13} {:<4} {} ({})\n", answer.layer, answer.answered ? "hit" : "miss",
                      one_line(answer.reason),
                      duration(static_cast<double>(answer.end_ns - answer.start_ns))));
  if (const auto& relative = explanation.nearest)
    print(fmt::format("nearest       {} {}, which differs in\n{}", relative->key.digest.brief(),
                      one_line(relative->label), relative->difference));
  return 0;
}

}  // namespace kiln::cli
