// bench-resolve_many STORE|off COUNT SHARES SHARE SEED: resolves and launches the programs of a
// share of 0 … COUNT-1 in a random order, and prints how many of them it had to compile. A process
// of its own, as each user of a store is.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/local/local_store.hpp"

namespace {

using namespace kiln;

Request request_of(int number) {
  Request request;
  request.family = "source";
  request.label = "scale" + std::to_string(number);
  request.source =
      value_or_throw(from_text("kernel void scale(global float* x) { x[get_global_id(0)] *= " +
                                   std::to_string(number) + ".5f; }\n",
                               request.label + ".cl"));
  request.options = value_or_throw(build_options({}, {}));
  return request;
}

int run(char** argv) {
  const std::string store = argv[1];
  const int count = std::atoi(argv[2]), shares = std::atoi(argv[3]), share = std::atoi(argv[4]);
  std::vector<int> order;
  for (int i = share; i < count; i += shares) order.push_back(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(std::atoi(argv[5]))));

  Resolver resolver(store == "off" ? nullptr : open_local_store(store));
  const auto device = value_or_throw(select_devices("cpu")).front();
  const auto context = Context::create({device});
  const Queue queue(context, device);
  const cl::Buffer buffer(context->cl(), CL_MEM_READ_WRITE, 64 * sizeof(float));
  NDRange range;
  range.global[0] = range.local[0] = 64;
  int compiled = 0;
  for (const int number : order) {
    Explanation explanation;
    Program& program = resolver.resolve(request_of(number), context, device,
                                        {variant_of("scale", range)}, &explanation);
    for (const auto& step : explanation.steps) compiled += step.layer == "compile" && step.answered;
    Launch launch(context, program, "scale");
    launch.set_buffer(0, buffer);
    launch.set_range(range);
    launch.enqueue(queue.cl()());
  }
  ::clFinish(queue.cl()());
  std::printf("%d\n", compiled);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    return run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
