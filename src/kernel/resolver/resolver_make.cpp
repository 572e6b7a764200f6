#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/expected.hpp"
#include "base/log.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/apart/probe.hpp"
#include "kernel/facts/read_facts.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kernel/source/units.hpp"

// The steps by which an Artifact or a text becomes a program, verified first, and gets into the
// store.
namespace kiln {
namespace {

/// An archive is native code that the driver loads unchecked, so everything that can be known
/// about it is checked here.
void verify_archive(ByteView archive, const std::string& device_string) {
  const auto parsed = value_or_throw(poclbin::parse(archive));
  if (parsed.device_id != poclbin::device_id(device_string))
    throw Error(Errc::corrupt, "the archive is for another device");
}

/// `device_string`: Device::pocl_device_string, empty for other drivers' devices.
Expected<Artifact> decode_entry(const Entry& entry, const std::string& device_string) {
  return expected_from([&] {
    auto artifact = value_or_throw(decode_artifact(entry.content, entry.metadata.schema));
    const bool is_archive = artifact.form == Artifact::Form::pocl_archive;
    if (is_archive && device_string.empty())
      throw Error(Errc::corrupt, "the artifact is of another driver");
    if (is_archive) verify_archive(artifact.binary, device_string);
    return artifact;
  });
}

/// Sub-devices load a program under hashes of their own (program.cpp says why), which only an
/// archive that can be read gives them.
constexpr const char* needs_own_build = "a sub-device needs a build of its own";

/// A program that only tells what its archive holds.
Program probe_of(const Artifact& artifact) {
  Program::Parts parts;
  parts.kernels = artifact.kernels;
  if (artifact.form == Artifact::Form::pocl_archive) parts.archive = artifact.binary;
  return Program(std::move(parts));
}

/// Whether all that will be launched can be.
Expected<void> verify_startable(const Program& probe, const std::vector<KernelVariant>& wanted) {
  for (const auto& variant : wanted)
    if (auto startable = probe.startable(variant); !startable) return startable;
  return {};
}

bool is_for_no_run(const Artifact& artifact, const KernelVariant& variant) {
  if (!variant.for_part || !artifact.facts) return false;
  const KernelFacts* facts = facts_of(*artifact.facts, variant.kernel);
  return facts != nullptr && !facts->splittable;
}

bool has_what_is_wanted(const Program& probe, const std::vector<KernelVariant>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const KernelVariant& variant) { return probe.may_have(variant.kernel); });
}

/// An archive with more variants. Its build hash stays what it is, since an imported archive has
/// one of its own.
Expected<Bytes> with_variants(const Device& device, const CompileWays& ways, ByteView archive,
                              const Key& key, const std::string& options, const std::string& label,
                              std::vector<KernelVariant> variants) {
  if (!ways.additions) return fail(Errc::unsupported, "the driver is not known to take additions");
  const auto parsed = poclbin::parse(archive);
  ApartRequest request;
  request.ways = ways;
  request.archive = archive;
  request.options = options;
  request.label = label;
  request.build_hash =
      parsed ? std::string(parsed->build_hash) : poclbin::build_hash(key.digest.bytes);
  request.variants = std::move(variants);
  return compile_apart(device, request);
}

}  // namespace

// What the driver takes.

CompileWays Resolver::ways(const Device& device, Additions additions, Explanation* explanation) {
  namespace compiling = apart::compiling;
  std::vector<std::string> names{compiling::helper, compiling::archives, compiling::stubs};
  if (apart::serves()) names.push_back(compiling::server);
  Findings found;
  const auto ask = [&](const std::vector<std::string>& asked) {
    found = findings_.get(topics::compiling, device, asked, [&](const auto& unknown) {
      StepTimer step(explanation, "trial");
      auto tried = apart::probe_compiling(device, unknown, apart::ways_of(found));
      step.answered("of what the driver takes");
      return tried;
    });
  };
  try {
    ask(names);
    if (additions == Additions::needed && apart::ways_of(found).archives)
      ask({compiling::additions});
  } catch (const Error&) {
    return {};  // no helper to try with, which compiling apart will say
  }
  if (explanation != nullptr)
    for (auto& line : apart::ways_not_taken(found))
      if (std::find(explanation->notes.begin(), explanation->notes.end(), line) ==
          explanation->notes.end())
        explanation->notes.push_back(std::move(line));
  return apart::ways_of(found);
}

// From the store and other sources.

Lookup Resolver::ask_store(Kind kind, const Key& key, ByteView canonical,
                           Explanation* explanation) {
  const auto started = now_ns();
  writes_.wait_for(kind, key);
  Lookup lookup = store_->get(kind, key, canonical);
  if (explanation == nullptr) return lookup;
  // A store of one layer leaves no trail: its answer is the only step.
  if (lookup.trail.empty())
    lookup.trail.push_back(
        {store_->name(), lookup.entry.has_value(), lookup.reason, started, now_ns()});
  if (const std::string near = lookup.entry ? std::string() : store_->near_miss(kind, canonical);
      !near.empty())
    lookup.trail.front().reason += "; " + near;
  for (const auto& answer : lookup.trail)
    explanation->steps.push_back(
        {answer.layer, answer.answered,
         answer.answered ? fmt::format("{} bytes", lookup.entry->content.size()) : answer.reason,
         answer.start_ns, answer.end_ns});
  return lookup;
}

bool Resolver::load_stored(Work& work) {
  if (!store_) return false;
  const auto refuse = [&](const std::string& message) {
    if (!std::exchange(work.warned, true)) log(LogLevel::warning, message);
    work.artifact = {};
    work.stored_is_bad = true;
    return false;
  };
  const auto not_used = [&](const Error& error) {
    return refuse(
        fmt::format("store entry {} is not used: {}", work.key.digest.brief(), error.message()));
  };
  std::vector<KernelVariant> lacking;
  {
    auto lookup = ask_store(Kind::artifact, work.key, work.canonical, work.explanation);
    if (!lookup.entry) return false;
    auto artifact = decode_entry(*lookup.entry, work.device->pocl_device_string);
    if (!artifact) {
      take_back_answer(work.explanation, artifact.error().message());
      return not_used(artifact.error());
    }
    if (artifact->form == Artifact::Form::driver_binary && work.device->pocl) {
      // What a driver gave whose archives could not be read.
      if (ways(*work.device).archives) {
        take_back_answer(work.explanation, "the artifact is of another driver");
        return not_used(Error(Errc::corrupt, "the artifact is of another driver"));
      }
      if (work.device->part > 0) {
        take_back_answer(work.explanation, needs_own_build);
        return false;
      }
      ways(*work.device, Additions::not_needed, work.explanation);  // its notes
    }
    std::vector<KernelVariant> wanted = work.wanted;
    std::erase_if(wanted, [&](const auto& one) { return is_for_no_run(*artifact, one); });
    const Program probe = probe_of(*artifact);
    // No fault of the entry: an archive may have been shipped for some local sizes alone.
    if (auto startable = verify_startable(probe, wanted); !startable) {
      take_back_answer(work.explanation, startable.error().message());
      return false;
    }
    lacking = probe.missing(wanted);
    work.artifact = std::move(*artifact);
    work.build_log = lookup.entry->metadata.build_log;
  }
  if (auto added = add_variants(work, lacking); !added) return not_used(added.error());
  StepTimer step(work.explanation, "load");
  const auto loaded = load(work, step);
  return loaded || refuse(fmt::format("{} does not take its stored binary: {}", work.device->name,
                                      loaded.error().message()));
}

/// Makes the program of the Artifact's binary; the step says whether the driver takes it.
Expected<void> Resolver::load(Work& work, StepTimer& step) {
  if (work.is_detached) {
    step.answered("left to the caller");
    return {};
  }
  try {
    work.handle =
        load_binary(*work.context, *work.device, work.artifact.binary, work.request.options);
    if (work.artifact.kernels.empty()) work.artifact.kernels = describe_kernels(work.handle);
    step.answered();
    return {};
  } catch (const Error& error) {
    step.missed(error.message());
    return tl::unexpected(error);
  }
}

/// Completes a stored archive with the variants that will be launched and that it lacks. An error
/// where the driver's compiler fails on the archive's own bitcode: it would at the launch, too.
Expected<void> Resolver::add_variants(Work& work, const std::vector<KernelVariant>& lacking) {
  if (lacking.empty()) return {};
  StepTimer step(work.explanation, "variant");
  auto made = with_variants(*work.device, ways(*work.device, Additions::needed, work.explanation),
                            work.artifact.binary, work.key, work.request.options,
                            work.request.label, lacking);
  if (!made) {
    step.missed(made.error().message());
    if (fails_here_too(made.error())) return tl::unexpected(made.error());
    return {};  // the driver compiles it at the launch instead
  }
  work.artifact.binary = std::move(*made);
  work.cost_seconds = step.seconds();
  step.answered(fmt::format("{} added", lacking.size()));
  keep(work);
  return {};
}

/// A mounted source's binary becomes the program; what is wrong with it is no more than a miss.
bool Resolver::load_mounted(Work& work) {
  for (const auto& source : mounted_) {
    StepTimer step(work.explanation, source->name());
    auto found = source->find(work.request, *work.device);
    if (!found.artifact) {
      step.missed(found.reason);
      continue;
    }
    try {
      work.artifact = std::move(*found.artifact);
      if (work.device->pocl) verify_archive(work.artifact.binary, work.device->pocl_device_string);
      value_or_throw(verify_startable(probe_of(work.artifact), work.wanted));
      value_or_throw(load(work, step));
      step.answered(fmt::format("{} bytes", work.artifact.binary.size()));
      return true;
    } catch (const Error& error) {
      work.artifact = {};
      step.missed(error.message());
      log(LogLevel::warning, fmt::format("{}: {} is not used: {}", source->name(),
                                         work.request.label, error.message()));
    }
  }
  return false;
}

// From its text.

namespace {

Digest digest_of(const Request& request, const std::string& text) {
  return request.source ? request.source->digest() : blake2b(as_bytes(text));
}

}  // namespace

std::string Resolver::text_of(const Request& request, const Parameters& parameters) const {
  if (request.source && request.constants.empty()) return request.source->text();
  if (request.source)
    return std::string(as_text(
        value_or_throw(spirv::specialize(as_bytes(request.source->text()), request.constants))));
  const Generator* maker = generators_.of(request);
  if (maker == nullptr)
    throw Error(Errc::bad_input, fmt::format("no generator for the family '{}'", request.family));
  if (!maker->accepts(request, parameters))
    throw Error(Errc::internal, fmt::format("the generator of {} was given Parameters that it does "
                                            "not accept",
                                            request.family));
  return maker->generate(request, parameters);
}

void Resolver::compile(Work& work) {
  const bool keepable = store_ != nullptr && work.device->pocl;
  // The helper can compile where this process cannot, even if its result is not kept.
  if (!can_compile_here(*work.device)) return compile_apart_into(work);
  if (!keepable || policy_ == CompilePolicy::here) return compile_here_into(work, "");
  const CompileWays taken = ways(*work.device, Additions::not_needed, work.explanation);
  if (!taken.helper) return compile_here_into(work, "the driver takes no other process's program");
  if (!taken.archives && work.device->part > 0) return compile_here_into(work, needs_own_build);
  // Of a trial the Artifact must be here by the time that it has won.
  if (policy_ == CompilePolicy::background && !work.is_trial) {
    compile_in_background(work);
    return compile_here_into(work, "the artifact is made in the background");
  }
  compile_apart_into(work);
}

namespace {

/// Functions for large grids are added in a second step (compile_apart).
Resolver::Additions needs_additions(const std::vector<KernelVariant>& wanted) {
  const auto is_small = [](const KernelVariant& one) { return one.variant.small_grid; };
  const auto small = std::count_if(wanted.begin(), wanted.end(), is_small);
  const bool are_both = small > 0 && small < static_cast<std::ptrdiff_t>(wanted.size());
  return are_both ? Resolver::Additions::needed : Resolver::Additions::not_needed;
}

}  // namespace

/// Has the helper make the archive of a program that was never compiled.
Expected<void> Resolver::make_archive(Work& work) {
  ApartRequest ask;
  ask.ways = ways(*work.device, needs_additions(work.wanted), work.explanation);
  StepTimer step(work.explanation, "compile");
  ask.text = text_of(work.request, work.parameters);
  ask.options = work.request.options;
  ask.label = work.request.label;
  ask.build_hash = poclbin::build_hash(work.key.digest.bytes);
  ask.variants = work.wanted;
  ask.build_log = &work.build_log;
  if (work.request.source && work.request.source->module() == nullptr && !are_units(ask.text))
    ask.facts = &work.artifact.facts;
  work.source = digest_of(work.request, ask.text);
  auto made = compile_apart(*work.device, ask);
  if (!made) {
    step.missed(made.error().message());
    return tl::unexpected(made.error());
  }
  step.answered(fmt::format("by the helper, {} bytes", made->size()));
  work.cost_seconds = step.seconds();
  work.artifact.form =
      ask.ways.archives ? Artifact::Form::pocl_archive : Artifact::Form::driver_binary;
  work.artifact.binary = *std::move(made);
  return {};
}

void Resolver::compile_apart_into(Work& work) {
  if (const auto made = make_archive(work); !made) {
    if (fails_here_too(made.error())) throw made.error();
    log(LogLevel::info, made.error().message() + "; building in process instead");
    return compile_here_into(work, made.error().message());
  }
  if (!load_made(work)) return compile_here_into(work, "the driver does not take its own archive");
  keep(work);
}

/// The Artifact that was just made becomes the program.
bool Resolver::load_made(Work& work) {
  StepTimer step(work.explanation, "load");
  const auto loaded = load(work, step);
  if (!loaded)
    log(LogLevel::warning,
        fmt::format("{} does not take the archive made for {}: {}", work.device->name,
                    work.request.label, loaded.error().message()));
  return loaded.has_value();
}

void Resolver::compile_here_into(Work& work, const std::string& why) {
  StepTimer step(work.explanation, "compile");
  if (work.is_detached) {
    work.artifact = {};
    return step.missed(why.empty() ? "left to the caller" : "left to the caller: " + why);
  }
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

void Resolver::compile_in_background(const Work& work) {
  const auto make = [this](Work own) {
    try {
      own.context = Context::create({own.device});  // of its own: the run may end before
      if (const auto made = make_archive(own); !made)
        log(LogLevel::info, made.error().message());
      else if (load_made(own))
        keep(own);
    } catch (const std::exception& error) {
      log(LogLevel::warning, fmt::format("{} is not kept: {}", own.request.label, error.what()));
    }
  };
  Work own{work.request, work.parameters, nullptr,  work.device,
           work.wanted,  nullptr,         work.key, work.canonical};
  const std::lock_guard lock(background_mutex_);
  background_.emplace_back(make, std::move(own));
}

// Into the store.

/// An Artifact on its way to the store. Nothing of OpenCL: at the end of a process the driver may
/// be gone before it is written.
struct Resolver::Keeping {
  Key key;
  Bytes canonical;
  Artifact artifact;
  Metadata metadata;
  std::string device_string;  ///< Device::pocl_device_string
  bool replaces = false;      ///< what is there is bad
  Reservation right = {};
};

namespace {

/// The metadata of an Artifact to which variants were added: its name and what the addition tells
/// nothing about stay, what was spent on both adds up, and what came from elsewhere is from
/// elsewhere still.
Metadata merged_metadata(const Metadata& present, Metadata added) {
  added.cost_seconds += present.cost_seconds;
  if (!present.label.empty()) added.label = present.label;
  if (!added.source) added.source = present.source;
  if (added.options.empty()) added.options = present.options;
  if (added.build_log.empty()) added.build_log = present.build_log;
  added.made_elsewhere = present.made_elsewhere;
  return added;
}

}  // namespace

/// Writes the Artifact back in the background; that of a trial once its program is asked for
/// otherwise.
void Resolver::keep(Work& work) {
  if (!store_ || work.artifact.binary.empty()) return;
  // A caller that asked for a kernel which the source does not have is about to get an error; the
  // entry would carry that name from then on.
  if (!has_what_is_wanted(probe_of(work.artifact), work.wanted)) return;
  auto what = std::make_shared<Keeping>(
      Keeping{work.key, work.canonical, work.artifact,
              Metadata{artifact_schema, work.request.label, work.device->fingerprint(),
                       work.cost_seconds, work.source, work.request.options, work.build_log},
              work.device->pocl_device_string, work.stored_is_bad, std::move(work.right)});
  if (work.is_trial)
    work.keep_later = [this, what = std::move(what)] { write_later(what); };
  else
    write_later(std::move(what));
}

void Resolver::write_later(std::shared_ptr<Keeping> what) {
  const std::size_t bytes = what->canonical.size() + what->artifact.binary.size();
  writes_.add({Kind::artifact, what->key, bytes, [this, what] { write(*what); }});
}

/// An archive is merged with what others put there meanwhile.
void Resolver::write(const Keeping& what) {
  const auto merged = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    const Entry alone{encode(what.artifact), what.metadata};
    const bool grows = what.artifact.form == Artifact::Form::pocl_archive;
    if (!present || !grows || what.replaces) return alone;
    auto old = decode_entry(*present, what.device_string);
    if (!old) return alone;
    auto both = poclbin::merge(old->binary, what.artifact.binary);
    if (!both) return alone;
    Artifact result = what.artifact;
    result.binary = std::move(*both);
    if (!result.facts) result.facts = old->facts;
    return Entry{encode(result), merged_metadata(present->metadata, alone.metadata)};
  };
  if (auto kept = store_->update(Kind::artifact, what.key, what.canonical, merged); !kept) {
    // A store that is unusable has logged it once; repeating it for every program is noise.
    const auto level = kept.error().code() == Errc::io ? LogLevel::info : LogLevel::warning;
    log(level, fmt::format("{} is not kept: {}", what.metadata.label, kept.error().message()));
  }
}

// Facts of kernels.

namespace {

KernelFacts unknown_facts(const std::string& kernel, std::string reason) {
  KernelFacts facts;
  facts.name = kernel;
  facts.reasons.push_back(std::move(reason));
  return facts;
}

}  // namespace

KernelFacts Resolver::facts(const Request& request, Program& program, const std::string& kernel,
                            Explanation* explanation) {
  if (!request.source)
    return unknown_facts(kernel, "a generated kernel is divided by its own front end");
  if (const spirv::Module* module = request.source->module()) return module_facts(*module, kernel);
  if (are_units(request.source->text()))
    return unknown_facts(kernel, "a program that is linked of several is not divided");
  FactsPtr known = program.facts();
  if (!known) {
    StepTimer step(explanation, "facts");
    auto read = read_kernel_facts(request.source->text(), request.options, {});
    if (!read) {
      step.missed(read.error().message());
      return unknown_facts(kernel, read.error().message());
    }
    step.answered(fmt::format("{} kernels", read->size()));
    known = std::make_shared<const std::vector<KernelFacts>>(*std::move(read));
    program.set_facts(known);
    keep_facts(program, known);
  }
  const KernelFacts* found = facts_of(*known, kernel);
  return found != nullptr ? *found : unknown_facts(kernel, "the kernel is not in the text");
}

/// Adds facts to the stored entry of a program, so that the next process does not read the text.
void Resolver::keep_facts(const Program& program, FactsPtr facts) {
  if (!store_) return;
  const auto write = [this, key = program.key(), canonical = program.canonical(),
                      device = program.device()->pocl_device_string, facts] {
    const auto add = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
      auto artifact = present ? decode_entry(*present, device)
                              : Expected<Artifact>(fail(Errc::not_found, "no entry"));
      if (!artifact || artifact->facts) return {};
      artifact->facts = facts;
      Metadata metadata = present->metadata;
      metadata.schema = artifact_schema;
      return Entry{encode(*artifact), std::move(metadata)};
    };
    if (auto kept = store_->update(Kind::artifact, key, canonical, add); !kept)
      log(LogLevel::info,
          fmt::format("facts of {} are not kept: {}", key.digest.brief(), kept.error().message()));
  };
  writes_.add({Kind::artifact, program.key(), program.canonical().size(), write});
}

// Variants that a launch lacks.

void Resolver::make_variant(Program& program, const KernelVariant& variant) {
  const auto give_up = [&](const Error& error) {
    log(LogLevel::info, fmt::format("variant {} of {}: {}", variant.variant.folder(),
                                    program.label(), error.message()));
  };
  const CompileWays taken = ways(*program.device(), Additions::needed);
  auto made = with_variants(*program.device(), taken, program.archive(), program.key(),
                            program.options(), program.label(), {variant});
  if (!made && fails_here_too(made.error())) throw made.error();
  if (!made) {
    value_or_throw(can_compile_here(*program.device()));
    return give_up(made.error());
  }
  try {
    // Loading the merged archive once puts the new object where the driver looks at a launch.
    const auto context = Context::create({program.device()});
    load_binary(*context, *program.device(), *made, program.options());
    extend(program, *std::move(made));
  } catch (const Error& error) {
    give_up(error);  // the launch compiles it instead
  }
}

void Resolver::extend(Program& program, Bytes archive) {
  if (store_ && !program.is_unkept())
    write_later(std::make_shared<Keeping>(
        Keeping{program.key(),
                program.canonical(),
                {Artifact::Form::pocl_archive, program.kernels(), archive, program.facts()},
                Metadata{artifact_schema, program.label(), program.device()->fingerprint(), 0},
                program.device()->pocl_device_string}));
  program.replace_archive(std::move(archive));
}

}  // namespace kiln
