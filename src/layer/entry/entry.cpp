#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "layer/entry/state.hpp"

// The library's way in: what the loaders look for (cl_loader_layers), and where the library that
// serves is found.
namespace kiln::layer {

cl_icd_dispatch below{};
HandleTable programs, kernels, contexts;

namespace {

cl_icd_dispatch ours{};
std::atomic<bool> forked{false};
std::atomic<const Serve*> loaded{nullptr};
std::atomic<bool> serving_failed{false};
pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

constexpr cl_uint known_entries = sizeof(cl_icd_dispatch) / sizeof(void*);

/// The path by which the loader opened this library.
const char* own_path() noexcept {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&known_entries), &info) == 0) return nullptr;
  return info.dli_fname;
}

/// Whether it was opened for a file in the system's folder of layers, which is there for all
/// programs: such a file names the library in a folder of its own.
bool is_for_all() noexcept {
  constexpr char end[] = "/kiln/system/libkiln-layer.so";
  const char* path = own_path();
  const std::size_t length = path == nullptr ? 0 : std::strlen(path);
  return length >= sizeof end - 1 && std::strcmp(path + length - (sizeof end - 1), end) == 0;
}

/// KILN_LAYER says whether the layer works. Where it does not, a name in OPENCL_LAYERS is wish
/// enough. Loaders open what the system's folder names first, and a library that is named twice
/// once.
bool is_wanted() noexcept {
  // A program with more rights than its user must not obey the user's environment.
  if (::getauxval(AT_SECURE) != 0) return false;
  const char* wish = std::getenv("KILN_LAYER");
  if (wish != nullptr && *wish != '\0') return setting("KILN_LAYER") != nullptr;
  const char* named = std::getenv("OPENCL_LAYERS");
  return !is_for_all() || (named != nullptr && std::strstr(named, "libkiln-layer.so") != nullptr);
}

/// A library next to this one's real file, as "/kiln/NAME".
void* open_library(const char* name) noexcept {
  const char* path = own_path();
  if (path == nullptr) return nullptr;
  char* file = ::realpath(path, nullptr);
  if (file == nullptr) return nullptr;
  char* slash = std::strrchr(file, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - file);
  auto* full = static_cast<char*>(std::malloc(folder + std::strlen(name) + 1));
  void* library = nullptr;
  if (full != nullptr) {
    std::memcpy(full, file, folder);
    std::strcpy(full + folder, name);
    library = ::dlopen(full, RTLD_NOW | RTLD_LOCAL);
  }
  std::free(full);
  std::free(file);
  return library;
}

const Serve* load_serve() noexcept {
  void* library = open_library("/kiln/libkiln-layer-serve.so");
  if (library == nullptr) return nullptr;
  const auto ask = reinterpret_cast<ServeFunction>(::dlsym(library, serve_function));
  return ask == nullptr ? nullptr : ask(interface_version, &below);
}

/// Where the environment asks for it, what measures the program's commands is put above all else.
void add_measuring_functions() noexcept {
  if (setting("KILN_LAYER_PROFILE") == nullptr && setting("KILN_LAYER_TUNE") == nullptr) return;
  void* library = open_library("/kiln/libkiln-layer-measure.so");
  if (library == nullptr) return;
  static cl_icd_dispatch served;  // what the program would get without it
  std::memcpy(static_cast<void*>(&served), &ours, sizeof ours);
  const auto add = reinterpret_cast<MeasureFunction>(::dlsym(library, measure_function));
  if (add != nullptr) (void)add(measure_version, &served, &ours);
}

/// Makes the report's file, so that whoever asked for it sees that the layer was there. That it
/// cannot be written is logged when there is something to write.
void begin_report() noexcept {
  const char* name = std::getenv("KILN_LAYER_REPORT");
  if (name == nullptr || *name == '\0') return;
  const int file = ::open(name, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | O_NONBLOCK, 0600);
  if (file >= 0) ::close(file);
}

cl_int init(cl_uint entries, const cl_icd_dispatch* table, cl_uint* entries_ret,
            const cl_icd_dispatch** layer) noexcept {
  if (table == nullptr || layer == nullptr || entries_ret == nullptr) return CL_INVALID_VALUE;
  // Enough for all that is served by every loader; older ones have no layers.
  constexpr std::size_t least = offsetof(cl_icd_dispatch, clSetContextDestructorCallback);
  if (entries * sizeof(void*) < least || !is_wanted()) return CL_INVALID_OPERATION;
  const cl_uint known = entries < known_entries ? entries : known_entries;
  std::memset(static_cast<void*>(&below), 0, sizeof below);
  std::memcpy(static_cast<void*>(&below), table, known * sizeof(void*));
  std::memcpy(static_cast<void*>(&ours), &below, sizeof ours);
  add_program_functions(ours);
  add_query_functions(ours);
  add_link_functions(ours);
  add_kernel_functions(ours);
  note_tuning(setting("KILN_LAYER_TUNE") != nullptr);
  if (is_tuning()) add_local_size_functions(ours);
  add_measuring_functions();
  begin_report();
  note_forks();
  *entries_ret = known;
  *layer = &ours;
  return CL_SUCCESS;
}

}  // namespace

bool is_child() noexcept { return forked.load(std::memory_order_relaxed); }

void note_forks() noexcept {
  static std::atomic<bool> noted{false};
  if (noted.exchange(true)) return;
  ::pthread_atfork(nullptr, nullptr, [] {
    forked.store(true, std::memory_order_relaxed);
    for (HandleTable* table : {&programs, &kernels, &contexts}) table->reset_lock();
    loading = PTHREAD_MUTEX_INITIALIZER;
  });
}

const Serve* loaded_serve() noexcept {
  return is_child() ? nullptr : loaded.load(std::memory_order_acquire);
}

const Serve* parents_serve() noexcept { return loaded.load(std::memory_order_acquire); }

const Serve* serve() noexcept {
  if (const Serve* there = loaded_serve()) return there;
  if (is_child() || serving_failed.load(std::memory_order_relaxed)) return nullptr;
  ::pthread_mutex_lock(&loading);
  const Serve* found = loaded.load(std::memory_order_relaxed);
  if (found == nullptr && !serving_failed.load(std::memory_order_relaxed)) {
    found = load_serve();
    loaded.store(found, std::memory_order_release);
    serving_failed.store(found == nullptr, std::memory_order_relaxed);
  }
  ::pthread_mutex_unlock(&loading);
  return found;
}

}  // namespace kiln::layer

#define KILN_EXPORT extern "C" __attribute__((visibility("default")))

KILN_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, std::size_t size, void* value,
                                              std::size_t* size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  constexpr char name[] = "Kiln";
  const void* answer = nullptr;
  std::size_t bytes = 0;
  if (what == CL_LAYER_API_VERSION) {
    answer = &version;
    bytes = sizeof version;
  } else if (what == 0x4241) {  // CL_LAYER_NAME, which Debian 12's header lacks
    answer = name;
    bytes = sizeof name;
  } else {
    return CL_INVALID_VALUE;
  }
  if (value != nullptr && size < bytes) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, answer, bytes);
  if (size_ret != nullptr) *size_ret = bytes;
  return CL_SUCCESS;
}

KILN_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* table,
                                           cl_uint* entries_ret, const cl_icd_dispatch** layer) {
  return kiln::layer::init(entries, table, entries_ret, layer);
}

/// What the Khronos loader asks for since 2026; it defines no property so far.
KILN_EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries,
                                                         const cl_icd_dispatch* table,
                                                         cl_uint* entries_ret,
                                                         const cl_icd_dispatch** layer,
                                                         const void* /*properties*/) {
  return kiln::layer::init(entries, table, entries_ret, layer);
}

/// Nothing to do: whatever comes after it only reads, and what it holds goes with the process.
KILN_EXPORT cl_int CL_API_CALL clDeinitLayer(void) { return CL_SUCCESS; }
