#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data/text.hpp"
#include "mesh/io/dataset.hpp"
#include "mesh/io/mesh_file.hpp"

/// Calls of the HDF5 library, serial or parallel, that are the same for a file in memory and for
/// one that many ranks have opened. Each of the two is compiled with its own library's header.
namespace kiln::mesh::hdf5 {

/// An object of the library, closed by the function that its kind has.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// The library prints a stack of errors on standard error by default: not while this lives. The
/// program's own setting comes back.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
  }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The deepest message of the library's stack of errors: what it stumbled over.
inline std::string library_message() {
  std::string message;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &message);
  return message.empty() ? "no reason given" : one_line(message);
}

/// The library's own type of a component in memory.
inline hid_t native(ScalarType type) {
  const std::array<hid_t, 10> types{
      H5T_NATIVE_INT8,   H5T_NATIVE_UINT8, H5T_NATIVE_INT16,  H5T_NATIVE_UINT16, H5T_NATIVE_INT32,
      H5T_NATIVE_UINT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT64, H5T_NATIVE_FLOAT,  H5T_NATIVE_DOUBLE};
  return types[static_cast<std::size_t>(type)];
}

inline constexpr std::size_t most_objects = 10'000;
inline constexpr int deepest = 16;
inline constexpr std::size_t longest_text = 256;
/// What deflate reaches at most.
inline constexpr std::uint64_t largest_compression = 1032;
[[noreturn]] inline void damaged(std::string_view what) {
  refuse("damaged HDF5 file: cannot {} ({})", what, library_message());
}

/// The type of a file's numbers, whatever their byte order.
inline std::optional<ScalarType> scalar_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      if (size == 4) return ScalarType::f32;
      if (size == 8) return ScalarType::f64;
      return std::nullopt;
    case H5T_INTEGER:
      for (const auto width : {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64})
        if (size == size_of(width))
          return H5Tget_sign(type) == H5T_SGN_NONE
                     ? static_cast<ScalarType>(static_cast<int>(width) + 1)
                     : width;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// An attribute that holds one value of a class of types, if there is one of this name.
class Attribute {
 public:
  Attribute(hid_t object, const char* name, H5T_class_t wanted)
      : attribute_(H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1, H5Aclose),
        type_(attribute_ ? H5Aget_type(attribute_.get()) : -1, H5Tclose),
        space_(attribute_ ? H5Aget_space(attribute_.get()) : -1, H5Sclose),
        fits_(type_ && space_ && H5Tget_class(type_.get()) == wanted &&
              H5Sget_simple_extent_npoints(space_.get()) == 1) {}

  explicit operator bool() const { return fits_; }
  hid_t type() const { return type_.get(); }
  bool read(hid_t as, void* to) const { return H5Aread(attribute_.get(), as, to) >= 0; }

 private:
  Handle attribute_, type_, space_;
  bool fits_;
};

/// A short text, of fixed length as OP2 writes it or of a variable one as h5py does, else "".
inline void read_attribute(hid_t object, const char* name, std::string& text) {
  const Attribute attribute(object, name, H5T_STRING);
  if (!attribute) return;
  if (H5Tis_variable_str(attribute.type()) > 0) {
    char* read = nullptr;  // the library allocates it
    if (!attribute.read(attribute.type(), &read) || read == nullptr) return;
    text.assign(read, ::strnlen(read, longest_text));
    H5free_memory(read);
    return;
  }
  const std::size_t size = H5Tget_size(attribute.type());
  if (size == 0 || size > longest_text) return;
  std::string read(size, '\0');
  if (!attribute.read(attribute.type(), read.data())) return;
  read.resize(std::min(read.find('\0'), read.size()));
  while (read.ends_with(' ')) read.pop_back();
  text = std::move(read);
}

inline void read_attribute(hid_t object, const char* name, std::optional<std::int64_t>& number) {
  const Attribute attribute(object, name, H5T_INTEGER);
  std::int64_t value = 0;
  if (attribute && attribute.read(H5T_NATIVE_INT64, &value)) number = value;
}

/// Calls `each(name, value)` for the attributes of a dataset, in the order in which they are
/// written.
template <class AnyDataset, class Each>
void attributes(AnyDataset& dataset, const Each& each) {
  each("size", dataset.size);
  each("dim", dataset.dim);
  each("type", dataset.type_text);
  each("from", dataset.from);
  each("to", dataset.to);
  each("set", dataset.set);
}

inline Dataset describe(hid_t dataset, std::string path) {
  Dataset out{std::move(path)};
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (!space || !type) damaged(fmt::format("read the head of {}", quote(out.path)));
  if (H5Sget_simple_extent_type(space.get()) != H5S_NULL) out.type = scalar_type(type.get());
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  if (rank < 0 || rank > H5S_MAX_RANK ||
      (rank > 0 && H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) != rank))
    damaged(fmt::format("read the extents of {}", quote(out.path)));
  out.extents.assign(extents.begin(), extents.begin() + rank);
  attributes(out, [&](const char* name, auto& value) { read_attribute(dataset, name, value); });
  return out;
}

/// The names of a group's members, links out of the file and symbolic ones left aside.
inline std::vector<std::string> members(hid_t group, const std::string& path) {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t* info, void* to) -> herr_t {
    auto& list = *static_cast<std::vector<std::string>*>(to);
    if (info->type == H5L_TYPE_HARD) list.emplace_back(name);
    return list.size() > most_objects ? 1 : 0;
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names) < 0)
    damaged(fmt::format("list {}", path.empty() ? "the root group" : quote(path)));
  return names;
}

inline void walk(hid_t group, const std::string& path, int depth, std::size_t& objects,
                 std::vector<Dataset>& out) {
  for (const std::string& name : members(group, path)) {
    if (++objects > most_objects)
      refuse("found more than {} objects in the HDF5 file, expected a mesh", most_objects);
    const std::string full = path.empty() ? name : path + "/" + name;
    const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) damaged(fmt::format("open {}", quote(full)));
    const H5I_type_t kind = H5Iget_type(object.get());
    if (kind == H5I_DATASET) {
      out.push_back(describe(object.get(), full));
    } else if (kind == H5I_GROUP) {
      if (depth == deepest) refuse("group {} lies more than {} deep", quote(full), deepest);
      walk(object.get(), full, depth + 1, objects, out);
    }
  }
}

inline bool add_attribute(hid_t object, const char* name,
                          const std::optional<std::int64_t>& value) {
  if (!value) return true;
  const hsize_t one = 1;
  const auto number = static_cast<std::int32_t>(*value);
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const Handle attribute(
      H5Acreate2(object, name, H5T_NATIVE_INT32, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), H5T_NATIVE_INT32, &number) >= 0;
}

inline bool add_attribute(hid_t object, const char* name, const std::string& text) {
  if (text.empty()) return true;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  // With room for the zero at the end, which readers in C look for.
  if (!type || H5Tset_size(type.get(), text.size() + 1) < 0) return false;
  const Handle attribute(
      H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type.get(), text.c_str()) >= 0;
}

/// How a dataset's values lie: contiguous or chunked, in this file.
inline void check_storage(hid_t dataset, const Dataset& head, std::uint64_t bytes) {
  const Handle plan(H5Dget_create_plist(dataset), H5Pclose);
  if (!plan) damaged(fmt::format("read how {} is stored", quote(head.path)));
  const H5D_layout_t layout = H5Pget_layout(plan.get());
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
    refuse("{} is a virtual dataset, expected its values in the file itself", quote(head.path));
  if (H5Pget_external_count(plan.get()) != 0)
    refuse("the values of {} lie in another file, expected them in this one", quote(head.path));
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  const std::uint64_t most = layout == H5D_CHUNKED ? largest_compression : 1;
  if (bytes > 0 && (stored == 0 || bytes / most > stored))
    refuse("{} has {} bytes of values, but the file stores {}", quote(head.path), bytes, stored);
}

}  // namespace kiln::mesh::hdf5
