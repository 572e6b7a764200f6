#include "tune/records/kept_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/data/cursor.hpp"
#include "kernel/request/stored_record.hpp"
#include "store/key/canonical.hpp"

namespace kiln::tune {
namespace {

/// Searches are records of this schema, which the docs describe: one entry for all that are kept of
/// a family, problem class and model of device.
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
  for (const auto& each : all) append_block(content, kept_json_of(each));
  // The fingerprint stays empty: what an older driver measured is where a new search starts.
  return store.put(Kind::record, key_of(canonical), canonical, content,
                   {schema, all.back().problem.family, "", 0});
}

// The nearest search to start from.

namespace {

/// "gemm float" of "gemm float TRANS_A": routine and precision; of a file the kernel's name.
std::string stem_of(const std::string& problem_class, bool is_file) {
  const auto first = problem_class.find(' ');
  return problem_class.substr(0, is_file ? first : problem_class.find(' ', first + 1));
}

double distance_of_devices(const KeptRun& kept, const SearchSubject& subject) {
  DeviceFacts there = kept.facts, here = subject.facts;
  there.model = model_of(kept.run.device);
  here.model = model_of(subject.device);
  return (kept.run.device == subject.device ? 0 : 1) + device_distance(there, here);
}

/// The run as a space of its own with trials.
std::shared_ptr<const Transfer> transfer_of(const TuningRun& run, const SearchSpace& space,
                                            std::uint64_t seed) {
  std::map<Positions, Outcome> known;
  for (const auto& evaluation : run.evaluations) {
    const Positions at(evaluation.positions.begin(), evaluation.positions.end());
    known.insert_or_assign(at, evaluation.outcome);
  }
  std::vector<Positions> rows;
  std::vector<Trial> trials;
  for (const auto& [at, outcome] : known) {
    trials.push_back({rows.size(), outcome});
    rows.push_back(at);
  }
  const auto source = SearchSpace::of_rows(run.parameters, rows);
  if (!source) return nullptr;
  const auto made = Transfer::make(*source, trials, space, seed);
  return made ? *made : nullptr;
}

std::string text_of(const KeptRun& kept, const SearchSubject& subject) {
  const auto& problem = kept.problem;
  std::string text = fmt::format("a search of {} evaluations", kept.evaluated);
  if (problem.problem_class != subject.problem.problem_class)
    text += " for " + problem.problem_class;
  if (problem.size != subject.problem.size) text += fmt::format(", size {}", problem.size);
  if (model_of(kept.run.device) != model_of(subject.device))
    return text + ", on " + model_of(kept.run.device);
  if (units_of(kept.run.device) != units_of(subject.device))
    return text + ", on " + units_of(kept.run.device);
  return text + (kept.run.device == subject.device ? "" : ", with another driver");
}

}  // namespace

std::optional<double> distance(const KeptRun& kept, const SearchSubject& subject) {
  const auto &there = kept.problem, &here = subject.problem;
  if (there.family != here.family || kept.facts.type != subject.facts.type) return std::nullopt;
  double far = distance_of_devices(kept, subject);
  if (there.problem_class != here.problem_class) {
    const bool is_file = here.family == "spec";
    const bool is_alike =
        stem_of(there.problem_class, is_file) == stem_of(here.problem_class, is_file);
    if (is_file && !is_alike) return std::nullopt;
    far += is_alike ? 4 : 8;
  }
  far += there.version == here.version ? 0 : 1;
  return far + std::min(doublings(there.size, here.size), 6.0);
}

std::optional<Start> nearest_start(const std::vector<KeptRun>& kept, const SearchSubject& subject,
                                   const SearchSpace& space, std::uint64_t seed,
                                   const std::string& id) {
  std::vector<std::pair<double, const KeptRun*>> near;
  for (const auto& each : kept) {
    if (!id.empty() && each.id != id) continue;
    if (const auto far = distance(each, subject)) near.emplace_back(*far, &each);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->date > b.second->date;
  });
  for (const auto& [far, each] : near)
    if (auto transfer = transfer_of(each->run, space, seed))
      return Start{std::move(transfer), each->id, text_of(*each, subject)};
  return std::nullopt;
}

}  // namespace kiln::tune
