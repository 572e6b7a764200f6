#pragma once

#include <hdf5.h>

#include <array>
#include <mutex>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "kiln/mesh/types.hpp"

/// What hdf5_library's two sources share, and nobody else includes: its library's header stays
/// behind it.
namespace kiln::mesh::hdf5 {

// No such file can ever be: the driver for images in memory wants a name that is free.
inline constexpr const char* no_file = "/dev/null/kiln";

inline std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

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

}  // namespace kiln::mesh::hdf5
