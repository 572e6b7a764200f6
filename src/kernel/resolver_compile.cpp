// The maker's side of the Resolver: text becomes a program and, where it can be kept, an Artifact.
#include <fmt/format.h>

#include "base/log.hpp"
#include "kernel/work.hpp"

namespace kiln {

void Resolver::compile(Work& work) {
  const bool keepable = store_ != nullptr && work.device->pocl;
  if (!keepable || policy_ == CompilePolicy::here) return compile_here_into(work, "");
  if (policy_ == CompilePolicy::beside) {
    compile_beside(work);
    return compile_here_into(work, "the artifact is made beside");
  }
  compile_apart_into(work);
}

void Resolver::compile_apart_into(Work& work) {
  Expected<Bytes> made = fail(Errc::internal, "");
  {
    StepTimer step(work.explanation, "compile");
    made = compile_apart(*work.device, work.from_text(text_of(work.request, work.parameters)));
    if (made) {
      step.answered(fmt::format("by the helper, {} bytes", made->size()));
      work.cost_seconds = step.seconds();
    } else {
      step.missed(made.error().message());
    }
  }
  if (!made) {
    // A text that does not compile, or kills the compiler, would do the same here.
    if (made.error().code() == Errc::build || made.error().code() == Errc::device)
      throw made.error();
    log(LogLevel::info, made.error().message() + "; building in process instead");
    return compile_here_into(work, made.error().message());
  }
  work.artifact.form = Artifact::Form::pocl_archive;
  work.artifact.binary = std::move(*made);
  if (!load_made(work)) return compile_here_into(work, "the driver does not take its own archive");
  keep(work);
}

/// The Artifact that was just made becomes the program.
bool Resolver::load_made(Work& work) {
  StepTimer step(work.explanation, "load");
  try {
    work.handle =
        load_binary(*work.context, *work.device, work.artifact.binary, work.request.options);
    work.artifact.kernels = describe_kernels(work.handle);
    step.answered();
    return true;
  } catch (const Error& error) {
    step.missed(error.message());
    log(LogLevel::warning, fmt::format("{} does not take the archive made for {}: {}",
                                       work.device->name, work.request.label, error.message()));
    return false;
  }
}

void Resolver::compile_here_into(Work& work, const std::string& why) {
  StepTimer step(work.explanation, "compile");
  work.handle = build_here(*work.context, *work.device, text_of(work.request, work.parameters),
                           work.request.options, work.request.label);
  work.cost_seconds = step.seconds();
  work.artifact = {};
  work.artifact.kernels = describe_kernels(work.handle);
  step.answered(why.empty() ? "in process" : "in process: " + why);
  if (store_ == nullptr || work.device->pocl) return;
  // Other drivers give the binary that they run, at once and at no cost.
  work.artifact.binary = driver_binary(work.handle, *work.device);
  keep(work);
}

void Resolver::compile_beside(const Work& work) {
  const ApartRequest request = work.from_text(text_of(work.request, work.parameters));
  const std::lock_guard lock(mutex_);
  beside_.emplace_back([this, request, asked = work.request, parameters = work.parameters,
                        device = work.device, key = work.key, canonical = work.canonical] {
    const auto started = now_ns();
    try {
      auto made = compile_apart(*device, request);
      if (!made) return log(LogLevel::info, made.error().message());
      const auto context = Context::create({device});
      const std::vector<KernelVariant> none;
      Work kept{asked, parameters, context, device, none, nullptr, key, canonical, {}, {}, 0};
      kept.artifact.form = Artifact::Form::pocl_archive;
      kept.artifact.kernels =
          describe_kernels(load_binary(*context, *device, *made, asked.options));
      kept.artifact.binary = std::move(*made);
      kept.cost_seconds = static_cast<double>(now_ns() - started) * 1e-9;
      keep(kept);
    } catch (const std::exception& error) {
      log(LogLevel::warning, fmt::format("{} is not kept: {}", asked.label, error.what()));
    }
  });
}

}  // namespace kiln
