#include "spec/example.hpp"

#include "spec/run/job.hpp"

namespace kiln::bench {

Example::Example(const Context& context, const std::string& name, std::int64_t dataset)
    : spec_(value_or_throw(spec::load_spec(context.source / "examples/specs" / (name + ".json")))),
      bound_(value_or_throw(spec::bind(spec_, {.set = {{"dataset", dataset}}, .set_if = {}}))),
      source_(value_or_throw(spec::load_kernel_source(spec_, {}))),
      arrays_(value_or_throw(spec::Arrays::make(bound_, 0, {}))) {}

Job Example::job() { return value_or_throw(spec::make_job(spec_, bound_, source_, arrays_)); }

NDRange Example::range() const { return spec::range_of(bound_); }

}  // namespace kiln::bench
