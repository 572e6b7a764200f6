#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/program/program.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "store/layer/memory_layer.hpp"

// What the Resolver asks for texts, Parameters and binaries; front ends implement these.
namespace kiln {

/// Makes the text of one family of kernels. A pure function of Request and Parameters: no device,
/// no files, deterministic names, so that equal input gives equal text. Thread-safe.
class Generator {
 public:
  virtual ~Generator() = default;
  virtual std::string family() const = 0;
  /// Raised whenever the text for some Request changes; a part of the Key.
  virtual std::int64_t version() const = 0;
  /// What to use where nothing is on record: always right, if not fastest.
  virtual Parameters defaults(const Request& request) const = 0;
  /// True where the Parameters fit the Request: the guard over records that came from elsewhere.
  virtual bool accepts(const Request& request, const Parameters& parameters) const = 0;
  /// Problem classes whose Parameters are good for this one, too, the nearest first: where it has
  /// nothing on record of its own, they are asked. A few: each costs a look-up in the store.
  virtual std::vector<std::string> classes_like(const std::string& /*problem_class*/) const {
    return {};
  }
  /// How far from a size that was measured its Parameters are good.
  virtual Reach reach() const { return {}; }
  /// OpenCL C. Only called with Parameters that accepts() takes.
  virtual std::string generate(const Request& request, const Parameters& parameters) const = 0;
};

/// The Generators of a Resolver, by family. Thread-safe; a look-up takes no lock.
class Generators {
 public:
  using Table = MemoryLayer<std::string, std::unique_ptr<Generator>, std::hash<std::string>>;

  /// Where the family has one: it stays, or is replaced and lives on.
  void add(std::unique_ptr<Generator> generator, Table::OnExisting rule) {
    const std::string family = generator->family();
    by_family_.insert(family, std::move(generator), rule);
  }
  /// That of a Request's family; null where the Request has its source, or the family has none.
  /// Throws internal for another version than the Request's.
  const Generator* of(const Request& request) const;

 private:
  Table by_family_;
};

/// A read-only source of tuning records besides the store: files of other programs. It is asked
/// once for each family, problem class and device; what it gives is used where the store has
/// nothing that can be used and the Generator accepts it. Thread-safe; never throws: what cannot
/// be read is an empty record and a line in the log.
class ParameterSource {
 public:
  virtual ~ParameterSource() = default;
  virtual std::string name() const = 0;  ///< for explanations: "kernel database"
  virtual TuningRecord find(const Request& request, const Device& device) const = 0;
};

/// A read-only source of compiled programs besides the store: a file that came from elsewhere. It
/// is asked after the store and before the compiler; what it gives is verified against the device
/// like an entry of the store. Thread-safe.
class BinarySource {
 public:
  struct Found {
    std::optional<Artifact> artifact;  ///< without its kernels, which the driver tells
    std::string reason;                ///< why there is none
  };
  virtual ~BinarySource() = default;
  virtual std::string name() const = 0;  ///< for --explain
  virtual Found find(const Request& request, const Device& device) const = 0;
};

}  // namespace kiln
