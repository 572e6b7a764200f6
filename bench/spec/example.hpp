#pragma once

#include <cstdint>
#include <string>

#include "frame/bar.hpp"
#include "kiln/spec/file.hpp"
#include "schedule/job.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::bench {

/// One of the project's example kernels at a size, with its data: what jobs are made of. Stays
/// where it is, since its jobs use its arrays.
class Example {
 public:
  /// `name` is a file of examples/specs without its ending. Throws kiln::Error.
  Example(const Context& context, const std::string& name, std::int64_t dataset);
  Example(const Example&) = delete;
  Example& operator=(const Example&) = delete;

  /// The kernel over the arrays of this object.
  Job job();
  NDRange range() const;

 private:
  spec::Spec spec_;
  spec::BoundSpec bound_;
  SourcePtr source_;
  spec::Arrays arrays_;
};

}  // namespace kiln::bench
