#pragma once

#include <concepts>
#include <filesystem>
#include <string_view>

#include "kiln/mesh/distribution.hpp"
#include "kiln/mesh/halo.hpp"
#include "kiln/mesh/mixed_matrix.hpp"
#include "kiln/mesh/report.hpp"
#include "kiln/runtime.hpp"

namespace kiln::mesh {

/// Sets, maps and data, and loops over them, on one device. One thread at a time.
class KILN_API Mesh {
 public:
  struct Options {
    std::string device;   ///< as on the command line; empty: the first one
    std::string store;    ///< as Runtime::Options::store
    bool check = false;   ///< every plan is held against its definition before it is used
    bool timing = false;  ///< take times of every loop, for report()
    /// A queue of the application, in order and in the context of the Runtime's first device, to
    /// which all loops are enqueued, between commands of the application; null: one of its own.
    cl_command_queue queue = nullptr;
    /// Keep when what ran, for timeline(): 100 bytes a run; implies timing. On a Mesh with a
    /// Transport all parts do, or none.
    bool timeline = false;
    std::size_t queued = 32;  ///< so many loops wait at most; 0: each runs at once
    /// So many loops are kept ready to be called again; beyond that those go that were called
    /// longest ago. Many times what applications have in a time step (aero: 9 kernels).
    std::size_t prepared = 1024;
  };
  Mesh() : Mesh(Options{}) {}
  /// With a Runtime of its own. Throws Error: not_found where there is no such device, bad_input
  /// for a name that is none.
  explicit Mesh(const Options& options);
  /// On the first device of a Runtime (kiln/runtime.hpp), in its context, by a queue of the Mesh's
  /// own; programs and plans are its store's. Several Meshes may share a Runtime. Throws Error:
  /// not_found where the Runtime has no device, bad_input where the options name a device, a store,
  /// or a queue of another context, out of order or, to take times, without profiling.
  explicit Mesh(const Runtime& runtime) : Mesh(runtime, Options{}) {}
  Mesh(const Runtime& runtime, const Options& options);
  /// A part of a distributed mesh (kiln/mesh/distribution.hpp): all parts make the same sets, maps,
  /// data and calls in the same order. Throws as the one before, and bad_input without a Transport.
  Mesh(const Runtime& runtime, std::shared_ptr<Transport> transport)
      : Mesh(runtime, std::move(transport), Options{}) {}
  Mesh(const Runtime& runtime, std::shared_ptr<Transport> transport, const Options& options);
  ~Mesh();
  /// What was moved from may go; all else that is asked of it throws bad_input.
  Mesh(Mesh&&) noexcept;
  Mesh& operator=(Mesh&&) = delete;

  /// Names are for messages and reports, and not empty; at most 2^31 - 1 elements (else bad_input).
  ///
  /// On a Mesh with a Transport: this part's number of rows. The set is declared in blocks of rows,
  /// that of part 0 first; an element's number in the whole set is its row's. Until partition(),
  /// Dats have this part's rows, and values of Maps are numbers in the whole set.
  Set set(std::string name, std::size_t size);
  /// core, owned, with exec halo, with all of the halo: rising.
  /// `exchange` keeps the halo of its Dats up to date for loops; none: who has a halo calls
  /// Dat::write() and Dat::halo_is_fresh() between loops.
  Set set(std::string name, const std::array<std::size_t, 4>& sizes,
          std::shared_ptr<HaloExchange> exchange = nullptr);
  /// A part of a set that is distributed already, on a Mesh with a Transport: Maps from it and to
  /// it have local indices (of copies that are only read any), Dats total_size() rows. Throws
  /// bad_input for a part that contradicts itself.
  template <std::same_as<SetPart> Part>  // sizes in braces are no part
  Set set(std::string name, Part part) {
    return set_part(std::move(name), std::move(part));
  }
  /// `values`: (from.total_size(), arity) indices of `to`, copied. `offsets`: empty or `arity`.
  /// Throws bad_input for a wrong number of values or a value outside the set: names it.
  Map map(std::string name, const Set& from, const Set& to, std::size_t arity,
          std::span<const std::int32_t> values, std::span<const std::int32_t> offsets = {});
  /// The same with 64-bit numbers, for sets of a distributed mesh, which may have more than 2^31 -
  /// 1 elements. Throws bad_input for one that does not fit a Mesh in one part.
  template <std::convertible_to<std::span<const std::int64_t>> Values>
  Map map(std::string name, const Set& from, const Set& to, std::size_t arity, const Values& values,
          std::span<const std::int32_t> offsets = {}) {
    return map_by_numbers(std::move(name), from, to, arity, values, offsets);
  }
  /// The same from an extruded set: `values` are those of the lowest cells, `offsets` lead upwards,
  /// one for each component. On a mesh that is to be cut parts have all that the columns reach
  /// then; elements with numbers between those of a column stay together with it, on one part and
  /// in this order. Loops over fewer layers may use it. partition() throws bad_input where a column
  /// leads outside its set.
  Map map(std::string name, const ExtrudedSet& from, const Set& to, std::size_t arity,
          std::span<const std::int32_t> values, std::span<const std::int32_t> offsets);
  template <std::convertible_to<std::span<const std::int64_t>> Values>
  Map map(std::string name, const ExtrudedSet& from, const Set& to, std::size_t arity,
          const Values& values, std::span<const std::int32_t> offsets) {
    return map_by_numbers(std::move(name), from, to, arity, values, offsets);
  }
  /// `values`: (set.total_size(), dim), copied; empty: zeros.
  template <class T>
  Dat dat(std::string name, const DataSet& on, std::span<const T> values = {},
          DataLayout layout = DataLayout::aos) {
    return dat(std::move(name), on, scalar_type_of<T>(), values.data(), values.size(), layout);
  }
  template <class T>
  Dat dat(std::string name, const Set& set, std::size_t dim, std::span<const T> values = {},
          DataLayout layout = DataLayout::aos) {
    return dat<T>(std::move(name), DataSet(set, dim), values, layout);
  }
  /// For types that are known at run time only: `count` numbers of `type`, with any alignment. Null
  /// is for a count of 0: zeros. Throws bad_input for another count than that of all components.
  Dat dat(std::string name, const DataSet& on, ScalarType type, const void* values,
          std::size_t count, DataLayout layout);
  /// A Dat in a buffer of the application, which is retained, from `offset` (components) on:
  /// elements lie there as the layout says. Loops work in it, after all that was enqueued to
  /// Options::queue before them; Dat::buffer() tells of what is enqueued afterwards. Throws
  /// bad_input for a buffer that is smaller, is of another context or cannot begin there, and for a
  /// set without elements.
  template <class T>
  Dat wrap(std::string name, const DataSet& on, cl_mem memory, std::size_t offset = 0,
           DataLayout layout = DataLayout::aos) {
    return wrap(std::move(name), on, scalar_type_of<T>(), memory, offset, layout);
  }
  Dat wrap(std::string name, const DataSet& on, ScalarType type, cl_mem memory, std::size_t offset,
           DataLayout layout);
  /// `values`: copied, 1 or more (else bad_input).
  template <class T>
  Global global(std::string name, std::span<const T> values) {
    return global(std::move(name), scalar_type_of<T>(), values.data(), values.size());
  }
  template <class T>
  requires std::is_arithmetic_v<T> Global global(std::string name, T value) {
    return global(std::move(name), scalar_type_of<T>(), &value, 1);
  }
  /// `values`: `count` numbers, 1 or more, with any alignment; not null.
  Global global(std::string name, ScalarType type, const void* values, std::size_t count);
  /// Names are unique in a Mesh, C identifiers, and no words of OpenCL C (else bad_input).
  /// `values`: copied, 1 or more.
  template <class T>
  Const constant(std::string name, std::span<const T> values) {
    return constant(std::move(name), scalar_type_of<T>(), values.data(), values.size());
  }
  template <class T>
  requires std::is_arithmetic_v<T> Const constant(std::string name, T value) {
    return constant(std::move(name), scalar_type_of<T>(), &value, 1);
  }
  /// `values`: `count` numbers, 1 or more, with any alignment; not null.
  Const constant(std::string name, ScalarType type, const void* values, std::size_t count);

  /// The entries that loops through these pairs of Maps (rows, columns) reach; the two of a pair
  /// lead from one set, and all pairs to the same two sets. `row_dim`, `column_dim`: of a block,
  /// which has at most 2^31 - 1 entries. Kept in the store: computed once for Maps of the same
  /// values. Throws bad_input.
  Sparsity sparsity(std::span<const std::pair<Map, Map>> maps, std::size_t row_dim = 1,
                    std::size_t column_dim = 1);
  Sparsity sparsity(const Map& rows, const Map& columns, std::size_t row_dim = 1,
                    std::size_t column_dim = 1) {
    const std::pair<Map, Map> pair{rows, columns};
    return sparsity({&pair, 1}, row_dim, column_dim);
  }
  /// Those of loops over columns of cells: the Maps lead from the base set and have vertical
  /// offsets.
  Sparsity sparsity(const ExtrudedSet& columns, std::span<const std::pair<Map, Map>> maps,
                    std::size_t row_dim = 1, std::size_t column_dim = 1);
  /// A Sparsity for each pair of a row part and a column part, of the Maps of these parts in all
  /// pairs. `row_dims`, `column_dims`: by part; empty: 1 for each.
  MixedSparsity sparsity(std::span<const std::pair<MixedMap, MixedMap>> maps,
                         std::span<const std::size_t> row_dims = {},
                         std::span<const std::size_t> column_dims = {});
  MixedSparsity sparsity(const MixedMap& rows, const MixedMap& columns,
                         std::span<const std::size_t> row_dims = {},
                         std::span<const std::size_t> column_dims = {}) {
    const std::pair<MixedMap, MixedMap> pair{rows, columns};
    return sparsity({&pair, 1}, row_dims, column_dims);
  }
  MixedSparsity sparsity(const ExtrudedSet& columns,
                         std::span<const std::pair<MixedMap, MixedMap>> maps,
                         std::span<const std::size_t> row_dims = {},
                         std::span<const std::size_t> column_dims = {});
  /// All zeros. Throws bad_input for a Sparsity of another Mesh.
  template <class T>
  Mat mat(std::string name, const Sparsity& sparsity) {
    return mat(std::move(name), sparsity, scalar_type_of<T>());
  }
  Mat mat(std::string name, const Sparsity& sparsity, ScalarType type);
  /// Blocks are called name[row part][column part].
  template <class T>
  MixedMat mat(const std::string& name, const MixedSparsity& sparsity) {
    return mat(name, sparsity, scalar_type_of<T>());
  }
  MixedMat mat(const std::string& name, const MixedSparsity& sparsity, ScalarType type);

  /// Searches for the fastest way to run each loop that this Mesh has prepared, and each product
  /// with a matrix that it has computed, for at most so many seconds each, on the data as it is,
  /// which stays as it is. What is found goes on record in the store, and is used from now on, here
  /// (for products: of all matrices of the same shape) and by other processes.
  ///
  /// Runs what is queued first. Needs memory on the host for two more copies of all that a loop
  /// changes. Of a distributed mesh each part may search: all stale halos that loops and products
  /// read are exchanged first, in the order of their first calls, and trials exchange nothing, so
  /// that no part waits for another whose search takes longer or fails. Parts must have called the
  /// same loops; they may find different forms.
  ///
  /// Throws Error: bad_input where no form of a loop could be used, device where it fails, and what
  /// a queued loop or a HaloExchange throws. What was found before stays on record.
  std::vector<LoopTuning> tune(double seconds_each = 10);

  // A mesh in parts. All parts call these in the same order.

  /// Cuts the primary set, has the others follow, and brings each element to its owner with all
  /// that is on it and leads from it. Other sets: one that leads to sets with owners takes the
  /// commonest owner of its elements' targets; then one that such sets lead to takes the commonest
  /// owner of the elements that lead there (equally common: the lowest part); what no map joins
  /// stays in blocks. Then each part numbers its elements anew (elements that are used together lie
  /// together) and gets copies of others' elements: those from which a map leads to its own, and
  /// all that maps lead to from these and its own. Handles stay what they are. Afterwards there are
  /// new sizes of Sets, Maps have local numbers, Dats have rows of all local elements. The same
  /// mesh, partitioner and number of parts give the same result.
  ///
  /// Sets and Maps are declared before, all other things that loops use may be made afterwards:
  /// Subsets and Sparsities must be. Loops are refused before, on more than one part.
  /// `weights`: how large each part is to be, in proportion, 0 for a part that gets nothing of the
  /// primary set; empty: all the same.
  ///
  /// May be called again: Dats, those made since too, keep their values, halos are fresh, loops are
  /// prepared anew. No Subset, Sparsity or Dat in a buffer of the application may be left then.
  ///
  /// Throws on all parts: bad_input where parts declared different things, for a Map's value
  /// outside its set, a Mesh without a Transport, and what the partitioner throws; unsupported
  /// where a part has more than 2^31 - 1 elements of a set.
  void partition(const Partitioner& partitioner, std::span<const double> weights = {});
  /// How the set lies in this part. Valid as long as the Set. Throws bad_input before partition().
  const SetPart& part(const Set& set) const;
  /// The rows that this part declared: the first one's number in the whole set, and how many.
  /// Throws bad_input before partition().
  struct Rows {
    std::int64_t first = 0;
    std::size_t count = 0;
  };
  Rows declared_rows(const Set& set) const;
  /// Writes who owns each element of a set, for saved_partition(); the file appears whole or not at
  /// all. Throws bad_input before partition(), io.
  void save_partition(const Set& set, const std::filesystem::path& path) const;
  /// Null: it is not distributed.
  const std::shared_ptr<Transport>& transport() const;

  /// Where its loops are enqueued; not retained for the caller.
  cl_command_queue queue() const;
  /// Gives all queued loops to the device. Throws what they throw.
  void flush();
  /// The same, and waits for them.
  void finish();
  /// Loops that wait until their results are asked for.
  std::size_t queued() const;

  /// Of each loop and each operation on matrices that ran since the Mesh began, or since
  /// clear_report(); those that were forgotten with their data, too. Runs what is queued and waits
  /// for it. With Options::timing the first call in a process measures the device's copy
  /// bandwidth.
  std::vector<LoopReport> report();
  /// Runs of loops and of what is done with matrices, each from the start of its first launch to
  /// the end of its last, and the look-ups of their programs and plans, in the order of their
  /// start; those before clear_report(), too. Empty without Options::timeline. Waits for the loops.
  std::vector<TimelineSpan> timeline();
  /// Seconds that the host of this part of a distributed mesh waited for others since it began, or
  /// since clear_report(): in exchanges, and for shares of Globals. Runs what is queued.
  double wait_seconds();
  /// report() of all parts of a distributed mesh, with how it lies over them; on all parts the
  /// same. All parts call it. Of a Mesh in one part: of this one. Throws on all parts what report()
  /// throws on one.
  PartsReport report_of_parts();
  /// timeline() of all parts, each with its rank, on part 0's clock; the other parts get nothing.
  /// All parts call it. Clocks are compared when the Mesh is made, with Options::timeline, and here
  /// (the quickest of several messages there and back, as Cristian 1989 has it), and taken to drift
  /// evenly between. Throws as report_of_parts().
  std::vector<TimelineSpan> timeline_of_parts();
  /// Counts begin anew. Runs what is queued and waits for it.
  void clear_report();
  /// Bytes a second of a copy on this device, both directions counted; measured at the first call
  /// in the process.
  double copy_bandwidth();
  /// As the device calls itself.
  std::string device_name() const;

 private:
  friend struct Handles;
  Set set_part(std::string name, SetPart part);
  Map map_by_numbers(std::string name, const Set& from, const Set& to, std::size_t arity,
                     std::span<const std::int64_t> values, std::span<const std::int32_t> offsets);
  Map map_by_numbers(std::string name, const ExtrudedSet& from, const Set& to, std::size_t arity,
                     std::span<const std::int64_t> values, std::span<const std::int32_t> offsets);
  std::shared_ptr<Session> session_;
};

}  // namespace kiln::mesh
