// Makes the installed PoCL look like one that no release of Kiln has met, for programs that are
// started with this library as a layer of the OpenCL loader (OPENCL_LAYERS) and before all others
// (LD_PRELOAD): it tells version 99 of itself, and its cache has other names on the disk. What
// PoCL, its LLVM and its linker open goes to these names; what Kiln opens does not, as with a
// driver that had changed them. With KILN_TEST_DRIVER=nameless the device tells no HSTR either.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

// What the driver says.

namespace {

cl_icd_dispatch target{}, ours{};

/// Answers a query of a text.
cl_int answer(const std::string& text, size_t size, void* value, size_t* size_ret) {
  if (value != nullptr && size < text.size() + 1) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, text.c_str(), text.size() + 1);
  if (size_ret != nullptr) *size_ret = text.size() + 1;
  return CL_SUCCESS;
}

/// The driver's own answer; `ask` is called for its size, then for its text.
template <class Ask>
std::string own_text(const Ask& ask) {
  size_t size = 0;
  if (ask(0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(std::strlen(text.c_str()));
  return text;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value,
                               size_t* size_ret) {
  const auto ask = [&](size_t room, void* into, size_t* needed) {
    return target.clGetDeviceInfo(device, what, room, into, needed);
  };
  if (what == CL_DRIVER_VERSION) return answer("99.0+test", size, value, size_ret);
  const char* mode = std::getenv("KILN_TEST_DRIVER");
  if (what == CL_DEVICE_VERSION && mode != nullptr && std::strcmp(mode, "nameless") == 0) {
    std::string text = own_text(ask);
    if (const auto at = text.find(" HSTR"); at != text.npos) text.resize(at);
    return answer(text, size, value, size_ret);
  }
  return ask(size, value, size_ret);
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size,
                                 void* value, size_t* size_ret) {
  if (what == CL_PLATFORM_VERSION) return answer("OpenCL 3.0 PoCL 99.0", size, value, size_ret);
  return target.clGetPlatformInfo(platform, what, size, value, size_ret);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* size_ret) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr && size < sizeof version) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, &version, sizeof version);
  if (size_ret != nullptr) *size_ret = sizeof version;
  return CL_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entries_ret,
            const cl_icd_dispatch** layer) {
  if (below == nullptr || layer == nullptr || entries_ret == nullptr) return CL_INVALID_VALUE;
  if (entries < sizeof(cl_icd_dispatch) / sizeof(void*)) return CL_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&target), below, sizeof target);
  std::memcpy(static_cast<void*>(&ours), below, sizeof ours);
  ours.clGetDeviceInfo = device_info;
  ours.clGetPlatformInfo = platform_info;
  *entries_ret = sizeof(cl_icd_dispatch) / sizeof(void*);
  *layer = &ours;
  return CL_SUCCESS;
}

// Where its cache puts things.

namespace {

/// Whether a call comes from the driver: from its libraries, or in its linker.
bool is_driver(const void* caller) {
  static const bool is_linker = [] {
    const std::string_view program = program_invocation_short_name;
    return program == "ld" || program.ends_with("-ld") || program.starts_with("ld.");
  }();
  if (is_linker) return true;
  Dl_info info{};
  if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  std::string_view file = info.dli_fname;
  file.remove_prefix(file.rfind('/') + 1);
  return file.starts_with("libpocl") || file.starts_with("libLLVM") || file.starts_with("libclang");
}

/// "64-1-1-goffs0-smallgrid", "0-0-0".
bool is_variant(std::string_view name) {
  int numbers = 0;
  for (std::size_t at = 0; at < name.size() && numbers < 3; ++numbers) {
    const std::size_t begin = at;
    while (at < name.size() && name[at] >= '0' && name[at] <= '9') ++at;
    if (at == begin || (at < name.size() && name[at] != '-')) return false;
    ++at;
  }
  return numbers == 3;
}

std::string renamed(std::string_view name) {
  if (name == "program.bc") return "module.bitcode";
  if (is_variant(name)) return "shape_" + std::string(name);
  return std::string(name);
}

/// The path as it is on the disk.
std::string on_disk(const char* path, const void* caller) {
  if (path == nullptr || !is_driver(caller)) return path == nullptr ? "" : path;
  std::string mapped;
  for (std::string_view rest = path;;) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    mapped += renamed(rest.substr(0, slash));
    if (slash == rest.size()) return mapped;
    mapped += '/';
    rest.remove_prefix(slash + 1);
  }
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define KILN_EXPORT extern "C" __attribute__((visibility("default")))
#define KILN_CALLER __builtin_return_address(0)

// A function of which the first parameter is a path.
#define KILN_MAP(result, name, parameters, ...)                            \
  KILN_EXPORT result name parameters {                                     \
    static auto* const own = next<result parameters>(#name);               \
    const std::string mapped = on_disk(path, KILN_CALLER);                 \
    return own(path == nullptr ? nullptr : mapped.c_str(), ##__VA_ARGS__); \
  }

// O_TMPFILE has the bits of O_DIRECTORY in it.
bool makes_file(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

// One whose mode follows where it makes a file.
#define KILN_MAP_OPEN(name)                                           \
  KILN_EXPORT int name(const char* path, int flags, ...) {            \
    static auto* const own = next<int(const char*, int, ...)>(#name); \
    const std::string mapped = on_disk(path, KILN_CALLER);            \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    return own(mapped.c_str(), flags, mode);                          \
  }
#define KILN_MAP_OPENAT(name)                                              \
  KILN_EXPORT int name(int folder, const char* path, int flags, ...) {     \
    static auto* const own = next<int(int, const char*, int, ...)>(#name); \
    const std::string mapped = on_disk(path, KILN_CALLER);                 \
    va_list more;                                                          \
    va_start(more, flags);                                                 \
    const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0;      \
    va_end(more);                                                          \
    return own(folder, mapped.c_str(), flags, mode);                       \
  }

KILN_MAP_OPEN(open)
KILN_MAP_OPEN(open64)
KILN_MAP_OPENAT(openat)
KILN_MAP_OPENAT(openat64)
KILN_MAP(FILE*, fopen, (const char* path, const char* mode), mode)
KILN_MAP(FILE*, fopen64, (const char* path, const char* mode), mode)
KILN_MAP(int, stat, (const char* path, struct stat* into), into)
KILN_MAP(int, stat64, (const char* path, struct stat64* into), into)
KILN_MAP(int, lstat, (const char* path, struct stat* into), into)
KILN_MAP(int, lstat64, (const char* path, struct stat64* into), into)
KILN_MAP(int, access, (const char* path, int mode), mode)
KILN_MAP(int, mkdir, (const char* path, mode_t mode), mode)
KILN_MAP(int, chmod, (const char* path, mode_t mode), mode)
KILN_MAP(int, unlink, (const char* path))
KILN_MAP(int, remove, (const char* path))
KILN_MAP(int, rmdir, (const char* path))
KILN_MAP(int, utime, (const char* path, const struct utimbuf* times), times)
KILN_MAP(DIR*, opendir, (const char* path))
KILN_MAP(void*, dlopen, (const char* path, int mode), mode)

KILN_EXPORT int rename(const char* from, const char* to) {
  static auto* const own = next<int(const char*, const char*)>("rename");
  return own(on_disk(from, KILN_CALLER).c_str(), on_disk(to, KILN_CALLER).c_str());
}
