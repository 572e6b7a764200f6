#pragma once

#include "device/context.hpp"
#include "kernel/resolver.hpp"
#include "spec/tune/problem.hpp"

namespace kiln::spec {

/// The program of a problem that is bound, with the variant that its range takes. Throws
/// kiln::Error.
Program& compile_bound(const TuningProblem& problem, const BoundSpec& bound, Resolver& resolver,
                       const Queue& queue);

/// The line of a build's error that says what is wrong, or its first.
std::string first_error(const std::string& message);

/// Compiles the kernel of a spec's configurations. One thread.
class SpecCompiler : public tune::Compiler {
 public:
  SpecCompiler(TuningProblemPtr problem, Resolver& resolver, const Queue& queue)
      : problem_(std::move(problem)), resolver_(resolver), queue_(queue) {}
  /// One that cannot be bound, or that the device cannot have, is left to who measures: there it
  /// is told why, and costs no compile.
  void compile(tune::ConfigurationId id) override;

 private:
  TuningProblemPtr problem_;
  Resolver& resolver_;
  Queue queue_;
};

}  // namespace kiln::spec
