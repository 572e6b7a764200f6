// An OpenCL layer (cl_layer.h) that measures what a program waits for before its kernels run: wall
// time and calls of the functions that create, build and query programs and kernels, and of
// the first launch of each form of a kernel, where drivers compile again. It lies above Kiln's
// layer: OPENCL_LAYERS=libkiln-layer.so:libkiln-timing-layer.so (the first entry is nearest to the
// driver).
//
// Each process appends one JSON line to the file named by KILN_TIMING_OUT when the layer is loaded
// and rewrites it in place whenever a measured call returns: a line has a fixed length, so that a
// process that is killed or ends by _exit leaves figures as well. Seconds are summed over threads:
//   create_s        clCreateProgramWith{Source,Binary,IL,BuiltInKernels}
//   build_s         clBuildProgram, clCompileProgram, clLinkProgram, until the call returns
//   binaries_s      clGetProgramInfo of BINARY_SIZES and BINARIES
//   queries_s       other queries of programs: information and build information
//   kernels_s       clCreateKernel, clCreateKernelsInProgram
//   first_launch_s  first launches of each form, see enqueue_measured(): the wait without the run
//   total_s         the sum
// and the numbers of calls; "launches" counts all launches, "first_launches" the measured ones.
// Without KILN_TIMING_OUT the layer refuses to be loaded.
//
// It is not quite invisible: queues get time stamps, and a first launch is waited for.
// No object here has a destructor, and no lock can be waited for: programs call OpenCL after a
// layer's exit handlers have run, and in the child of a fork.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

cl_icd_dispatch target{}, ours{};

// ---- the line of this process

enum Part { create, build, binaries, queries, kernels, first_launches, parts };
constexpr std::array<const char*, parts> names{"create",  "build",   "binaries",
                                               "queries", "kernels", "first_launch"};
constexpr std::size_t line_size = 512;

std::array<std::atomic<std::uint64_t>, parts> nanoseconds{}, calls{};
std::atomic<std::uint64_t> launches{0};
char path[PATH_MAX]{};
std::atomic<pid_t> owner{0};
std::atomic<off_t> place{-1};
std::atomic<std::uint64_t> changes{0};
std::atomic<bool> writing{false};
std::atomic<bool> has_user_events{false};

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::uint64_t(time.tv_sec) * 1'000'000'000 + std::uint64_t(time.tv_nsec);
}

/// The line with the present figures, padded with blanks.
void format_line(char (&line)[line_size]) {
  std::uint64_t total = 0;
  int length = std::snprintf(line, line_size, "{\"pid\":%d", int(owner.load()));
  for (int i = 0; i < parts; ++i) {
    const std::uint64_t spent = nanoseconds[i];
    total += spent;
    length += std::snprintf(line + length, line_size - length, ",\"%s_s\":%.6f", names[i],
                            double(spent) * 1e-9);
  }
  length +=
      std::snprintf(line + length, line_size - length,
                    ",\"total_s\":%.6f,\"creates\":%llu,\"builds\":%llu,\"binaries\":%llu,"
                    "\"queries\":%llu,\"kernels\":%llu,\"first_launches\":%llu,"
                    "\"launches\":%llu}",
                    double(total) * 1e-9, (unsigned long long)calls[create],
                    (unsigned long long)calls[build], (unsigned long long)calls[binaries],
                    (unsigned long long)calls[queries], (unsigned long long)calls[kernels],
                    (unsigned long long)calls[first_launches], (unsigned long long)launches.load());
  std::memset(line + length, ' ', line_size - length);
  line[line_size - 1] = '\n';
}

/// Appends this process's line. In the child of a fork, too: its figures start at zero.
void claim_line() {
  for (auto& each : nanoseconds) each = 0;
  for (auto& each : calls) each = 0;
  launches = 0;
  writing = false;
  owner = getpid();
  place = -1;
  // The file is opened each time: some programs close all descriptors.
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  char line[line_size];
  format_line(line);
  if (write(file, line, line_size) == ssize_t(line_size))
    place = lseek(file, 0, SEEK_CUR) - off_t(line_size);
  close(file);
}

/// Writes the line again. Of several threads one writes and the others leave it to that one; a
/// thread that vanishes in the middle costs later figures, not a hang.
void write_line() {
  if (path[0] == '\0') return;  // not initialized
  if (owner != getpid()) claim_line();
  ++changes;
  std::uint64_t written = 0;
  while (written != changes && place >= 0 && !writing.exchange(true)) {
    written = changes;
    char line[line_size];
    format_line(line);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
      [[maybe_unused]] const ssize_t size = pwrite(file, line, line_size, place);
      close(file);
    }
    writing = false;
  }
}

/// Adds a measured call. It keeps errno, which the program may look at.
void add(Part part, std::uint64_t spent) {
  const int kept = errno;
  if (owner != getpid()) claim_line();
  nanoseconds[part] += spent;
  ++calls[part];
  write_line();
  errno = kept;
}

/// Measures a call until the end of its scope.
class Timer {
 public:
  explicit Timer(Part part) : part_(part), start_(now()) {}
  ~Timer() { add(part_, now() - start_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Part part_;
  std::uint64_t start_;
};

// ---- which launches are the first of their form

constexpr std::size_t table_size = 1 << 16;
struct Entry {
  std::atomic<void*> handle;
  std::atomic<std::uint64_t> value;
};
/// Handles of programs and kernels with a number for what they are now. A handle that the driver
/// gives out again gets another number, so nothing is ever taken out.
Entry handles[table_size];
std::atomic<std::uint64_t> forms[table_size];
std::atomic<std::uint64_t> serial{1};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

Entry* find(void* handle) {
  std::size_t at = mix(7, reinterpret_cast<std::uintptr_t>(handle)) % table_size;
  for (std::size_t tried = 0; tried < table_size; ++tried, at = (at + 1) % table_size) {
    void* found = nullptr;
    if (handles[at].handle == handle || handles[at].handle.compare_exchange_strong(found, handle) ||
        found == handle)
      return &handles[at];
  }
  return nullptr;
}

void remember(void* handle, std::uint64_t value) {
  if (handle == nullptr) return;
  if (Entry* entry = find(handle)) entry->value = value;
}

/// The number that remember() gave, 0 without.
std::uint64_t number_of(void* handle) {
  const Entry* entry = find(handle);
  return entry == nullptr ? 0 : entry->value.load();
}

/// A program that was made or built now: launches of its kernels are first ones again.
void renew(cl_program program) { remember(program, ++serial); }

/// A kernel is known by its name and by its program's number: a second kernel object of the same
/// name is not compiled again. Asked at its first launch, so that making it costs no query.
std::uint64_t name_kernel(cl_kernel kernel) {
  cl_program program = nullptr;
  char name[1024]{};
  if (target.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr) !=
      CL_SUCCESS)
    return 0;
  target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  std::uint64_t hash = mix(1, number_of(program));
  for (const char* at = name; *at != '\0'; ++at) hash = mix(hash, std::uint64_t(*at));
  remember(kernel, hash);
  return hash;
}

/// Whether this is the first launch of its form: the kernel, the dimensions, the local size, or the
/// global size where the driver chooses, whether there is an offset and whether the grid is large
/// (PoCL has variants for these).
bool is_first(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
              const size_t* global, const size_t* local) {
  std::uint64_t hash = number_of(kernel);
  if (hash == 0) hash = name_kernel(kernel);
  cl_device_id device = nullptr;
  target.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  hash = mix(mix(hash, reinterpret_cast<std::uintptr_t>(device)), dimensions);
  bool moved = false, large = false;
  for (cl_uint i = 0; i < dimensions && i < 3; ++i) {
    moved = moved || (offset != nullptr && offset[i] != 0);
    large = large || (global != nullptr && global[i] > 0xffff);
    const size_t* sizes = local == nullptr ? global : local;
    hash = mix(hash, sizes == nullptr ? 0 : sizes[i]);
  }
  hash = mix(hash, std::uint64_t(local == nullptr) | std::uint64_t(moved) << 1 |
                       std::uint64_t(large) << 2) |
         1;
  std::size_t at = hash % table_size;
  for (std::size_t tried = 0; tried < table_size; ++tried, at = (at + 1) % table_size) {
    std::uint64_t found = 0;
    if (forms[at] == hash) return false;
    if (forms[at].compare_exchange_strong(found, hash)) return true;
    if (found == hash) return false;
  }
  return false;
}

// ---- the functions

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** strings,
                                          const size_t* lengths, cl_int* error) {
  const Timer timer(create);
  const cl_program made = target.clCreateProgramWithSource(context, count, strings, lengths, error);
  renew(made);
  return made;
}
cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                          const cl_device_id* devices, const size_t* lengths,
                                          const unsigned char** images, cl_int* status,
                                          cl_int* error) {
  const Timer timer(create);
  const cl_program made =
      target.clCreateProgramWithBinary(context, count, devices, lengths, images, status, error);
  renew(made);
  return made;
}
cl_program CL_API_CALL create_with_il(cl_context context, const void* text, size_t length,
                                      cl_int* error) {
  const Timer timer(create);
  const cl_program made = target.clCreateProgramWithIL(context, text, length, error);
  renew(made);
  return made;
}
cl_program CL_API_CALL create_built_in(cl_context context, cl_uint count,
                                       const cl_device_id* devices, const char* kernel_names,
                                       cl_int* error) {
  const Timer timer(create);
  const cl_program made =
      target.clCreateProgramWithBuiltInKernels(context, count, devices, kernel_names, error);
  renew(made);
  return made;
}

using Notify = void(CL_CALLBACK*)(cl_program, void*);

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                 const char* options, Notify notify, void* data) {
  const Timer timer(build);
  const cl_int status = target.clBuildProgram(program, count, devices, options, notify, data);
  renew(program);
  return status;
}
cl_int CL_API_CALL compile_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                   const char* options, cl_uint headers, const cl_program* texts,
                                   const char** header_names, Notify notify, void* data) {
  const Timer timer(build);
  return target.clCompileProgram(program, count, devices, options, headers, texts, header_names,
                                 notify, data);
}
cl_program CL_API_CALL link_program(cl_context context, cl_uint count, const cl_device_id* devices,
                                    const char* options, cl_uint inputs, const cl_program* programs,
                                    Notify notify, void* data, cl_int* error) {
  const Timer timer(build);
  const cl_program made =
      target.clLinkProgram(context, count, devices, options, inputs, programs, notify, data, error);
  renew(made);
  return made;
}

cl_int CL_API_CALL program_info(cl_program program, cl_program_info what, size_t size, void* value,
                                size_t* size_ret) {
  const bool is_binary = what == CL_PROGRAM_BINARIES || what == CL_PROGRAM_BINARY_SIZES;
  const Timer timer(is_binary ? binaries : queries);
  return target.clGetProgramInfo(program, what, size, value, size_ret);
}
cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                              size_t size, void* value, size_t* size_ret) {
  const Timer timer(queries);
  return target.clGetProgramBuildInfo(program, device, what, size, value, size_ret);
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  const Timer timer(kernels);
  const cl_kernel made = target.clCreateKernel(program, name, error);
  remember(made, 0);
  return made;
}
cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel* made,
                                  cl_uint* count_ret) {
  const Timer timer(kernels);
  cl_uint found = 0;
  const cl_int status = target.clCreateKernelsInProgram(program, count, made, &found);
  if (count_ret != nullptr && status == CL_SUCCESS) *count_ret = found;
  for (cl_uint i = 0; made != nullptr && status == CL_SUCCESS && i < found; ++i)
    remember(made[i], 0);
  return status;
}
cl_kernel CL_API_CALL clone_kernel(cl_kernel kernel, cl_int* error) {
  const cl_kernel made = target.clCloneKernel(kernel, error);
  remember(made, 0);
  return made;
}

/// Runs an enqueueing function. The first launch of a form is timed until it has ended, less the
/// time that the kernel ran: PoCL's default device compiles in a worker thread between the time
/// stamps SUBMIT and START, and the enqueue itself returns at once. Earlier work is waited for
/// first, out of the time. None of that with user events, which the waiting thread might have to
/// set.
template <class Launch>
cl_int enqueue_measured(cl_command_queue queue, bool first, cl_uint count, const cl_event* waits,
                        cl_event* event, Launch launch) {
  ++launches;
  if (!first) return launch(event);
  const bool may_wait = !has_user_events;
  if (may_wait) {
    if (count != 0 && waits != nullptr) target.clWaitForEvents(count, waits);
    target.clFinish(queue);
  }
  cl_event own = nullptr;
  cl_event* const given = event == nullptr ? &own : event;
  const std::uint64_t start = now();
  const cl_int status = launch(given);
  std::uint64_t ran = 0;
  if (status == CL_SUCCESS && may_wait) {
    target.clWaitForEvents(1, given);
    cl_ulong times[2]{};
    if (target.clGetEventProfilingInfo(*given, CL_PROFILING_COMMAND_START, sizeof(cl_ulong),
                                       &times[0], nullptr) == CL_SUCCESS &&
        target.clGetEventProfilingInfo(*given, CL_PROFILING_COMMAND_END, sizeof(cl_ulong),
                                       &times[1], nullptr) == CL_SUCCESS)
      ran = times[1] - times[0];
  }
  const std::uint64_t spent = now() - start;
  if (own != nullptr) target.clReleaseEvent(own);
  if (status == CL_SUCCESS) add(first_launches, spent > ran ? spent - ran : 0);
  return status;
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t* offset, const size_t* global, const size_t* local,
                           cl_uint count, const cl_event* waits, cl_event* event) {
  const bool first = is_first(queue, kernel, dimensions, offset, global, local);
  return enqueue_measured(queue, first, count, waits, event, [&](cl_event* given) {
    return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                         waits, given);
  });
}
cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                const cl_event* waits, cl_event* event) {
  const size_t one = 1;
  const bool first = is_first(queue, kernel, 1, nullptr, &one, &one);
  return enqueue_measured(queue, first, count, waits, event, [&](cl_event* given) {
    return target.clEnqueueTask(queue, kernel, count, waits, given);
  });
}

cl_event CL_API_CALL create_user_event(cl_context context, cl_int* error) {
  has_user_events = true;
  return target.clCreateUserEvent(context, error);
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* error) {
  const cl_command_queue made =
      target.clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
  return made != nullptr ? made : target.clCreateCommandQueue(context, device, properties, error);
}
cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                               const cl_queue_properties* properties,
                                               cl_int* error) {
  // A copy of the list with the property set or added.
  constexpr std::size_t limit = 32;
  cl_queue_properties list[limit + 3]{};
  std::size_t size = 0;
  bool found = false;
  for (; properties != nullptr && size < limit && properties[size] != 0; size += 2) {
    list[size] = properties[size];
    list[size + 1] = properties[size + 1];
    if (list[size] != CL_QUEUE_PROPERTIES) continue;
    list[size + 1] |= CL_QUEUE_PROFILING_ENABLE;
    found = true;
  }
  if (!found) {
    list[size] = CL_QUEUE_PROPERTIES;
    list[size + 1] = CL_QUEUE_PROFILING_ENABLE;
  }
  const cl_command_queue made =
      size < limit ? target.clCreateCommandQueueWithProperties(context, device, list, error)
                   : nullptr;
  return made != nullptr
             ? made
             : target.clCreateCommandQueueWithProperties(context, device, properties, error);
}

cl_int CL_API_CALL release_program(cl_program program) {
  const cl_int status = target.clReleaseProgram(program);
  write_line();
  return status;
}
cl_int CL_API_CALL release_context(cl_context context) {
  const cl_int status = target.clReleaseContext(context);
  write_line();
  return status;
}

/// The number of launches since the last measured call.
__attribute__((destructor)) void write_at_exit() { write_line(); }

bool read_path() {
  const char* name = std::getenv("KILN_TIMING_OUT");
  if (name == nullptr || *name == '\0') return false;
  // Programs change their folder.
  char folder[PATH_MAX]{};
  const bool relative = *name != '/';
  if (relative && getcwd(folder, sizeof folder) == nullptr) return false;
  const int size = std::snprintf(path, sizeof path, "%s%s%s", folder, relative ? "/" : "", name);
  return size > 0 && size < int(sizeof path);
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
  // All functions that are used here are older than the loaders with layers.
  constexpr std::size_t needed = offsetof(cl_icd_dispatch, clSetContextDestructorCallback);
  const std::size_t size = std::min(entries * sizeof(void*), sizeof(cl_icd_dispatch));
  if (size < needed || !read_path()) return CL_INVALID_VALUE;
  std::memcpy(static_cast<void*>(&target), below, size);
  std::memcpy(static_cast<void*>(&ours), below, size);
  ours.clCreateProgramWithSource = create_with_source;
  ours.clCreateProgramWithBinary = create_with_binary;
  ours.clCreateProgramWithIL = create_with_il;
  ours.clCreateProgramWithBuiltInKernels = create_built_in;
  ours.clBuildProgram = build_program;
  ours.clCompileProgram = compile_program;
  ours.clLinkProgram = link_program;
  ours.clGetProgramInfo = program_info;
  ours.clGetProgramBuildInfo = build_info;
  ours.clCreateKernel = create_kernel;
  ours.clCreateKernelsInProgram = create_kernels;
  ours.clCloneKernel = clone_kernel;
  ours.clEnqueueNDRangeKernel = enqueue;
  ours.clEnqueueTask = enqueue_task;
  ours.clCreateUserEvent = create_user_event;
  ours.clCreateCommandQueue = create_queue;
  ours.clCreateCommandQueueWithProperties = create_queue_with;
  ours.clReleaseProgram = release_program;
  ours.clReleaseContext = release_context;
  *entries_ret = cl_uint(size / sizeof(void*));
  *layer = &ours;
  // A loader that is closed and loaded again calls this again; the process keeps its line.
  if (owner != getpid()) claim_line();
  return CL_SUCCESS;
}

// The Khronos loader of 2026 asks for this one only; its properties are none today.
extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayerWithProperties(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entries_ret,
                          const cl_icd_dispatch** layer, const void*) {
  return clInitLayer(entries, below, entries_ret, layer);
}
