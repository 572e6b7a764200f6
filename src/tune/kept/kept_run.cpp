#include "tune/kept/kept_run.hpp"

#include <algorithm>

#include "base/cursor.hpp"
#include "kernel/related_records.hpp"
#include "store/canonical_fields.hpp"

namespace kiln::tune {
namespace {

constexpr std::string_view schema_name = "tuning searches";
constexpr std::uint32_t schema = 1;

Bytes canonical_of(const TuningProblem& problem, const std::string& device) {
  CanonicalWriter writer(schema_name, 1);
  writer.text("family", problem.family)
      .text("problem class", problem.problem_class)
      .text("model", model_of(device));
  return writer.view();
}

/// u32 count, then u32 length and JSON of each.
std::vector<KeptRun> runs_of(const Entry& entry) {
  std::vector<KeptRun> runs;
  if (entry.metadata.schema != schema) return runs;
  Cursor in(entry.content, "searches");
  for (auto left = in.count(4, "searches"); left > 0 && in.ok(); --left)
    if (auto kept = read_kept_run(in.text("search"))) runs.push_back(*std::move(kept));
  return runs;
}

/// What goes on with a search, or makes it again, takes its place.
bool is_same(const KeptRun& a, const KeptRun& b) {
  return a.run.identity == b.run.identity && a.run.device == b.run.device &&
         a.run.strategy == b.run.strategy && a.run.seed == b.run.seed;
}

}  // namespace

TuningRun bounded(TuningRun run, std::size_t most) {
  const std::size_t count = run.evaluations.size();
  if (count <= most) return run;
  std::vector<bool> stays(count, false);
  std::size_t kept = 0;
  const auto keep = [&](std::size_t at) {
    if (kept >= most || stays[at]) return;
    stays[at] = true;
    ++kept;
  };
  const auto ranked = run.ranked();
  for (std::size_t i = 0; i < std::min(most / 2, ranked.size()); ++i)
    keep(static_cast<std::size_t>(ranked[i] - run.evaluations.data()));
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < count; ++i)
    if (!stays[i]) rest.push_back(i);
  const std::size_t more = most - kept;
  for (std::size_t i = 0; i < more; ++i) keep(rest[i * rest.size() / more]);
  std::vector<Evaluation> left;
  for (std::size_t i = 0; i < count; ++i)
    if (stays[i]) left.push_back(std::move(run.evaluations[i]));
  run.evaluations = std::move(left);
  return run;
}

std::vector<KeptRun> kept_runs(Layer& store, const TuningProblem& problem,
                               const std::string& device) {
  const Bytes canonical = canonical_of(problem, device);
  const auto found = store.get(Kind::record, key_of(canonical), canonical);
  return found.entry ? runs_of(*found.entry) : std::vector<KeptRun>{};
}

Expected<std::vector<KeptRun>> all_kept_runs(LocalStore& store) {
  const auto entries = store.list();
  if (!entries) return tl::unexpected(entries.error());
  std::vector<KeptRun> all;
  for (const auto& entry : *entries) {
    if (entry.kind != Kind::record) continue;
    const auto canonical = store.canonical_of(entry.kind, entry.key);
    const auto fields = canonical ? CanonicalFields::read(*canonical) : CanonicalFields();
    const auto* name = fields ? fields->text("schema") : nullptr;
    if (name == nullptr || *name != schema_name) continue;
    const auto found = store.look_up(entry.kind, entry.key, *canonical);
    if (!found.entry) continue;
    for (auto& kept : runs_of(*found.entry)) all.push_back(std::move(kept));
  }
  return all;
}

Expected<void> keep_run(Layer& store, KeptRun kept) {
  kept.evaluated = std::max(kept.evaluated, kept.run.evaluations.size());
  kept.run = bounded(std::move(kept.run));
  const Bytes canonical = canonical_of(kept.problem, kept.run.device);
  auto all = kept_runs(store, kept.problem, kept.run.device);
  std::erase_if(all, [&](const KeptRun& known) { return is_same(known, kept); });
  all.push_back(std::move(kept));
  if (all.size() > most_kept_runs)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most_kept_runs));
  Bytes content;
  append_le(content, static_cast<std::uint32_t>(all.size()));
  for (const auto& each : all) {
    const std::string json = kept_json_of(each);
    append_le(content, static_cast<std::uint32_t>(json.size()));
    append(content, json);
  }
  // The fingerprint stays empty: what an older driver measured is where a new search starts.
  return store.put(Kind::record, key_of(canonical), canonical, content,
                   {schema, all.back().problem.family, "", 0});
}

}  // namespace kiln::tune
