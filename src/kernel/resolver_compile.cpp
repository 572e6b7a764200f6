// The maker's side of the Resolver: text becomes a program and, where it can be kept, an Artifact.
#include <fmt/format.h>

#include "base/log.hpp"
#include "kernel/work.hpp"

namespace kiln {
namespace {

Digest digest_of(const Request& request, const std::string& text) {
  return request.source ? request.source->digest() : blake2b(as_bytes(text));
}

}  // namespace

void Resolver::compile(Work& work) {
  const bool keepable = store_ != nullptr && work.device->pocl;
  // The helper can where this process cannot, even if nobody keeps what it makes.
  if (!can_compile_here(*work.device)) return compile_apart_into(work);
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
    const std::string text = text_of(work.request, work.parameters);
    work.source = digest_of(work.request, text);
    ApartRequest ask = work.from_text(text);
    ask.build_log = &work.build_log;
    made = compile_apart(*work.device, ask);
    if (made) {
      step.answered(fmt::format("by the helper, {} bytes", made->size()));
      work.cost_seconds = step.seconds();
    } else {
      step.missed(made.error().message());
    }
  }
  if (!made) {
    if (fails_here_too(made.error())) throw made.error();
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
  if (auto possible = can_compile_here(*work.device); !possible)
    throw Error(possible.error().code(),
                fmt::format("{} cannot be compiled: {} ({})", work.request.label,
                            possible.error().message(), why));
  const std::string text = text_of(work.request, work.parameters);
  work.handle =
      build_here(*work.context, *work.device, text, work.request.options, work.request.label);
  work.cost_seconds = step.seconds();
  work.artifact = {};
  work.artifact.kernels = describe_kernels(work.handle);
  step.answered(why.empty() ? "in process" : "in process: " + why);
  if (store_ == nullptr || work.device->pocl) return;
  // Other drivers give the binary that they run, at once and at no cost.
  work.artifact.binary = driver_binary(work.handle, *work.device);
  work.source = digest_of(work.request, text);
  work.build_log = build_log(work.handle, *work.device);
  keep(work);
}

void Resolver::compile_beside(const Work& work) {
  ApartRequest request = work.from_text(text_of(work.request, work.parameters));
  const Digest source = digest_of(work.request, request.text);
  const std::lock_guard lock(mutex_);
  beside_.emplace_back([this, request, source, asked = work.request, parameters = work.parameters,
                        device = work.device, key = work.key, canonical = work.canonical,
                        wanted = work.wanted]() mutable {
    const auto started = now_ns();
    std::string said;
    request.build_log = &said;
    try {
      auto made = compile_apart(*device, request);
      if (!made) return log(LogLevel::info, made.error().message());
      const auto context = Context::create({device});
      Work kept{asked, parameters, context, device, wanted, nullptr, key, canonical, {}, {}, 0};
      kept.artifact.form = Artifact::Form::pocl_archive;
      kept.artifact.kernels =
          describe_kernels(load_binary(*context, *device, *made, asked.options));
      kept.artifact.binary = std::move(*made);
      kept.source = source;
      kept.build_log = std::move(said);
      kept.cost_seconds = static_cast<double>(now_ns() - started) * 1e-9;
      keep(kept);
    } catch (const std::exception& error) {
      log(LogLevel::warning, fmt::format("{} is not kept: {}", asked.label, error.what()));
    }
  });
}

}  // namespace kiln
