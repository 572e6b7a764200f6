#include "mpi/parallel_hdf5.hpp"

#ifdef KILN_WITH_PARALLEL_HDF5

namespace kiln::mpi {

using mesh::quote;
using mesh::ScalarType;
using mesh::hdf5::library_message;
using mesh::hdf5::native;

namespace {

[[noreturn]] void cannot_write(std::string_view what) {
  throw Error(Errc::io,
              fmt::format("cannot write {} to an HDF5 file ({})", what, library_message()));
}

/// The part of a dataset's values that some rows are, in the file, and as a list in memory.
class Selection {
 public:
  Selection(hid_t dataset, const Dataset& head, Rows rows)
      : starts_(head.extents.size(), 0),
        counts_(head.extents.begin(), head.extents.end()),
        numbers_(select_rows(rows)),
        file_(H5Dget_space(dataset), H5Sclose),
        memory_(H5Screate_simple(1, &numbers_, nullptr), H5Sclose) {
    if (!file_ || !memory_) return;
    is_good_ =
        numbers_ == 0
            ? H5Sselect_none(file_.get()) >= 0 && H5Sselect_none(memory_.get()) >= 0
            : counts_.empty() || H5Sselect_hyperslab(file_.get(), H5S_SELECT_SET, starts_.data(),
                                                     nullptr, counts_.data(), nullptr) >= 0;
  }
  hid_t in_file() const { return file_.get(); }
  hid_t in_memory() const { return memory_.get(); }
  std::uint64_t numbers() const { return numbers_; }
  bool is_good() const { return is_good_; }

 private:
  hsize_t select_rows(Rows rows) {
    if (counts_.empty()) return rows.count;
    starts_[0] = rows.first;
    counts_[0] = rows.count;
    hsize_t numbers = 1;
    for (const hsize_t count : counts_) numbers *= count;
    return numbers;
  }

  std::vector<hsize_t> starts_, counts_;
  hsize_t numbers_;
  Handle file_, memory_;
  bool is_good_ = false;
};

}  // namespace

ParallelFile::ParallelFile(MPI_Comm comm, const std::string& path, Mode mode)
    : access_(H5Pcreate(H5P_FILE_ACCESS), H5Pclose),
      transfer_(H5Pcreate(H5P_DATASET_XFER), H5Pclose) {
  const hid_t access = access_.get();
  // One rank reads what describes the file, and tells the others.
  if (H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL) < 0 ||
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
      H5Pset_all_coll_metadata_ops(access, true) < 0 ||
      H5Pset_coll_metadata_write(access, true) < 0 ||
      H5Pset_dxpl_mpio(transfer_.get(), H5FD_MPIO_COLLECTIVE) < 0)
    throw Error(Errc::io,
                fmt::format("cannot prepare HDF5 for many ranks ({})", library_message()));
  if (mode == Mode::read) {
    file_.emplace(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (!*file_) mesh::hdf5::damaged("open it");
  } else {
    file_.emplace(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    if (!*file_) cannot_write("a head");
  }
}

std::vector<Dataset> ParallelFile::datasets() const {
  std::vector<Dataset> out;
  std::size_t objects = 0;
  const Handle root(H5Gopen2(file_->get(), "/", H5P_DEFAULT), H5Gclose);
  if (!root) mesh::hdf5::damaged("open the root group");
  mesh::hdf5::walk(root.get(), "", 0, objects, out);
  return out;
}

std::vector<std::byte> ParallelFile::read(const Dataset& dataset, ScalarType type,
                                          Rows rows) const {
  const Handle opened(H5Dopen2(file_->get(), dataset.path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!opened) mesh::hdf5::damaged(fmt::format("open {}", quote(dataset.path)));
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(dataset.elements(), size_of(*dataset.type), &all))
    mesh::refuse("{} claims {} values, more than a file can hold", quote(dataset.path),
                 dataset.elements());
  mesh::hdf5::check_storage(opened.get(), dataset, all);
  const Selection selection(opened.get(), dataset, rows);
  std::vector<std::byte> values(selection.numbers() * size_of(type));
  if (all == 0) return values;  // it has no place in the file
  if (!selection.is_good() || H5Dread(opened.get(), native(type), selection.in_memory(),
                                      selection.in_file(), transfer_.get(), values.data()) < 0)
    mesh::hdf5::damaged(fmt::format("read the values of {}", quote(dataset.path)));
  return values;
}

void ParallelFile::add(const Dataset& dataset, Rows rows, std::span<const std::byte> values) const {
  const std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hid_t type = native(*dataset.type);
  if (!space || H5Pset_create_intermediate_group(links.get(), 1) < 0 ||
      H5Pset_obj_track_times(plan.get(), false) < 0)
    cannot_write(quote(dataset.path));
  const Handle made(H5Dcreate2(file_->get(), dataset.path.c_str(), type, space.get(), links.get(),
                               plan.get(), H5P_DEFAULT),
                    H5Dclose);
  if (!made) cannot_write(quote(dataset.path));
  const Selection selection(made.get(), dataset, rows);
  // Without elements it has no place in the file.
  bool is_good =
      selection.is_good() && (dataset.elements() == 0 ||
                              H5Dwrite(made.get(), type, selection.in_memory(), selection.in_file(),
                                       transfer_.get(), values.data()) >= 0);
  mesh::hdf5::attributes(dataset, [&](const char* name, const auto& value) {
    is_good = is_good && mesh::hdf5::add_attribute(made.get(), name, value);
  });
  if (!is_good) cannot_write(quote(dataset.path));
}

void ParallelFile::close() {
  if (H5Fflush(file_->get(), H5F_SCOPE_GLOBAL) < 0) cannot_write("the end");
  file_.reset();
}

}  // namespace kiln::mpi

#endif
