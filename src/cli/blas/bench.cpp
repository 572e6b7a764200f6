// `kiln blas bench`: a call of Kiln's BLAS against those of other libraries.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/data/text.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "rival/contest.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using rival::Contender;

constexpr Option blas_bench_options[] = {
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
    {.name = "rounds",
     .kind = Kind::integer,
     .value_name = "COUNT",
     .help = "How often each library is measured. Default: what takes about two seconds, 3 to 30.",
     .least = 1},
    options::json,
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
};

constexpr Example blas_bench_examples[] = {
    {"kiln blas bench gemm -m 1024 -n 1024 -k 1024", "How fast is a product of floats here?"},
    {"kiln blas bench dtrsm -n 2048 --device cpu --json", "The same for a program to read."},
};

/// What a call does, and in what it is counted.
struct Work {
  double amount;  ///< in 10^6 of the unit's
  const char* unit;
};
Work work_of(const blas::Call& call) {
  if (rival::is_compute_bound(call.routine)) return {rival::operations_of(call) * 1e-6, "GFLOP/s"};
  return {rival::traffic_of(call) * 1e-6, "GB/s"};
}

/// How much faster Kiln is, round by round; 0 where nothing was measured.
double ratio_to(const Contender& kiln, const Contender& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(kiln.samples.size(), other.samples.size()); ++i)
    ratios.push_back(other.samples[i] / kiln.samples[i]);
  return ratios.empty() ? 0 : median(ratios);
}

std::string milliseconds_text_of(double ms) { return duration(ms * 1e6); }

void print_contenders(const blas::Call& call, const std::string& device,
                      const std::vector<Contender>& all) {
  const Work work = work_of(call);
  print_text(fmt::format("{} on {}\n", text_of(call), device));
  Table table({"library", "median", "first quartile", "third quartile", work.unit, "Kiln is"});
  std::string absent;
  for (const auto& side : all) {
    if (!side.absent.empty()) {
      absent += fmt::format("{}: not measured: {}\n", side.name, side.absent);
      continue;
    }
    const double middle = median(side.samples);
    table.row({side.name, milliseconds_text_of(middle),
               milliseconds_text_of(quantile(side.samples, 0.25)),
               milliseconds_text_of(quantile(side.samples, 0.75)),
               fmt::format("{:.2f}", work.amount / middle),
               &side == &all.front() ? "" : fmt::format("{:.2f} x", ratio_to(all.front(), side))});
  }
  print(table.text());
  print(absent);
}

Json json_of(const blas::Call& call, const std::string& device, const std::vector<Contender>& all) {
  const Work work = work_of(call);
  Json object{{"call", text_of(call)},
              {"routine", blas::name_of(call.routine)},
              {"precision", std::string(1, letter(call.precision))},
              {"m", call.m},
              {"n", call.n},
              {"k", call.k},
              {"device", device},
              {"unit", work.unit},
              {"libraries", Json::array()}};
  for (const auto& side : all) {
    Json entry{{"name", side.name}, {"measured", side.absent.empty()}};
    if (side.absent.empty()) {
      const double middle = median(side.samples);
      entry.update({{"rounds", side.samples.size()},
                    {"median_ms", middle},
                    {"quartiles_ms", {quantile(side.samples, 0.25), quantile(side.samples, 0.75)}},
                    {"rate", work.amount / middle},
                    {"kiln_is_faster_by", ratio_to(all.front(), side)}});
    } else {
      entry["reason"] = side.absent;
    }
    object["libraries"].push_back(std::move(entry));
  }
  return object;
}

}  // namespace

constinit const Command blas_bench_command{
    .name = "blas bench",
    .summary = "measure a call of BLAS against OpenBLAS and CLBlast",
    .description =
        "Measures one call with random numbers: Kiln, OpenBLAS (where the device works in the "
        "host's memory) and CLBlast, each loaded where it is installed. They take turns, each "
        "starts with its threads awake, and medians with quartiles are printed, with the work done "
        "a second: floating-point operations of products, bytes of what memory bounds. Whole calls "
        "count, from before the call until its result is there; \"Kiln is\" is the median of the "
        "ratios of neighbours in time.",
    .options = blas_bench_options,
    .positional = routine_word,
    .examples = blas_bench_examples,
};

/// 0: as many as are worth it.
int rounds_of(const Context& context) {
  constexpr std::int64_t most_rounds = 10000;
  const std::int64_t rounds = context.has("rounds") ? context.integer("rounds") : 0;
  if (rounds < 0 || rounds > most_rounds)
    throw Error(Errc::bad_input,
                fmt::format("--rounds: found {}, expected at most {}", rounds, most_rounds));
  return static_cast<int>(rounds);
}

int blas_bench(Context& context) {
  const int rounds = rounds_of(context);
  const blas::Call call = call_of(context);
  rival::Machine machine{
      Runtime(std::make_shared<Runtime::State>(make_resolver(context), context.text("device")))};
  rival::Problem problem(machine, call);
  std::vector<Contender> all;
  {
    Progress progress("measure", 2);
    progress.note("first calls");
    all = rival::contenders_of(problem, interrupted);
    progress.advance(1, "taking turns");
    rival::measure(all, rounds, interrupted);
  }
  stop_if_interrupted();
  if (context.flag("json"))
    print_json(json_of(problem.call(), machine.device().name, all));
  else
    print_contenders(problem.call(), machine.device().name, all);
  return 0;
}

}  // namespace kiln::cli
