#include "spec/tune/spec_compiler.hpp"

#include "base/text.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/device_fit.hpp"

namespace kiln::spec {

std::string first_error(const std::string& message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.find("error") != line.npos) return one_line(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return one_line(std::string_view(message).substr(0, message.find('\n')));
}

Program& compile_bound(const TuningProblem& problem, const BoundSpec& bound, Resolver& resolver,
                       const Queue& queue) {
  const auto request = value_or_throw(make_request(problem.spec, bound, problem.source));
  return resolver.resolve(request, queue.context(), queue.device(),
                          {variant_of(problem.spec.name, range_of(bound))});
}

void SpecCompiler::compile(tune::ConfigurationId id) {
  const auto bound = problem_->bind(id);
  if (!bound || !check_device_fit(*bound, *queue_.device())) return;
  try {
    compile_bound(*problem_, *bound, resolver_, queue_);
    resolver_.finish();  // into the store, where who measures looks
  } catch (const Error& error) {
    if (error.code() != Errc::build) throw;
    throw Error(Errc::build, first_error(error.message()));
  }
}

}  // namespace kiln::spec
