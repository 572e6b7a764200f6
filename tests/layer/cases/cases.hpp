// The frame of layer_cases: a case calls OpenCL and writes every answer to its transcript. What a
// layer answers is right if the transcript is the one that the driver alone gives, so nothing that
// differs between two runs (addresses, names of temporary files, sizes of binaries) may be in it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kiln::layer_cases {

/// A handle that is released at the end of its scope.
template <class T, auto release_function>
class Owned {
 public:
  Owned() = default;
  Owned(T handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) release_function(handle_);
  }
  operator T() const { return handle_; }
  /// For functions that write a handle: the former one must have been released.
  T* out() { return &handle_; }
  const T* address() const { return &handle_; }
  /// The status of the release.
  cl_int release() { return release_function(std::exchange(handle_, nullptr)); }

 private:
  T handle_ = nullptr;
};

using Context = Owned<cl_context, ::clReleaseContext>;
using Queue = Owned<cl_command_queue, ::clReleaseCommandQueue>;
using Program = Owned<cl_program, ::clReleaseProgram>;
using Kernel = Owned<cl_kernel, ::clReleaseKernel>;
using Memory = Owned<cl_mem, ::clReleaseMemObject>;
using Sampler = Owned<cl_sampler, ::clReleaseSampler>;
using Event = Owned<cl_event, ::clReleaseEvent>;

/// How the bytes of an answer are written.
enum class Form { text, number, signed_number, handles, bytes };

/// The name of a status, as CL_INVALID_VALUE.
std::string status_name(cl_int status);

/// What a case writes to standard output.
class Transcript {
 public:
  /// One line, indented.
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void status(const std::string& what, cl_int status);
  void number(const std::string& what, long long value);
  void yes_no(const std::string& what, bool value);
  void text(const std::string& what, const std::string& value);

  /// From now on the handle is written as `kind`, the second of a kind as `kind 2`.
  void know(const void* handle, const std::string& kind);
  std::string name_of(const void* handle) const;
  /// From now on the text (the path of a temporary folder) is written as `name`.
  void hide(const std::string& text, const std::string& name);
  /// The text without what differs between two runs: names of the driver's source files and what
  /// hide() was told.
  std::string normalised(std::string text) const;

  /// Values of a result: all of up to 16, else the first 8 and a digest of all.
  template <class T>
  void values(const std::string& what, const std::vector<T>& values);

  /// The whole answer of a query; `ask(size, value, size_ret)` is called for its size, then for it.
  template <class Ask>
  void answer(const std::string& what, Form form, const Ask& ask) {
    std::size_t size = 0;
    const cl_int first = ask(std::size_t{0}, static_cast<void*>(nullptr), &size);
    if (first != CL_SUCCESS) return status(what, first);
    // One byte more, so that an answer of no bytes has an address, too.
    std::vector<unsigned char> bytes(size + 1, 0xa5);
    const cl_int second = ask(size, static_cast<void*>(bytes.data()), nullptr);
    bytes.resize(size);
    if (second != CL_SUCCESS)
      return line("%s: %zu bytes, then %s", what.c_str(), size, status_name(second).c_str());
    // The length of a path must not be in the transcript, either.
    if (form == Form::text) size = normalised({bytes.begin(), bytes.end()}).size();
    line("%s: %zu bytes, %s", what.c_str(), size, shown(form, bytes).c_str());
  }
  /// The statuses of a query with sizes that do not fit, and what was written then.
  template <class Ask>
  void edges(const std::string& what, const Ask& ask) {
    std::size_t size = 0;
    status(what + ", for the size", ask(std::size_t{0}, static_cast<void*>(nullptr), &size));
    std::vector<unsigned char> bytes(size + 64, 0xa5);
    const auto untouched = [&](std::size_t from) {
      for (; from < bytes.size(); ++from)
        if (bytes[from] != 0xa5) return "no";
      return "yes";
    };
    void* value = bytes.data();
    status(what + ", for nothing", ask(std::size_t{0}, static_cast<void*>(nullptr), nullptr));
    status(what + ", no size", ask(std::size_t{0}, value, nullptr));
    if (size > 0) {
      std::size_t told = 4711;
      status(what + ", one byte too few", ask(size - 1, value, &told));
      line("size told: %s, value untouched: %s", told == size ? "the right one" : "not",
           untouched(0));
    }
    std::size_t told = 4711;
    status(what + ", 32 bytes more", ask(size + 32, value, &told));
    line("size told: %s, rest untouched: %s", told == size ? "the right one" : "not",
         untouched(size));
    status(what + ", a size without a place", ask(size, static_cast<void*>(nullptr), &told));
  }

 private:
  std::string shown(Form form, const std::vector<unsigned char>& bytes) const;

  std::map<const void*, std::string> names_;
  std::map<std::string, int> kinds_;
  std::vector<std::pair<std::string, std::string>> hidden_;
};

extern template void Transcript::values(const std::string&, const std::vector<std::int32_t>&);
extern template void Transcript::values(const std::string&, const std::vector<std::uint32_t>&);
extern template void Transcript::values(const std::string&, const std::vector<std::uint64_t>&);
extern template void Transcript::values(const std::string&, const std::vector<std::uint16_t>&);
extern template void Transcript::values(const std::string&, const std::vector<std::uint8_t>&);
extern template void Transcript::values(const std::string&, const std::vector<float>&);
extern template void Transcript::values(const std::string&, const std::vector<double>&);

/// What a case works on: the default device of the first platform, with a context and a queue. The
/// functions call OpenCL once and write the status.
struct Environment {
  Environment();

  Transcript out;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  Context context;
  Queue queue;

  Context new_context();
  Queue new_queue(cl_context of, cl_command_queue_properties properties = 0);
  Program program(const std::string& text) { return program(text, context); }
  Program program(const std::string& text, cl_context of);
  cl_int build(cl_program program, const char* options = nullptr);
  Program built(const std::string& text, const char* options = nullptr);
  Kernel kernel(cl_program program, const char* name);
  Memory memory(std::size_t bytes, const void* data = nullptr) {
    return memory(bytes, data, context);
  }
  Memory memory(std::size_t bytes, const void* data, cl_context of);

  cl_int set(cl_kernel kernel, cl_uint index, std::size_t size, const void* value);
  template <class T>
  cl_int set(cl_kernel kernel, cl_uint index, const T& value) {
    return set(kernel, index, sizeof value, &value);
  }
  cl_int set(cl_kernel kernel, cl_uint index, const Memory& value) {
    return set(kernel, index, sizeof(cl_mem), value.address());
  }
  /// On `queue`, without an offset; an empty local size is NULL.
  cl_int launch(cl_kernel kernel, const std::vector<std::size_t>& global,
                const std::vector<std::size_t>& local = {}) {
    return launch(queue, kernel, global, local);
  }
  cl_int launch(cl_command_queue on, cl_kernel kernel, const std::vector<std::size_t>& global,
                const std::vector<std::size_t>& local = {});
  /// The first `count` values of the memory, after a blocking read.
  template <class T>
  void read(const std::string& what, cl_mem memory, std::size_t count) {
    read<T>(what, queue, memory, count);
  }
  template <class T>
  void read(const std::string& what, cl_command_queue from, cl_mem memory, std::size_t count) {
    std::vector<T> values(count);
    out.status("read", ::clEnqueueReadBuffer(from, memory, CL_TRUE, 0, count * sizeof(T),
                                             values.data(), 0, nullptr, nullptr));
    out.values(what, values);
  }
  /// Whether the kernel `fill` of the program computes what fill_source says.
  void run_fill(cl_program program, int value = 7) { run_fill(program, value, context, queue); }
  void run_fill(cl_program program, int value, cl_context in, cl_command_queue on);
};

/// out[i] = value + i.
inline constexpr const char* fill_source =
    "kernel void fill(global int* out, int value) {\n"
    "  out[get_global_id(0)] = value + (int)get_global_id(0);\n"
    "}\n";
/// A line with an error, one with a warning.
inline constexpr const char* wrong_source =
    "kernel void wrong(global int* out) {\n  out[0] = missing;\n}\n";
inline constexpr const char* warned_source =
    "kernel void warned(global int* out) {\n  out[0] + 1;\n  out[0] = 2;\n}\n";

/// All answers about an object: queries.cpp has the tables.
void print_program(Environment& e, cl_program program);
void print_build(Environment& e, cl_program program, cl_device_id device);
void print_kernel(Environment& e, cl_kernel kernel);
void print_work_group(Environment& e, cl_kernel kernel, cl_device_id device);
void print_arguments(Environment& e, cl_kernel kernel, cl_uint count);
void print_sub_groups(Environment& e, cl_kernel kernel, cl_device_id device);
void print_count(Environment& e, const std::string& what, cl_program program);
void print_count(Environment& e, const std::string& what, cl_kernel kernel);
void print_count(Environment& e, const std::string& what, cl_context context);

/// Waits until the count of references is not above `expected`, but not for ever: a wrong count is
/// to be seen in the transcript. PoCL 3.1 keeps a kernel a moment longer than its last launch
/// takes; until then the kernel's count is one more, and its program is not built again.
void settle(cl_program program, cl_uint expected);
void settle(cl_kernel kernel, cl_uint expected);

/// Waits at the end of its scope until the kernels that were created in it are gone. To be declared
/// before them.
class Settled {
 public:
  explicit Settled(cl_program program);
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;
  ~Settled() { settle(program_, before_); }

 private:
  cl_program program_;
  cl_uint before_ = 0;
};

/// The binary for the first device; the transcript says whether there is one.
std::vector<unsigned char> binary_of(Environment& e, cl_program program);
/// A program from it for the device of the environment, not built.
Program from_binary(Environment& e, const std::vector<unsigned char>& binary, cl_context in);

/// A folder for header files, removed with all that is in it. Its path is hidden in the transcript.
class Folder {
 public:
  explicit Folder(Environment& e);
  ~Folder();
  void write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& path() const { return path_; }
  std::string option() const { return "-I " + path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Case {
  const char* name;
  const char* file;  ///< The cases run in the order of files and lines.
  int line;
  void (*body)(Environment&);
  bool is_long = false;  ///< Named by --list only where KILN_LONG is set.
};

std::vector<Case>& all_cases();
bool add_case(const Case& added);

/// Called before the first call of OpenCL; the handlers do nothing unless a case asks for them.
void register_exit_handlers();

}  // namespace kiln::layer_cases

/// A case, followed by its body, which works on `e`.
#define LAYER_CASE(name) KILN_LAYER_CASE(name, false)
/// One that is run with KILN_LONG: what it compiles takes time, and another case asks for nearly
/// the same.
#define LONG_LAYER_CASE(name) KILN_LAYER_CASE(name, true)

#define KILN_LAYER_CASE(name, is_long)                                           \
  static void name(::kiln::layer_cases::Environment& e);                         \
  [[maybe_unused]] static const bool name##_added =                              \
      ::kiln::layer_cases::add_case({#name, __FILE__, __LINE__, name, is_long}); \
  static void name([[maybe_unused]] ::kiln::layer_cases::Environment& e)
