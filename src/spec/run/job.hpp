#pragma once

#include "kernel/resolver/resolver.hpp"
#include "kernel/source/source.hpp"
#include "kiln/spec/file.hpp"
#include "schedule/job.hpp"
#include "spec/run/arrays.hpp"

/// What a bound specification asks to run: its source file, Request and Job, and whether its types
/// are those of the compiled kernel.
namespace kiln::spec {

/// As find_source() (kiln/spec.hpp), but errors name neither the file nor the attribute: for
/// messages that have places of their own for these. not_found where no place has the file,
/// bad_input where there is something of its name that is no regular file.
Expected<std::filesystem::path> source_place(const Spec& spec,
                                             const std::vector<std::filesystem::path>& source_dirs);

/// The source file of a spec with its includes expanded; the file's own folder and `source_dirs`
/// are searched for includes.
Expected<SourcePtr> load_kernel_source(const Spec& spec,
                                       const std::vector<std::filesystem::path>& source_dirs);

/// Whether none of the files that will be written is one that the source was read from. Errors:
/// bad_input, which names it.
Expected<void> check_source_stays(const ExpandedSource& source,
                                  const std::vector<std::filesystem::path>& written);

/// The program that a run of a spec asks for. Errors: bad_input, also for a SPIR-V module that the
/// spec does not fit (check_program).
Expected<Request> make_request(const Spec& spec, const BoundSpec& bound, SourcePtr source);

/// A Job over the arrays, which must outlive it.
Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source, Arrays& arrays);

/// The same with buffers that have their size alone.
Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source);

/// Global and local size as an NDRange; the file's own local size or the default one.
NDRange range_of(const BoundSpec& bound);

/// Whether the types that a spec names fit those of the compiled kernel: the same scalar in a
/// buffer (its number of lanes may differ: float data for a float4 pointer), the same kind and
/// size for a value, and nothing called an output that the kernel cannot write. Signedness does not
/// matter. `parameters` say what the kernel's own type names stand for (typedefs); types that are
/// no OpenCL scalars or vectors are believed, since their sizes are checked
/// (check_arguments_match). The error names the argument, what was found and what was expected:
/// bad_input; unsupported for images and samplers.
Expected<void> check_argument_types(const BoundSpec& bound, const KernelInfo& kernel,
                                    const std::vector<ParameterUse>& parameters);

/// The same for a Job that has been resolved on this queue's device already. Throws kiln::Error.
void check_job_types(const BoundSpec& bound, const Job& job, Resolver& resolver,
                     const Queue& queue);

}  // namespace kiln::spec
