// Starting from an archive of `kiln poclbin build` against starting from the one that PoCL itself
// gives right after the build. One program loads both; every start finds an empty cache.
#include <fmt/format.h>

#include "base/os/file.hpp"
#include "formats/bars.hpp"
#include "frame/whole_process.hpp"
#include "spec/sandbox.hpp"
#include "spec/start_kernels.hpp"

namespace kiln::bench {

namespace {

constexpr int kStartItems = 4096;

/// Both archives of one source; programs that fail are errors.
struct Archives {
  Archives(const Context& context, const std::string& text, const fs::path& folder)
      : ours(folder / "ours.poclbin"), drivers(folder / "drivers.poclbin") {
    const fs::path source = folder / "kernel.cl";
    value_or_throw(write_file(source, as_bytes(text)));
    const Sandbox first, second;
    const Program build{context.binaries / "kiln",
                        {"poclbin", "build", source.string(), "--local-size",
                         std::to_string(kStartLocal), "--devices", "cpu", "-o", ours.string()},
                        first.environment()};
    value_of(time_process(build));
    const Program save{context.binaries / "rival-save_archive",
                       {source.string(), drivers.string()},
                       second.environment()};
    value_of(time_process(save));
  }
  fs::path ours, drivers;
};

Sample start_of(const Context& context, const fs::path& archive, const std::string& kernel) {
  return [&context, archive, kernel]() {
    const Sandbox fresh;
    return time_process(
        {context.binaries / "rival-start_archive",
         {archive.string(), kernel, std::to_string(kStartItems), std::to_string(kStartLocal)},
         fresh.environment()});
  };
}

Outcome measure(const Context& context, const StartKernel& kernel, int pairs) {
  const Sandbox folder;
  const Archives archives(context, kernel.text, folder.path());
  return ratio(value_of(interleave(start_of(context, archives.drivers, kernel.name),
                                   start_of(context, archives.ours, kernel.name), pairs, 1)),
               "ms");
}

}  // namespace

std::vector<Bar> start_bars() {
  return {
      {"formats/start-saxpy",
       "start from the driver's own archive of saxpy, empty cache, against `poclbin build`'s",
       Holds::at_least, 2, "x faster",
       [](const Context& context) { return measure(context, saxpy_kernel(), 31); }},
      {"formats/start-large",
       "the same for a generated kernel of 400 statements on 4,096 work-items", Holds::at_least, 30,
       "x faster", [](const Context& context) { return measure(context, large_kernel(), 5); }}};
}

}  // namespace kiln::bench
