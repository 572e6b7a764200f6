// A whole `kiln run` from a warm store: against a program that does nothing but load the same
// bytes, and against programs that start from source, as people do without a store.
#include "base/os/file.hpp"
#include "frame/whole_process.hpp"
#include "spec/sandbox.hpp"
#include "spec/start_kernels.hpp"
#include "store/bars.hpp"

namespace kiln::bench {

namespace {

// One group of work-items: what is measured is the start.
constexpr int kWarmItems = kStartLocal;

/// Kiln with a warm store, and the rivals' arguments for the same work.
class WarmStart {
 public:
  WarmStart(const Context& context, const StartKernel& kernel)
      : context_(context),
        kernel_(kernel),
        spec_(write_start_spec(kernel, kWarmItems, ours_.path())) {
    value_of(kiln()());  // compiles, and keeps the archive
  }

  Sample kiln() const {
    return timed({context_.binaries / "kiln",
                  {"run", spec_.string(), "--devices", "cpu"},
                  ours_.environment()});
  }
  /// The archive that the store holds.
  fs::path exported() const {
    const fs::path file = ours_.path() / "exported.poclbin";
    value_of(time_process(
        {context_.binaries / "kiln",
         {"poclbin", "export", spec_.string(), "--devices", "cpu", "-o", file.string()},
         ours_.environment()}));
    return file;
  }
  /// The archive that the driver itself gives after the build.
  fs::path drivers_own(const Sandbox& sandbox) const {
    const fs::path file = sandbox.path() / "own.poclbin";
    value_of(time_process({context_.binaries / "rival-save_archive",
                           {source().string(), file.string()},
                           sandbox.environment()}));
    return file;
  }
  Program rival(const char* name, const fs::path& file, const Sandbox& sandbox) const {
    return {context_.binaries / name,
            {file.string(), kernel_.name, std::to_string(kWarmItems), std::to_string(kStartLocal)},
            sandbox.environment()};
  }
  fs::path source() const { return ours_.path() / (kernel_.name + ".cl"); }

 private:
  const Context& context_;
  const StartKernel kernel_;
  const Sandbox ours_;
  const fs::path spec_;
};

Outcome against_floor(const Context& context) {
  const WarmStart start(context, saxpy_kernel());
  const Sandbox theirs;
  const auto rival = timed(start.rival("rival-start_archive", start.exported(), theirs));
  return ratio(value_of(interleave(start.kiln(), rival, 60, 5)), "ms");
}

/// The driver's cache is warm: it finds what its last run has compiled.
Outcome against_warm_source(const Context& context) {
  const WarmStart start(context, saxpy_kernel());
  const Sandbox theirs;
  const auto rival = timed(start.rival("rival-start_source", start.source(), theirs));
  return ratio(value_of(interleave(rival, start.kiln(), 30, 3)), "ms");
}

/// Each run of the rival finds an empty cache.
Outcome against_cold(const Context& context, const StartKernel& kernel, const char* rival,
                     bool archive, int pairs) {
  const WarmStart start(context, kernel);
  const Sandbox making;
  const fs::path file = archive ? start.drivers_own(making) : start.source();
  const Sample cold = [&] {
    const Sandbox fresh;
    return time_process(start.rival(rival, file, fresh));
  };
  return ratio(value_of(interleave(cold, start.kiln(), pairs, 1)), "ms");
}

Bar bar(std::string name, std::string text, Holds holds, double limit, std::string unit,
        std::function<Outcome(const Context&)> measure) {
  return {"store/" + name, std::move(text), holds, limit, std::move(unit), std::move(measure)};
}

}  // namespace

std::vector<Bar> warm_start_bars() {
  return {
      bar("process-floor",
          "whole process `kiln run` saxpy, warm store, against a program that loads the same bytes",
          Holds::at_most, 1.10, "x", against_floor),
      bar("source-warm", "saxpy from source with the driver's cache warm, against a warm store",
          Holds::at_least, 1.9, "x faster", against_warm_source),
      bar("source-cold", "saxpy from source with the driver's cache empty, against a warm store",
          Holds::at_least, 20, "x faster",
          [](const Context& context) {
            return against_cold(context, saxpy_kernel(), "rival-start_source", false, 9);
          }),
      bar("large-source",
          "a generated kernel of 400 statements from source, cache empty, against a warm store",
          Holds::at_least, 40, "x faster",
          [](const Context& context) {
            return against_cold(context, large_kernel(), "rival-start_source", false, 5);
          }),
      bar("large-archive",
          "the same from the archive that the driver gives after the build, cache empty",
          Holds::at_least, 40, "x faster", [](const Context& context) {
            return against_cold(context, large_kernel(), "rival-start_archive", true, 5);
          })};
}

}  // namespace kiln::bench
