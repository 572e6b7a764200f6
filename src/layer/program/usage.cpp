#include "layer/program/usage.hpp"

#include <mutex>
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
      if (name.places.contains(found.program->key())) continue;
      if (is_given_up_) return;
      keep_text(store, *request.source).map_error([&](const Error& error) { give_up(error); });
      add(name, used_program(request, device, found));
      write(store, name, name.record.back());
    }
  }

  void note(Layer& store, const Key& artifact, const KernelVariant& variant) {
    const std::lock_guard lock(mutex_);
    for (Name& name : names_) {
      const auto place = name.places.find(artifact);
      if (place == name.places.end() || is_given_up_) continue;
      UsedProgram& program = name.record[place->second];
      if (program.variants.size() >= most_variants ||
          !program.variants.emplace(variant.kernel, variant.variant.folder()).second)
        continue;
      write(store, name, program);
    }
  }

 private:
  struct Name {
    std::string name;
    UsageRecord record;
    std::unordered_map<Key, std::size_t, KeyHash> places;
    bool is_written = false;
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
    for (auto& own_name : program_names()) {
      if (own_name.empty() || own_name.size() > longest_program_name) continue;
      Name& name = names_.emplace_back(Name{std::move(own_name), {}, {}});
      for (auto& program : used_programs(store, name.name)) add(name, std::move(program));
    }
  }
  static void add(Name& name, UsedProgram program) {
    name.places.insert_or_assign(program.artifact, name.record.size());
    name.record.push_back(std::move(program));
  }

  /// What was read may be of a store below the local one, which has a record of its own.
  void write(Layer& store, Name& name, const UsedProgram& program) {
    const bool is_first = !std::exchange(name.is_written, true);
    add_used(store, name.name, is_first ? name.record : UsageRecord{program})
        .map_error([&](const Error& error) { give_up(error); });
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
