// A specification file in one call, with data of one's own: `kiln run` from C++.
// Shows kiln/spec.hpp, kiln/spec/run.hpp.
#include <cstdio>
#include <kiln/spec.hpp>

int main(int argc, char** argv) {
  try {
    const kiln::Runtime runtime;
    const std::vector<float> a(4096, 1.0f), b(4096, 2.0f);
    const kiln::spec::SpecResult result =
        kiln::spec::run(runtime, argc > 1 ? argv[1] : "../specs/vector_add.json",
                        {.set = {{"dataset", 4096}}, .in = {{0, a}, {1, b}}, .partition = "auto"});
    std::printf("c[7] = %g, %s\n", result.values<float>(2)[7],
                result.summary.split ? "split" : "on one device");
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
