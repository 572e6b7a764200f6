// The objects of the null driver (null_driver.cpp), and what its functions share.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// Loaders find the table of functions through the first member of each handle.

struct Counted {
  const cl_icd_dispatch* dispatch;
  std::atomic<cl_uint> count{1};
  Counted();
};

template <class T>
cl_int retain(T* object, cl_int invalid) {
  if (object == nullptr) return invalid;
  object->count.fetch_add(1, std::memory_order_relaxed);
  return CL_SUCCESS;
}

template <class T>
cl_int release(T* object, cl_int invalid) {
  if (object == nullptr) return invalid;
  if (object->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
  return CL_SUCCESS;
}

/// A counted reference of one object to another.
template <class T>
class Reference {
 public:
  Reference(T* object) : object_(object) { retain(object, 0); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() { release(object_, 0); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }

 private:
  T* object_;
};

struct _cl_platform_id : Counted {};
struct _cl_device_id : Counted {};
struct _cl_context : Counted {
  std::vector<cl_context_properties> properties;
  std::vector<std::function<void()>> destructors;
  ~_cl_context() {
    for (auto call = destructors.rbegin(); call != destructors.rend(); ++call) (*call)();
  }
};
struct _cl_command_queue : Counted {
  Reference<_cl_context> context;
  cl_command_queue_properties properties;
};
struct _cl_mem : Counted {
  Reference<_cl_context> context;
  Reference<_cl_mem> parent;
  cl_mem_flags flags;
  size_t size, offset;
  void* host;
  std::unique_ptr<unsigned char[]> own;
};
struct _cl_program : Counted {
  Reference<_cl_context> context;
  std::string source, names, options;
  cl_int status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
};
struct _cl_kernel : Counted {
  Reference<_cl_program> program;
  std::string name;
};
struct _cl_event : Counted {
  Reference<_cl_context> context;
  cl_command_queue queue;
  cl_command_type type;
  cl_int status;
  cl_ulong queued;
};

extern cl_icd_dispatch table;
extern _cl_platform_id platform;
extern _cl_device_id device;

/// Where the answer of a query goes.
struct Answer {
  size_t size;
  void* value;
  size_t* told;

  cl_int bytes(const void* data, size_t count) const {
    if (value != nullptr && size < count) return CL_INVALID_VALUE;
    if (value != nullptr && count > 0) std::memcpy(value, data, count);
    if (told != nullptr) *told = count;
    return CL_SUCCESS;
  }
  cl_int text(const std::string& text) const { return bytes(text.c_str(), text.size() + 1); }
  template <class T>
  cl_int operator()(const T& one) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return bytes(&one, sizeof one);
  }
  template <class T>
  cl_int operator()(const std::vector<T>& list) const {
    return bytes(list.data(), list.size() * sizeof(T));
  }
  /// Whether the list of pairs has the name; its value is the answer then.
  template <class List>
  bool from(cl_uint name, const List& list, cl_int& status) const {
    for (const auto& [key, entry] : list)
      if (key == name) return status = (*this)(entry), true;
    return false;
  }
};

template <class T>
T* created(T* object, cl_int* status, cl_int code = CL_SUCCESS) {
  if (status != nullptr) *status = code;
  return object;
}

template <class T>
T* failed(cl_int code, cl_int* status) {
  return created<T>(nullptr, status, code);
}

/// The parts of the table that null_driver_objects.cpp defines.
void fill_memory();
void fill_programs();
void fill_kernels();
void fill_launches();
void fill_events();
