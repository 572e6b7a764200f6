// A specification file in one call, with data of one's own: `kiln run` from C++; and when its
// kernels ran.
// Shows kiln/spec.hpp, kiln/spec/run.hpp, kiln/timeline.hpp.
#include <cstdio>
#include <kiln/spec.hpp>
#include <kiln/timeline.hpp>

int main(int argc, char** argv) {
  try {
    const kiln::Runtime runtime;
    const std::vector<float> a(4096, 1.0f), b(4096, 2.0f);
    const kiln::spec::SpecResult result =
        kiln::spec::run(runtime, argc > 1 ? argv[1] : "../specs/vector_add.json",
                        {.set = {{"dataset", 4096}},
                         .in = {{0, a}, {1, b}},
                         .partition = "auto",
                         .timeline = true});
    std::printf("c[7] = %g, %s\n", result.values<float>(2)[7],
                result.summary.split ? "split" : "on one device");
    for (const kiln::TimelineSpan& span : result.timeline)
      if (span.category == "kernel")
        std::printf("%s on %s: %.1f us\n", span.name.c_str(), span.lane.c_str(),
                    static_cast<double>(span.end_ns - span.start_ns) / 1e3);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
