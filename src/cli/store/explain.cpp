// `kiln store explain`: why is this an entry of its own?
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entries.hpp"
#include "store/layer/layers.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option store_explain_options[] = {options::store, options::kind, options::system_store,
                                            options::shared_store, options::json};
constexpr Example store_explain_examples[] = {
    {"kiln store explain 3f2a", "Which layers have it, and what is its nearest relative?"},
    {"kiln store explain 3f2a 91c0", "Why are these two not one?"},
};

/// How many entries are compared to find the nearest relative.
constexpr std::size_t most_compared = 2000;

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The entry of the same kind that differs in the fewest facts.
struct Relative {
  Key key;
  std::string label, difference;
};
std::optional<Relative> nearest(LocalStore& store, EntryKind kind, const Key& key,
                                ByteView canonical) {
  std::optional<Relative> best;
  std::size_t compared = 0;
  for (const auto& entry : value_or_throw(store.list())) {
    if (entry.kind != kind || entry.key == key || compared == most_compared) continue;
    ++compared;
    const auto other = store.canonical_of(kind, entry.key);
    if (!other) continue;
    std::string difference = compare_canonical(*other, canonical);
    if (!best || lines_in(difference) < lines_in(best->difference))
      best = {entry.key, entry.metadata.label, std::move(difference)};
  }
  return best;
}

/// A layer's answer, and how long it took.
template <class Ask>
LayerAnswer timed(std::string name, const Ask& ask) {
  LayerAnswer answer{std::move(name), false, "", now_ns(), 0};
  const Lookup found = ask();
  answer.end_ns = now_ns();
  answer.answered = found.entry.has_value();
  answer.reason = found.entry ? fmt::format("{} bytes", found.entry->content.size()) : found.reason;
  return answer;
}

/// Asks each layer by itself, those below one that has the entry, too.
std::vector<LayerAnswer> ask_all(StoreSettings settings, LocalStore& local, EntryKind kind,
                                 const Key& key, ByteView canonical) {
  std::vector<LayerAnswer> answers{
      timed(local.name(), [&] { return local.look_up(kind, key, canonical); })};
  settings.local.clear();
  const auto layers = value_or_throw(open_store(settings));
  const auto* several = dynamic_cast<const LayeredStore*>(layers.get());
  if (several == nullptr) return answers;
  for (const auto& layer : several->below())
    answers.push_back(
        timed(layer.layer->name(), [&] { return layer.layer->get(kind, key, canonical); }));
  return answers;
}

int explain_two(Context& context, LocalStore& store) {
  const auto [first_kind, first] = entry_of(store, context.arguments()[0], context);
  const auto [second_kind, second] = entry_of(store, context.arguments()[1], context);
  const std::string difference =
      compare_canonical(value_or_throw(store.canonical_of(first_kind, first)),
                        value_or_throw(store.canonical_of(second_kind, second)));
  if (context.flag("json"))
    print_json({{"first", first.hex()}, {"second", second.hex()}, {"difference", difference}});
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
  const StoreSettings settings = store_settings_of(context);
  const auto store = open_local(settings);
  if (context.arguments().size() == 2) return explain_two(context, *store);
  const auto [kind, key] = entry_of(*store, context.arguments().front(), context);
  const Bytes canonical = value_or_throw(store->canonical_of(kind, key));
  const auto answers = ask_all(settings, *store, kind, key, canonical);
  const auto relative = nearest(*store, kind, key, canonical);
  if (context.flag("json")) {
    Json json{{"key", key.hex()}, {"layers", Json::array()}};
    for (const auto& answer : answers)
      json["layers"].push_back(
          {{"layer", answer.layer},
           {"answered", answer.answered},
           {"reason", answer.reason},
           {"seconds", static_cast<double>(answer.end_ns - answer.start_ns) * 1e-9}});
    if (relative)
      json["nearest"] = {{"key", relative->key.hex()},
                         {"label", relative->label},
                         {"difference", relative->difference}};
    print_json(json);
    return 0;
  }
  for (const auto& answer : answers)
    print(fmt::format("{:<13} {:<4} {} ({})\n", answer.layer, answer.answered ? "hit" : "miss",
                      one_line(answer.reason),
                      duration(static_cast<double>(answer.end_ns - answer.start_ns))));
  if (relative)
    print(fmt::format("nearest       {} {}, which differs in\n{}", relative->key.digest.brief(),
                      one_line(relative->label), relative->difference));
  return 0;
}

}  // namespace kiln::cli
