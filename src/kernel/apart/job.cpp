#include "kernel/apart/job.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>

#include "base/data/byte_fields.hpp"
#include "device/device.hpp"

namespace kiln::apart {

namespace {

bool loader_takes_libraries() {
  void* loader = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (loader == nullptr) return false;
  const auto find = reinterpret_cast<void*(CL_API_CALL*)(const char*)>(
      ::dlsym(loader, "clGetExtensionFunctionAddress"));
  const bool is_ocl_icd = find != nullptr && find("clGetICDLoaderInfoOCLICD") != nullptr;
  ::dlclose(loader);
  return is_ocl_icd;
}

/// The library that a platform's functions lie in. A handle of the ICD mechanism (cl_khr_icd)
/// begins with the address of the driver's table of functions; clGetPlatformInfo is the second.
std::optional<std::string> library_of(cl_platform_id platform) {
  const void* const* table = *reinterpret_cast<const void* const* const*>(platform);
  Dl_info info{};
  if (table == nullptr || table[1] == nullptr || ::dladdr(table[1], &info) == 0 ||
      info.dli_fname == nullptr || info.dli_fname[0] != '/')
    return {};
  return info.dli_fname;
}

std::optional<std::string> find_library() {
  if (std::getenv("OCL_ICD_VENDORS") != nullptr || !loader_takes_libraries()) return {};
  const auto devices = all_devices();
  if (!devices) return {};
  for (const auto& device : *devices)
    if (device->pocl)
      return library_of(cl::Platform(device->handle.getInfo<CL_DEVICE_PLATFORM>())());
  return {};
}

/// The file of PoCL's library in this process, for the helper's loader: so that a helper does not
/// start the other drivers of the machine (a GPU's takes a quarter of a second). Empty where the
/// user chose drivers himself, or where the loader is not ocl-icd, which alone takes a library's
/// name in OCL_ICD_VENDORS.
std::optional<std::string> driver_library() {
  static const auto found = find_library();
  return found;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> compiler_environment() {
  std::vector<std::pair<std::string, std::string>> variables{
      {"POCL_CACHE_DIR", cache_folder}, {"POCL_KERNEL_CACHE", "1"}, {"KILN_LAYER", "off"}};
  if (const auto library = driver_library()) variables.emplace_back("OCL_ICD_VENDORS", *library);
  return variables;
}

namespace {

constexpr auto job_fields = [](auto& to, auto& job) {
  to.field("task", job.task);
  to.expect(job.task >= Job::Task::compile && job.task <= Job::Task::trial, "task",
            "it is neither compile, start nor trial");
  to.field("generic", job.generic);
  to.field("stubs", job.stubs);
  to.field("form", job.form);
  to.expect(job.form == Job::Form::archive || job.form == Job::Form::as_it_is, "form",
            "it is neither an archive nor the driver's");
  to.field("facts", job.facts);
  for (auto* text : {&job.fingerprint, &job.options, &job.source, &job.build_hash})
    to.field("text", *text);
  to.field("archive", job.archive);
  to.list("variants", job.variants, 8, [&](auto& variant) {
    to.field("kernel", variant.first);
    to.field("variant", variant.second);
  });
};

}  // namespace

Bytes encode(const Job& job) { return bytes_by(job_fields, job); }

Expected<Job> decode_job(ByteView bytes) { return read_by<Job>(job_fields, bytes, "compile job"); }

}  // namespace kiln::apart
