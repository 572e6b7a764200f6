#pragma once

#include "blas/library.hpp"
#include "kernel/parameters.hpp"
#include "tune/tunable.hpp"

namespace kiln::blas {

/// Compiles the kernels that a call takes with the Parameters of a space's configurations. No
/// memory of operands is touched. One thread.
class BlasCompiler : public tune::Compiler {
 public:
  BlasCompiler(const Call& call, std::string family, const tune::SearchSpace& space,
               Resolver& resolver, const Queue& queue)
      : call_(call),
        family_(std::move(family)),
        space_(space),
        resolver_(resolver),
        queue_(queue),
        library_(resolver) {}

  void compile(tune::ConfigurationId id) override;

 private:
  Call call_;
  std::string family_;
  const tune::SearchSpace& space_;
  Resolver& resolver_;
  Queue queue_;
  Library library_;
};

}  // namespace kiln::blas
