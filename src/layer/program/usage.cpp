#include "layer/program/usage.hpp"

#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/lifetime.hpp"
#include "base/log.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage_record.hpp"

namespace kiln::layer {
namespace {

/// What is on record for each name of this process, as far as it knows.
class Usage {
 public:
  void note(Layer& store, const Request& request, const Device& device,
            const Resolver::Startable& found) {
    const std::lock_guard lock(mutex_);
    load(store);
    for (Name& name : names_) {
      const Key& artifact = found.program->key();
      if (name.variants.contains(artifact) || is_given_up_) continue;
      if (name.stored.has(artifact)) {
        name.variants[artifact] = name.stored.program(artifact).variants;
        continue;
      }
      const UsedProgram used = used_program(request, device, found);
      name.variants[artifact] = used.variants;
      if (const auto kept = keep_text(store, *request.source); !kept)
        give_up(kept.error());
      else
        write(store, name, used);
    }
  }

  void note(Layer& store, const Key& artifact, const KernelVariant& variant) {
    const std::lock_guard lock(mutex_);
    for (Name& name : names_) {
      const auto known = name.variants.find(artifact);
      if (known == name.variants.end() || is_given_up_ || known->second.size() >= most_variants ||
          !known->second.emplace(variant.kernel, variant.variant.folder()).second)
        continue;
      UsedProgram more;
      more.artifact = artifact;
      more.variants.emplace(variant.kernel, variant.variant.folder());
      write(store, name, more);
    }
  }

 private:
  struct Name {
    std::string name;
    StoredUsage stored;  ///< as it was at first
    /// Of the programs that this process has built.
    std::unordered_map<Key, std::set<UsedVariant>, KeyHash> variants;
  };

  static UsedProgram used_program(const Request& request, const Device& device,
                                  const Resolver::Startable& found) {
    UsedProgram used;
    used.artifact = found.program->key();
    used.text = request.source->digest();
    used.is_module = request.source->module() != nullptr;
    used.options = request.options;
    used.constants = request.constants;
    used.fingerprint = device.fingerprint();
    // Which of them this application needs is not known any more where it has got them from others.
    if (const auto archive = poclbin::parse(found.binary); archive && device.pocl)
      for (const auto& kernel : archive->kernels)
        for (const auto& variant : poclbin::variants(kernel))
          if (used.variants.size() < most_variants)
            used.variants.emplace(kernel.name, variant.folder());
    return used;
  }

  void load(Layer& store) {
    if (std::exchange(is_loaded_, true)) return;
    for (auto& name : program_names())
      if (!name.empty() && name.size() <= longest_program_name)
        names_.push_back({name, stored_usage(store, name), {}});
  }

  void write(Layer& store, const Name& name, const UsedProgram& program) {
    if (const auto done = add_used(store, name.name, {program}, name.stored.content()); !done)
      give_up(done.error());
  }
  /// A store that is full or unreachable would make each build wait for it.
  void give_up(const Error& error) {
    if (!std::exchange(is_given_up_, true))
      log(LogLevel::info, "what this program builds is not on record: " + error.message());
  }

  std::mutex mutex_;
  bool is_loaded_ = false, is_given_up_ = false;
  std::vector<Name> names_;
};

Usage& usage() {
  static NeverDestroyed<Usage> all;
  return *all;
}

}  // namespace

void note_use(Resolver& resolver, const Request& request, const Device& device,
              const Resolver::Startable& found) noexcept {
  try {
    if (Layer* store = resolver.store(); store != nullptr && request.source && found.program)
      usage().note(*store, request, device, found);
  } catch (...) {
    log_failure("what a program has built");
  }
}

void note_variant(Resolver& resolver, const Key& artifact, const KernelVariant& variant) noexcept {
  try {
    if (Layer* store = resolver.store()) usage().note(*store, artifact, variant);
  } catch (...) {
    log_failure("what a program has launched");
  }
}

}  // namespace kiln::layer
