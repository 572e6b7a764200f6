#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kernel/apart/helper.hpp"
#include "kernel/program/plan.hpp"
#include "kernel/program/program.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/resolver/caches.hpp"
#include "kernel/resolver/explain.hpp"
#include "kernel/resolver/generator.hpp"
#include "kernel/resolver/tuning_records.hpp"
#include "kernel/traits/driver_findings.hpp"
#include "store/layer/layer.hpp"
#include "store/layer/write_queue.hpp"

// The one place where Requests become programs, and Keys plans.
namespace kiln {

/// How the Artifact of a PoCL program is made on a first run. The default was chosen by
/// measurement (docs/performance.md).
enum class CompilePolicy {
  apart,  ///< a helper process makes it, the run waits and starts from the Artifact
  /// The run builds in process at once; the helper makes the Artifact on another core meanwhile.
  background,
  here,  ///< built in process only; nothing is kept
};

/// The only place where a Request becomes a Program or a Plan: looks in memory, then the store,
/// then makes it and writes it back in the background (store/layer/write_queue.hpp).
/// Concurrent callers of one Key share one making. Thread-safe.
class Resolver : public VariantMaker {
 public:
  /// `store` may be null: nothing is kept then; so may `shipped`, which outlives it. Outlives the
  /// contexts whose programs it makes.
  explicit Resolver(std::unique_ptr<Layer> store, CompilePolicy policy = CompilePolicy::apart,
                    ShippedRecords* shipped = nullptr);
  ~Resolver() override;

  /// The Resolver of this process, over the default store; made at the first call.
  static Resolver& process();

  /// Generators by family; to be registered before the family's first Request. The first of a
  /// family stays.
  void add(std::unique_ptr<Generator> generator) {
    generators_.add(std::move(generator), Generators::Table::OnExisting::keep_first);
  }
  /// The same in place of the one that is there, which lives on: for tests of its forms.
  void replace(std::unique_ptr<Generator> generator) {
    generators_.add(std::move(generator), Generators::Table::OnExisting::replace);
  }

  /// Adds a source that is asked after the store; to be mounted before the first resolve().
  void mount(std::unique_ptr<BinarySource> source) { mounted_.push_back(std::move(source)); }
  /// Adds a source of tuning records; what was looked up before does not come from it.
  void mount(std::unique_ptr<ParameterSource> source) { records_.mount(std::move(source)); }

  /// The program for a device of a context, with Parameters that choose() gave: what else depends
  /// on them, such as the launch's geometry, is then of the same ones, whatever goes on record
  /// meanwhile. Owned by the context. `wanted` are the variants that will be launched soon: what
  /// must be compiled is compiled at once. Throws kiln::Error: build (with the log), device,
  /// bad_input (no such kernel, unknown family).
  Program& resolve(const Request& request, const ChosenParameters& chosen,
                   const ContextPtr& context, const DevicePtr& device,
                   const std::vector<KernelVariant>& wanted = {},
                   Explanation* explanation = nullptr);
  /// The same of a Request that has its source and so no Parameters.
  Program& resolve(const Request& request, const ContextPtr& context, const DevicePtr& device,
                   const std::vector<KernelVariant>& wanted = {},
                   Explanation* explanation = nullptr) {
    return resolve(request, ChosenParameters{}, context, device, wanted, explanation);
  }

  /// What starts a program whose handle in the driver is the caller's own affair.
  struct Startable {
    /// What is known of it, without a handle. Its prepare() makes variants as that of others does.
    std::unique_ptr<Program> program;
    Bytes binary;           ///< what the driver starts; empty: it is to be built in this process
    std::string build_log;  ///< of the compiler that made it
    Bytes canonical;
    Reservation right = {};  ///< to build it: held until keep_built()
  };
  /// For callers that must have a program of the driver for themselves, of which the Resolver
  /// gives no other caller any: an OpenCL layer. The same steps as resolve() but for the last one:
  /// nothing is loaded, and nothing is built in this process, not even where no helper can do it.
  /// Throws as resolve(). `before_making` is called where no layer has it; what it throws comes
  /// out.
  using BeforeMaking = std::function<void(const Key&)>;
  Startable startable(const Request& request, const DevicePtr& device,
                      const std::vector<KernelVariant>& wanted, Explanation* explanation,
                      const BeforeMaking& before_making = {});
  /// Keeps what the driver has made of a program that startable() left to be built.
  void keep_built(const Request& request, const DevicePtr& device, Startable&& of, Bytes binary,
                  const std::string& log, double seconds);
  /// The same of a program archive that an application has kept itself: with the variants that were
  /// made of it since. What is not of this device, or damaged, comes back as it is.
  Startable startable_archive(const DevicePtr& device, Bytes archive, const std::string& label,
                              const std::string& options, Explanation* explanation);
  /// Takes a larger archive of a program, with variants that the driver itself has made.
  void extend(Program& program, Bytes archive);

  /// What the text of a Request says of a kernel of its program: as it was stored with the program,
  /// else read now, and stored with it. Where there is no text, or libclang, or no such kernel:
  /// facts of a kernel that is not to be split, with the reason.
  KernelFacts facts(const Request& request, Program& program, const std::string& kernel,
                    Explanation* explanation = nullptr);

  /// The memory layer alone: the program of a Key, or nullptr. Takes no lock.
  Program* find(const Key& key, Context& context, const Device& device) const noexcept {
    return programs_.find(key, context, device);
  }

  /// The best Parameters on record for the Request's problem class, size and the device: of the
  /// store's records Kiln's own measurements, then those of others (TuningRecord::choose, within
  /// the Generator's reach). Where there is none, for families with a Generator: what the same
  /// device has with another driver, then the classes that are like this one
  /// (Generator::classes_like), then devices of the model with other numbers of units. These were
  /// never compared with the built-in Parameters here, so only what was faster by
  /// TuningRecords::trusted_gain where it was measured counts. Then what the mounted sources have,
  /// then what comes with Kiln for this device or, of what was clearly faster there, for the
  /// nearest one; else the Generator's defaults. What the Generator does not accept is never used,
  /// nor, where it is given, what `fits` does not take.
  ChosenParameters choose(const Request& request, const Device& device,
                          const TuningRecords::Fits& fits = {}) {
    return records_.choose(request, device, fits);
  }
  /// Whether the Generator of a Request's family takes these Parameters.
  bool accepts(const Request& request, const Parameters& parameters) const {
    const Generator* maker = generators_.of(request);
    return maker != nullptr && maker->accepts(request, parameters);
  }

  /// Adds measurements to the record, in memory and in the store.
  void record(const Request& request, const Device& device,
              const std::vector<Measurement>& measurements) {
    records_.record(request, device, measurements);
  }
  /// The same of Parameters alone, whose time is not known.
  void record(const Request& request, const Device& device, const Parameters& parameters) {
    record(request, device, {Measurement{parameters, request.problem_size, 0, {}, {}, {}}});
  }
  /// All that the store has on record for the Request's family, problem class and the device.
  TuningRecord tuning_record(const Request& request, const Device& device) const {
    return records_.stored(request, device);
  }

  /// What the drivers of this process were found to do.
  DriverFindings& findings() { return findings_; }
  /// What a driver was found to take of compiling apart, tried at the first need
  /// (apart/probe.hpp); an explanation gets what is not taken. Additions of variants to an archive
  /// are tried only where they are asked for: they do not hold before.
  enum class Additions { not_needed, needed };
  CompileWays ways(const Device& device, Additions additions = Additions::not_needed,
                   Explanation* explanation = nullptr);

  /// The plan of a Key: memory, store, else `make`. The arrays stay alive while the pointer does.
  struct PlanRequest {
    Bytes canonical;           ///< from a CanonicalWriter
    std::uint32_t schema = 1;  ///< of the arrays' meaning
    std::string label;
  };
  PlanPtr resolve_plan(const PlanRequest& request, const std::function<PlanPtr()>& make,
                       Explanation* explanation = nullptr);

  /// The store, of one layer or several; nullptr where it is off. Programs and plans that were made
  /// may be on their way there: finish() waits for them.
  Layer* store() const { return store_.get(); }
  /// Waits for compiles in the background, and until the store has all that was made.
  void finish();

  void make_variant(Program& program, const KernelVariant& variant) override;

 private:
  struct Work;     // one program's making: what the steps share
  struct Keeping;  // what is kept of it

  void make_alone(Work& work);
  std::unique_ptr<Program> program_of(Work& work);
  PlanPtr load_plan(const PlanRequest& request, const Key& key, Explanation* explanation);

  // The steps (resolver_make.cpp).
  Lookup ask_store(Kind kind, const Key& key, ByteView canonical, Explanation* explanation);
  bool load_stored(Work& work);
  Expected<void> add_variants(Work& work, const std::vector<KernelVariant>& lacking);
  bool load_mounted(Work& work);
  std::string text_of(const Request& request, const Parameters& parameters) const;
  void compile(Work& work);
  Expected<void> make_archive(Work& work);
  void compile_apart_into(Work& work);
  bool load_made(Work& work);
  static Expected<void> load(Work& work, StepTimer& step);
  void compile_here_into(Work& work, const std::string& why);
  void compile_in_background(const Work& work);
  void keep(Work& work);
  void write_later(std::shared_ptr<Keeping> what);
  void write(const Keeping& what);
  void keep_facts(const Program& program, FactsPtr facts);

  std::unique_ptr<Layer> store_;
  CompilePolicy policy_;
  Generators generators_;
  TuningRecords records_;
  DriverFindings findings_;
  ProgramCache programs_;
  PlanCache plans_;
  std::vector<std::unique_ptr<BinarySource>> mounted_;
  std::mutex background_mutex_;
  std::vector<std::thread> background_;
  WriteQueue writes_;  ///< to store_
};

/// One program's making: what its steps share. For the Resolver's own files.
struct Resolver::Work {
  Request request;
  Parameters parameters;
  ContextPtr context;
  DevicePtr device;
  std::vector<KernelVariant> wanted;
  Explanation* explanation = nullptr;
  Key key;
  Bytes canonical;
  bool is_trial = false;  ///< ChosenParameters::is_trial

  Artifact artifact = {};  ///< what is kept; its binary is empty where nothing can be
  cl::Program handle = {};
  double cost_seconds = 0;
  std::optional<Digest> source = {};  ///< of the text that was compiled
  std::string build_log = {};
  bool is_detached = false;    ///< its handle is the caller's affair
  bool stored_is_bad = false;  ///< what the store holds is to be replaced, not merged with
  bool warned = false;         ///< of what the store holds: a look-up may come twice
  Reservation right = {};      ///< to make it; held until it is in the store
  std::function<void()> keep_later = {};
};

}  // namespace kiln
