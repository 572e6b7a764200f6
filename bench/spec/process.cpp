// One whole `kiln run`, from the shell's point of view, against programs that do the same job
// without Kiln. Every side runs in a sandbox of its own that earlier runs have warmed.
#include <fmt/format.h>

#include "base/os/file.hpp"
#include "device/context.hpp"
#include "frame/whole_process.hpp"
#include "kernel/resolver/resolver.hpp"
#include "spec/bars.hpp"
#include "spec/example.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

constexpr int kProcessPairs = 60;
constexpr int kProcessItems = 1024;

Program kiln_run(const Context& context, const Sandbox& sandbox) {
  return {context.binaries / "kiln",
          {"run", (context.source / "examples/specs/vector_add.json").string(), "--set",
           fmt::format("dataset={}", kProcessItems), "--devices", "cpu"},
          sandbox.environment()};
}

/// The archive that `kiln run` has put into its store, as the Resolver gives it out.
fs::path extract_archive(const Context& context, const Sandbox& sandbox, const fs::path& into) {
  use_own_driver_cache();
  const auto device = value_or_throw(select_devices("cpu")).front();
  Example example(context, "vector_add", kProcessItems);
  const Job job = example.job();
  Resolver resolver(open_local_store(sandbox.store()));
  const auto opened = kiln::Context::create({device});
  const Bytes archive = resolver.resolve(job.request, opened, device).archive();
  if (archive.empty()) throw Error(Errc::unsupported, "the CPU device's programs are no archives");
  value_or_throw(write_file(into, archive));
  return into;
}

/// Milliseconds of loading the drivers and opening a device: what no side can go below.
std::string floor_text(const Context& context, const Sandbox& sandbox, double kiln_ms) {
  const Program nothing{"/bin/true", {}, {}};
  const Program open{context.binaries / "rival-open_machine", {}, sandbox.environment()};
  const auto pairs = value_of(interleave(timed(open), timed(nothing), 30));
  const double floor = median(pairs.first);
  return fmt::format(", floor (drivers and device) {:.4g} ms = {:.0f} % of Kiln's", floor,
                     100 * floor / kiln_ms);
}

Outcome against_binary(const Context& context) {
  const Sandbox ours, theirs;
  const Sample kiln = timed(kiln_run(context, ours));
  value_of(kiln());  // compiles, and keeps the archive
  const auto archive = extract_archive(context, ours, theirs.path() / "vector_add.poclbin");
  const Program rival{context.binaries / "rival-vector_add_binary",
                      {archive.string(), std::to_string(kProcessItems)},
                      theirs.environment()};
  const auto pairs = value_of(interleave(kiln, timed(rival), kProcessPairs, 5));
  auto figure = ratio(pairs, "ms");
  figure.detail += floor_text(context, theirs, median(pairs.first));
  return figure;
}

Outcome against_python(const Context& context) {
  // Debian's interpreter: it is the one that has Debian's packages.
  const fs::path python = "/usr/bin/python3";
  const Program probe{python, {"-c", "import numpy, pyopencl"}, {}};
  if (!fs::exists(python) || !time_process(probe)) return not_measured("no python3-pyopencl");
  const Sandbox ours, theirs;
  const Program rival{
      python,
      {(context.source / "bench/rivals/vector_add.py").string(),
       (context.source / "examples/specs/vector_add.json").string(),
       (context.source / "examples/kernels").string(), std::to_string(kProcessItems)},
      theirs.environment()};
  const auto pairs =
      value_of(interleave(timed(rival), timed(kiln_run(context, ours)), kProcessPairs / 2, 3));
  return ratio(pairs, "ms");
}

}  // namespace

Bar process_binary_bar() {
  return {"spec/process-binary",
          "whole process `kiln run` VectorAdd n=1024, warm store, against C++ with the same binary",
          Holds::at_most,
          1.15,
          "x",
          [](const Context& context) { return against_binary(context); }};
}

Bar process_pyopencl_bar() {
  return {"spec/process-pyopencl",
          "the same job in pyopencl, whole process, driver cache warm, against `kiln run`",
          Holds::at_least,
          4,
          "x faster",
          [](const Context& context) { return against_python(context); }};
}

}  // namespace kiln::bench
