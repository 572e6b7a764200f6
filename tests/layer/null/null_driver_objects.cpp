// The null driver's memory, programs, kernels and launches.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <tuple>

#include "null_driver.hpp"

namespace {

/// Time stamps are counted, not measured: they grow by 2000 ns an event.
std::atomic<cl_ulong> clock_ns{1'000'000};

/// The end of every enqueued command: it is complete at once.
cl_int complete(cl_command_queue queue, cl_command_type type, cl_event* event) {
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (event != nullptr)
    *event =
        new _cl_event{{}, queue->context.get(), queue, type, CL_COMPLETE, clock_ns.fetch_add(2000)};
  return CL_SUCCESS;
}

/// Makes a function of the table one that completes at once. The event is its last argument, if
/// any.
template <cl_command_type type, class... A>
void does_nothing(cl_int (*&function)(cl_command_queue, A...)) {
  function = [](cl_command_queue queue, A... arguments) -> cl_int {
    cl_event* event = nullptr;
    if constexpr (sizeof...(A) > 0) {
      const auto last = std::get<sizeof...(A) - 1>(std::tuple<A...>(arguments...));
      if constexpr (std::is_same_v<decltype(last), cl_event* const>) event = last;
    }
    return complete(queue, type, event);
  };
}

/// The names of the kernels of a text, divided by semicolons: what follows "kernel … void".
std::string kernel_names(const std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string names, word;
  bool after_kernel = false, after_void = false;
  for (const char c : text + ' ') {
    if (is_word(c)) {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    if (after_void) names += (names.empty() ? "" : ";") + word;
    after_void = after_kernel && word == "void";
    after_kernel =
        (after_kernel && !after_void && c != ';') || word == "kernel" || word == "__kernel";
    word.clear();
  }
  return names;
}

/// A binary: a mark, a digest of source and options, the names of the kernels.
constexpr char mark[] = "KILNNULL";
constexpr size_t names_at = sizeof mark - 1 + sizeof(size_t);

std::string binary_of(const _cl_program& program) {
  const size_t digest = std::hash<std::string>()(program.source + '\n' + program.options);
  return mark + std::string(reinterpret_cast<const char*>(&digest), sizeof digest) + program.names;
}

cl_uint count_names(const std::string& names) {
  if (names.empty()) return 0;
  return 1 + static_cast<cl_uint>(std::count(names.begin(), names.end(), ';'));
}

cl_int binaries(const _cl_program& program, const Answer& answer) {
  if (program.status != CL_BUILD_SUCCESS) return CL_INVALID_PROGRAM;
  if (answer.told != nullptr) *answer.told = sizeof(void*);
  if (answer.value == nullptr) return CL_SUCCESS;
  if (answer.size < sizeof(void*)) return CL_INVALID_VALUE;
  const std::string binary = binary_of(program);
  unsigned char* const place = *static_cast<unsigned char**>(answer.value);
  if (place != nullptr) std::memcpy(place, binary.data(), binary.size());
  return CL_SUCCESS;
}

}  // namespace

void fill_memory() {
  table.clCreateBuffer = [](cl_context c, cl_mem_flags flags, size_t size, void* host,
                            cl_int* status) {
    if (c == nullptr) return failed<_cl_mem>(CL_INVALID_CONTEXT, status);
    if (size == 0) return failed<_cl_mem>(CL_INVALID_BUFFER_SIZE, status);
    auto* memory = new _cl_mem{{}, c, nullptr, flags, size, 0, host, nullptr};
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) return created(memory, status);
    memory->own.reset(new unsigned char[size]);
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(memory->own.get(), host, size);
    memory->host = memory->own.get();
    return created(memory, status);
  };
  table.clCreateBufferWithProperties =
      [](cl_context c, const cl_mem_properties*, cl_mem_flags flags, size_t size, void* host,
         cl_int* status) { return table.clCreateBuffer(c, flags, size, host, status); };
  table.clCreateSubBuffer = [](cl_mem of, cl_mem_flags flags, cl_buffer_create_type,
                               const void* info, cl_int* status) {
    if (of == nullptr) return failed<_cl_mem>(CL_INVALID_MEM_OBJECT, status);
    if (info == nullptr) return failed<_cl_mem>(CL_INVALID_VALUE, status);
    const auto& region = *static_cast<const cl_buffer_region*>(info);
    return created(new _cl_mem{{},
                               of->context.get(),
                               of,
                               flags,
                               region.size,
                               region.origin,
                               static_cast<unsigned char*>(of->host) + region.origin,
                               nullptr},
                   status);
  };
  table.clRetainMemObject = [](cl_mem m) { return retain(m, CL_INVALID_MEM_OBJECT); };
  table.clReleaseMemObject = [](cl_mem m) { return release(m, CL_INVALID_MEM_OBJECT); };
  table.clGetMemObjectInfo = [](cl_mem m, cl_mem_info name, size_t size, void* value,
                                size_t* told) -> cl_int {
    if (m == nullptr) return CL_INVALID_MEM_OBJECT;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_MEM_TYPE:
        return answer(cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
      case CL_MEM_FLAGS:
        return answer(m->flags);
      case CL_MEM_SIZE:
        return answer(m->size);
      case CL_MEM_HOST_PTR:
        return answer((m->flags & CL_MEM_USE_HOST_PTR) != 0 ? m->host : nullptr);
      case CL_MEM_REFERENCE_COUNT:
        return answer(m->count.load());
      case CL_MEM_CONTEXT:
        return answer(m->context.get());
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer(m->parent.get());
      case CL_MEM_OFFSET:
        return answer(m->offset);
      default:
        return CL_INVALID_VALUE;
    }
  };
}

void fill_programs() {
  table.clCreateProgramWithSource = [](cl_context c, cl_uint count, const char** strings,
                                       const size_t* lengths, cl_int* status) {
    if (c == nullptr) return failed<_cl_program>(CL_INVALID_CONTEXT, status);
    if (count == 0 || strings == nullptr) return failed<_cl_program>(CL_INVALID_VALUE, status);
    std::string text;
    for (cl_uint i = 0; i < count; ++i) {
      if (strings[i] == nullptr) return failed<_cl_program>(CL_INVALID_VALUE, status);
      text += lengths != nullptr && lengths[i] != 0 ? std::string(strings[i], lengths[i])
                                                    : std::string(strings[i]);
    }
    return created(new _cl_program{{}, c, text, "", ""}, status);
  };
  table.clCreateProgramWithBinary = [](cl_context c, cl_uint count, const cl_device_id* devices,
                                       const size_t* lengths, const unsigned char** bytes,
                                       cl_int* binary_status, cl_int* status) {
    if (c == nullptr) return failed<_cl_program>(CL_INVALID_CONTEXT, status);
    if (count == 0 || devices == nullptr || lengths == nullptr || bytes == nullptr ||
        bytes[0] == nullptr)
      return failed<_cl_program>(CL_INVALID_VALUE, status);
    const bool ours = lengths[0] >= names_at && std::memcmp(bytes[0], mark, sizeof mark - 1) == 0;
    if (binary_status != nullptr) *binary_status = ours ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!ours) return failed<_cl_program>(CL_INVALID_BINARY, status);
    const std::string names(reinterpret_cast<const char*>(bytes[0]) + names_at,
                            lengths[0] - names_at);
    return created(
        new _cl_program{{}, c, "", names, "", CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
        status);
  };
  table.clRetainProgram = [](cl_program p) { return retain(p, CL_INVALID_PROGRAM); };
  table.clReleaseProgram = [](cl_program p) { return release(p, CL_INVALID_PROGRAM); };
  table.clBuildProgram = [](cl_program p, cl_uint, const cl_device_id*, const char* options,
                            auto call, void* data) -> cl_int {
    if (p == nullptr) return CL_INVALID_PROGRAM;
    if (call == nullptr && data != nullptr) return CL_INVALID_VALUE;
    p->options = options == nullptr ? "" : options;
    if (!p->source.empty()) p->names = kernel_names(p->source);
    p->status = CL_BUILD_SUCCESS;
    p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (call != nullptr) call(p, data);
    return CL_SUCCESS;
  };
  table.clGetProgramInfo = [](cl_program p, cl_program_info name, size_t size, void* value,
                              size_t* told) -> cl_int {
    if (p == nullptr) return CL_INVALID_PROGRAM;
    const Answer answer{size, value, told};
    const bool built = p->status == CL_BUILD_SUCCESS;
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return answer(p->count.load());
      case CL_PROGRAM_CONTEXT:
        return answer(p->context.get());
      case CL_PROGRAM_NUM_DEVICES:
        return answer(cl_uint{1});
      case CL_PROGRAM_DEVICES:
        return answer(&device);
      case CL_PROGRAM_SOURCE:
        return answer.text(p->source);
      case CL_PROGRAM_BINARY_SIZES:
        return answer(built ? binary_of(*p).size() : size_t{0});
      case CL_PROGRAM_BINARIES:
        return binaries(*p, answer);
      case CL_PROGRAM_NUM_KERNELS:
        return built ? answer(size_t{count_names(p->names)}) : CL_INVALID_PROGRAM_EXECUTABLE;
      case CL_PROGRAM_KERNEL_NAMES:
        return built ? answer.text(p->names) : CL_INVALID_PROGRAM_EXECUTABLE;
      case CL_PROGRAM_IL:
        return answer.bytes(nullptr, 0);
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clGetProgramBuildInfo = [](cl_program p, cl_device_id, cl_program_build_info name,
                                   size_t size, void* value, size_t* told) -> cl_int {
    if (p == nullptr) return CL_INVALID_PROGRAM;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS:
        return answer(p->status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return answer.text(p->options);
      case CL_PROGRAM_BUILD_LOG:
        return answer.text("");
      case CL_PROGRAM_BINARY_TYPE:
        return answer(p->type);
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return answer(size_t{0});
      default:
        return CL_INVALID_VALUE;
    }
  };
}

void fill_kernels() {
  table.clCreateKernel = [](cl_program p, const char* name, cl_int* status) {
    if (p == nullptr) return failed<_cl_kernel>(CL_INVALID_PROGRAM, status);
    if (name == nullptr) return failed<_cl_kernel>(CL_INVALID_VALUE, status);
    if (p->status != CL_BUILD_SUCCESS)
      return failed<_cl_kernel>(CL_INVALID_PROGRAM_EXECUTABLE, status);
    return created(new _cl_kernel{{}, p, name}, status);
  };
  table.clCreateKernelsInProgram = [](cl_program p, cl_uint places, cl_kernel* kernels,
                                      cl_uint* told) -> cl_int {
    if (p == nullptr) return CL_INVALID_PROGRAM;
    if (p->status != CL_BUILD_SUCCESS) return CL_INVALID_PROGRAM_EXECUTABLE;
    const cl_uint count = count_names(p->names);
    if (kernels != nullptr && places < count) return CL_INVALID_VALUE;
    if (told != nullptr) *told = count;
    size_t at = 0;
    for (cl_uint i = 0; kernels != nullptr && i < count; ++i) {
      const size_t end = p->names.find(';', at);
      kernels[i] = new _cl_kernel{{}, p, p->names.substr(at, end - at)};
      at = end + 1;
    }
    return CL_SUCCESS;
  };
  table.clCloneKernel = [](cl_kernel k, cl_int* status) {
    if (k == nullptr) return failed<_cl_kernel>(CL_INVALID_KERNEL, status);
    return created(new _cl_kernel{{}, k->program.get(), k->name}, status);
  };
  table.clRetainKernel = [](cl_kernel k) { return retain(k, CL_INVALID_KERNEL); };
  table.clReleaseKernel = [](cl_kernel k) { return release(k, CL_INVALID_KERNEL); };
  table.clSetKernelArg = [](cl_kernel k, cl_uint, size_t, const void*) -> cl_int {
    return k == nullptr ? CL_INVALID_KERNEL : CL_SUCCESS;
  };
  table.clGetKernelInfo = [](cl_kernel k, cl_kernel_info name, size_t size, void* value,
                             size_t* told) -> cl_int {
    if (k == nullptr) return CL_INVALID_KERNEL;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME:
        return answer.text(k->name);
      case CL_KERNEL_NUM_ARGS:
        return answer(cl_uint{0});
      case CL_KERNEL_REFERENCE_COUNT:
        return answer(k->count.load());
      case CL_KERNEL_CONTEXT:
        return answer(k->program->context.get());
      case CL_KERNEL_PROGRAM:
        return answer(k->program.get());
      case CL_KERNEL_ATTRIBUTES:
        return answer.text("");
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clGetKernelArgInfo = [](cl_kernel k, cl_uint, cl_kernel_arg_info, size_t, void*,
                                size_t*) -> cl_int {
    return k == nullptr ? CL_INVALID_KERNEL : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  };
  table.clGetKernelWorkGroupInfo = [](cl_kernel k, cl_device_id, cl_kernel_work_group_info name,
                                      size_t size, void* value, size_t* told) -> cl_int {
    if (k == nullptr) return CL_INVALID_KERNEL;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_KERNEL_WORK_GROUP_SIZE:
        return answer(size_t{1024});
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer(std::vector<size_t>(3, 0));
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer(size_t{8});
      case CL_KERNEL_LOCAL_MEM_SIZE:
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer(cl_ulong{0});
      default:
        return CL_INVALID_VALUE;
    }
  };
}

void fill_launches() {
  table.clEnqueueNDRangeKernel = [](cl_command_queue q, cl_kernel k, cl_uint, const size_t*,
                                    const size_t*, const size_t*, cl_uint, const cl_event*,
                                    cl_event* event) -> cl_int {
    return k == nullptr ? CL_INVALID_KERNEL : complete(q, CL_COMMAND_NDRANGE_KERNEL, event);
  };
  does_nothing<CL_COMMAND_TASK>(table.clEnqueueTask);
  does_nothing<CL_COMMAND_READ_BUFFER>(table.clEnqueueReadBuffer);
  does_nothing<CL_COMMAND_WRITE_BUFFER>(table.clEnqueueWriteBuffer);
  does_nothing<CL_COMMAND_READ_BUFFER_RECT>(table.clEnqueueReadBufferRect);
  does_nothing<CL_COMMAND_WRITE_BUFFER_RECT>(table.clEnqueueWriteBufferRect);
  does_nothing<CL_COMMAND_COPY_BUFFER>(table.clEnqueueCopyBuffer);
  does_nothing<CL_COMMAND_COPY_BUFFER_RECT>(table.clEnqueueCopyBufferRect);
  does_nothing<CL_COMMAND_FILL_BUFFER>(table.clEnqueueFillBuffer);
  does_nothing<CL_COMMAND_UNMAP_MEM_OBJECT>(table.clEnqueueUnmapMemObject);
  does_nothing<CL_COMMAND_MIGRATE_MEM_OBJECTS>(table.clEnqueueMigrateMemObjects);
  does_nothing<CL_COMMAND_MARKER>(table.clEnqueueMarkerWithWaitList);
  does_nothing<CL_COMMAND_BARRIER>(table.clEnqueueBarrierWithWaitList);
  does_nothing<CL_COMMAND_MARKER>(table.clEnqueueMarker);
  does_nothing<CL_COMMAND_BARRIER>(table.clEnqueueBarrier);
  does_nothing<CL_COMMAND_MARKER>(table.clEnqueueWaitForEvents);
  table.clEnqueueMapBuffer = [](cl_command_queue q, cl_mem m, cl_bool, cl_map_flags, size_t offset,
                                size_t, cl_uint, const cl_event*, cl_event* event,
                                cl_int* status) -> void* {
    const cl_int code =
        m == nullptr ? CL_INVALID_MEM_OBJECT : complete(q, CL_COMMAND_MAP_BUFFER, event);
    void* mapped = code == CL_SUCCESS ? static_cast<unsigned char*>(m->host) + offset : nullptr;
    return created(mapped, status, code);
  };
}

void fill_events() {
  table.clRetainEvent = [](cl_event e) { return retain(e, CL_INVALID_EVENT); };
  table.clReleaseEvent = [](cl_event e) { return release(e, CL_INVALID_EVENT); };
  table.clWaitForEvents = [](cl_uint count, const cl_event* events) -> cl_int {
    return count == 0 || events == nullptr ? CL_INVALID_VALUE : CL_SUCCESS;
  };
  table.clCreateUserEvent = [](cl_context c, cl_int* status) {
    if (c == nullptr) return failed<_cl_event>(CL_INVALID_CONTEXT, status);
    return created(new _cl_event{{}, c, nullptr, CL_COMMAND_USER, CL_SUBMITTED, 0}, status);
  };
  table.clSetUserEventStatus = [](cl_event e, cl_int status) -> cl_int {
    if (e == nullptr || e->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
    e->status = status;
    return CL_SUCCESS;
  };
  // All that is asked for has already happened.
  table.clSetEventCallback = [](cl_event e, cl_int state, auto call, void* data) -> cl_int {
    if (e == nullptr) return CL_INVALID_EVENT;
    if (call == nullptr) return CL_INVALID_VALUE;
    call(e, state, data);
    return CL_SUCCESS;
  };
  table.clGetEventInfo = [](cl_event e, cl_event_info name, size_t size, void* value,
                            size_t* told) -> cl_int {
    if (e == nullptr) return CL_INVALID_EVENT;
    const Answer answer{size, value, told};
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE:
        return answer(e->queue);
      case CL_EVENT_CONTEXT:
        return answer(e->context.get());
      case CL_EVENT_COMMAND_TYPE:
        return answer(e->type);
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return answer(e->status);
      case CL_EVENT_REFERENCE_COUNT:
        return answer(e->count.load());
      default:
        return CL_INVALID_VALUE;
    }
  };
  table.clGetEventProfilingInfo = [](cl_event e, cl_profiling_info name, size_t size, void* value,
                                     size_t* told) -> cl_int {
    if (e == nullptr) return CL_INVALID_EVENT;
    if (e->type == CL_COMMAND_USER) return CL_PROFILING_INFO_NOT_AVAILABLE;
    // Queued, submitted, started, ended, complete: a start and its end are 1000 ns apart.
    constexpr cl_ulong after[] = {0, 100, 200, 1200, 1200};
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_COMPLETE)
      return CL_INVALID_VALUE;
    return Answer{size, value, told}(e->queued + after[name - CL_PROFILING_COMMAND_QUEUED]);
  };
}
