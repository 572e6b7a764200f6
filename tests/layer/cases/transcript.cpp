// How answers are written.
#include <cctype>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <regex>
#include <type_traits>

#include "cases.hpp"

namespace kiln::layer_cases {

std::string status_name(cl_int status) {
  // Never destroyed: cases also write when the process ends.
  static const auto& names = *new std::map<cl_int, const char*>{
#define NAMED(status) {status, #status}
      NAMED(CL_SUCCESS),
      NAMED(CL_DEVICE_NOT_FOUND),
      NAMED(CL_DEVICE_NOT_AVAILABLE),
      NAMED(CL_COMPILER_NOT_AVAILABLE),
      NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      NAMED(CL_OUT_OF_RESOURCES),
      NAMED(CL_OUT_OF_HOST_MEMORY),
      NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
      NAMED(CL_MEM_COPY_OVERLAP),
      NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED),
      NAMED(CL_BUILD_PROGRAM_FAILURE),
      NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
      NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      NAMED(CL_COMPILE_PROGRAM_FAILURE),
      NAMED(CL_LINKER_NOT_AVAILABLE),
      NAMED(CL_LINK_PROGRAM_FAILURE),
      NAMED(CL_DEVICE_PARTITION_FAILED),
      NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
      NAMED(CL_INVALID_VALUE),
      NAMED(CL_INVALID_DEVICE_TYPE),
      NAMED(CL_INVALID_PLATFORM),
      NAMED(CL_INVALID_DEVICE),
      NAMED(CL_INVALID_CONTEXT),
      NAMED(CL_INVALID_QUEUE_PROPERTIES),
      NAMED(CL_INVALID_COMMAND_QUEUE),
      NAMED(CL_INVALID_HOST_PTR),
      NAMED(CL_INVALID_MEM_OBJECT),
      NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
      NAMED(CL_INVALID_IMAGE_SIZE),
      NAMED(CL_INVALID_SAMPLER),
      NAMED(CL_INVALID_BINARY),
      NAMED(CL_INVALID_BUILD_OPTIONS),
      NAMED(CL_INVALID_PROGRAM),
      NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
      NAMED(CL_INVALID_KERNEL_NAME),
      NAMED(CL_INVALID_KERNEL_DEFINITION),
      NAMED(CL_INVALID_KERNEL),
      NAMED(CL_INVALID_ARG_INDEX),
      NAMED(CL_INVALID_ARG_VALUE),
      NAMED(CL_INVALID_ARG_SIZE),
      NAMED(CL_INVALID_KERNEL_ARGS),
      NAMED(CL_INVALID_WORK_DIMENSION),
      NAMED(CL_INVALID_WORK_GROUP_SIZE),
      NAMED(CL_INVALID_WORK_ITEM_SIZE),
      NAMED(CL_INVALID_GLOBAL_OFFSET),
      NAMED(CL_INVALID_EVENT_WAIT_LIST),
      NAMED(CL_INVALID_EVENT),
      NAMED(CL_INVALID_OPERATION),
      NAMED(CL_INVALID_GL_OBJECT),
      NAMED(CL_INVALID_BUFFER_SIZE),
      NAMED(CL_INVALID_MIP_LEVEL),
      NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
      NAMED(CL_INVALID_PROPERTY),
      NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
      NAMED(CL_INVALID_COMPILER_OPTIONS),
      NAMED(CL_INVALID_LINKER_OPTIONS),
      NAMED(CL_INVALID_DEVICE_PARTITION_COUNT),
      NAMED(CL_INVALID_PIPE_SIZE),
      NAMED(CL_INVALID_DEVICE_QUEUE),
      NAMED(CL_INVALID_SPEC_ID),
      NAMED(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
#undef NAMED
  };
  const auto found = names.find(status);
  return found != names.end() ? found->second : "status " + std::to_string(status);
}

namespace {

/// In quotes, all but printable ASCII escaped.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code >= 0x80) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", code);
      result += escaped;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number_text(const std::vector<unsigned char>& bytes, bool is_signed) {
  std::string result;
  // Answers of three sizes are three numbers of 8 bytes; all others are one.
  const std::size_t step = bytes.size() % 8 == 0 ? 8 : bytes.size() % 4 == 0 ? 4 : 1;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, step);
    if (is_signed && step == 4)
      value = static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
    if (at != 0) result += ' ';
    result += is_signed ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
  }
  return result;
}

std::uint64_t digest(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace

void Transcript::line(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::fputs("  ", stdout);
  std::vprintf(format, arguments);
  std::putchar('\n');
  va_end(arguments);
}

void Transcript::status(const std::string& what, cl_int status) {
  line("%s: %s", what.c_str(), status_name(status).c_str());
}

void Transcript::number(const std::string& what, long long value) {
  line("%s: %lld", what.c_str(), value);
}

void Transcript::yes_no(const std::string& what, bool value) {
  line("%s: %s", what.c_str(), value ? "yes" : "no");
}

void Transcript::text(const std::string& what, const std::string& value) {
  line("%s: %s", what.c_str(), quoted(normalised(value)).c_str());
}

void Transcript::know(const void* handle, const std::string& kind) {
  if (handle == nullptr) return;
  const int count = ++kinds_[kind];
  names_[handle] = count == 1 ? kind : kind + " " + std::to_string(count);
}

std::string Transcript::name_of(const void* handle) const {
  if (handle == nullptr) return "NULL";
  const auto found = names_.find(handle);
  return found != names_.end() ? found->second : "unknown";
}

void Transcript::hide(const std::string& text, const std::string& name) {
  hidden_.emplace_back(text, name);
}

std::string Transcript::normalised(std::string text) const {
  for (const auto& [hidden, name] : hidden_)
    for (std::size_t at; (at = text.find(hidden)) != std::string::npos;)
      text.replace(at, hidden.size(), name);
  // The driver names the file into which it wrote the source, with a folder and random letters.
  static const auto& source =
      *new std::regex(R"([^\s"']*(tempfile_?[A-Za-z0-9_]*|program)\.cl(?=:\d+))");
  return std::regex_replace(text, source, "SOURCE");
}

std::string Transcript::shown(Form form, const std::vector<unsigned char>& bytes) const {
  switch (form) {
    case Form::text:
      return quoted(normalised({bytes.begin(), bytes.end()}));
    case Form::number:
      return number_text(bytes, false);
    case Form::signed_number:
      return number_text(bytes, true);
    case Form::handles: {
      std::string result;
      for (std::size_t at = 0; at + sizeof(void*) <= bytes.size(); at += sizeof(void*)) {
        const void* handle = nullptr;
        std::memcpy(&handle, bytes.data() + at, sizeof handle);
        if (at != 0) result += ' ';
        result += name_of(handle);
      }
      return result;
    }
    case Form::bytes: {
      std::string result;
      for (const unsigned char byte : bytes) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", byte);
        result += hex;
      }
      return result;
    }
  }
  return {};
}

template <class T>
void Transcript::values(const std::string& what, const std::vector<T>& values) {
  std::string text;
  const std::size_t shown = values.size() <= 16 ? values.size() : 8;
  for (std::size_t i = 0; i < shown; ++i) {
    char buffer[40];
    if constexpr (std::is_floating_point_v<T>)
      std::snprintf(buffer, sizeof buffer, " %a", static_cast<double>(values[i]));
    else
      std::snprintf(buffer, sizeof buffer, " %lld", static_cast<long long>(values[i]));
    text += buffer;
  }
  if (shown < values.size()) {
    char buffer[80];
    std::snprintf(buffer, sizeof buffer, " … %zu values, digest %016" PRIx64, values.size(),
                  digest(values.data(), values.size() * sizeof(T)));
    text += buffer;
  }
  line("%s:%s", what.c_str(), text.c_str());
}

template void Transcript::values(const std::string&, const std::vector<std::int32_t>&);
template void Transcript::values(const std::string&, const std::vector<std::uint32_t>&);
template void Transcript::values(const std::string&, const std::vector<std::uint64_t>&);
template void Transcript::values(const std::string&, const std::vector<std::uint16_t>&);
template void Transcript::values(const std::string&, const std::vector<std::uint8_t>&);
template void Transcript::values(const std::string&, const std::vector<float>&);
template void Transcript::values(const std::string&, const std::vector<double>&);

}  // namespace kiln::layer_cases
