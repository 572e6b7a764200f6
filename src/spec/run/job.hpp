#pragma once

#include "kernel/source/source.hpp"
#include "kiln/spec.hpp"
#include "schedule/job.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::spec {

/// The source file of a spec with its includes expanded; the file's own folder and `source_dirs`
/// are searched for includes.
Expected<SourcePtr> load_kernel_source(const Spec& spec,
                                       const std::vector<std::filesystem::path>& source_dirs);

/// Whether none of the files that will be written is one that the source was read from. Errors:
/// bad_input, which names it.
Expected<void> check_source_stays(const Source& source,
                                  const std::vector<std::filesystem::path>& written);

/// The program that a run of a spec asks for.
Expected<Request> make_request(const Spec& spec, const BoundSpec& bound, SourcePtr source);

/// A Job over the arrays, which must outlive it.
Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source, Arrays& arrays);

/// Global and local size as an NDRange; the file's own local size or the default one.
NDRange range_of(const BoundSpec& bound);

}  // namespace kiln::spec
