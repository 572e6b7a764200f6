#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/os/file.hpp"

/// Writes HDF5 files with HDF5's own interface, as other programs do: nothing of Kiln's writer.
namespace kiln::mesh::testing {

class Op2File {
 public:
  Op2File()
      : folder_(value_or_throw(TemporaryFolder::create("kiln-op2"))),
        path_(folder_.path() / "mesh.h5"),
        file_(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  Op2File(const Op2File&) = delete;
  Op2File& operator=(const Op2File&) = delete;
  ~Op2File() {
    if (file_ >= 0) H5Fclose(file_);
  }

  hid_t file() const { return file_; }

  /// A dataset of any rank; `stored` is its type in the file, `native` that of the values.
  template <class T>
  void dataset(const std::string& name, std::vector<hsize_t> extents, const std::vector<T>& values,
               hid_t stored, hid_t native, hid_t plan = H5P_DEFAULT) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t data =
        H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(data, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }

  void ints(const std::string& name, std::vector<hsize_t> extents, const std::vector<int>& values) {
    dataset(name, std::move(extents), values, H5T_NATIVE_INT, H5T_NATIVE_INT);
  }
  void doubles(const std::string& name, std::vector<hsize_t> extents,
               const std::vector<double>& values) {
    dataset(name, std::move(extents), values, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE);
  }

  /// The attributes as OP2 writes them: numbers of one element, texts of a fixed length.
  void number(const std::string& name, const char* attribute, int value) {
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, nullptr);
    attach(name, attribute, H5T_NATIVE_INT, space, &value);
    H5Sclose(space);
  }
  /// `room`: bytes of the attribute; OP2 takes 10 for maps and none to spare for data.
  void text(const std::string& name, const char* attribute, std::string value, std::size_t room) {
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, room);
    value.resize(room);
    attach(name, attribute, type, space, value.data());
    H5Tclose(type);
    H5Sclose(space);
  }
  /// As h5py writes texts.
  void variable_text(const std::string& name, const char* attribute, const char* value) {
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    attach(name, attribute, type, space, &value);
    H5Tclose(type);
    H5Sclose(space);
  }

  Bytes bytes() {
    H5Fclose(file_);
    file_ = -1;
    return value_or_throw(read_file(path_));
  }

 private:
  void attach(const std::string& name, const char* attribute, hid_t type, hid_t space,
              const void* value) {
    const hid_t data = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t made = H5Acreate2(data, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, value);
    H5Aclose(made);
    H5Dclose(data);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
  hid_t file_;
};

}  // namespace kiln::mesh::testing
