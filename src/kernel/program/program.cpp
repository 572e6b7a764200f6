#include "kernel/program/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/data/byte_fields.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "kernel/program/link_units.hpp"
#include "kernel/program/marked_assembly.hpp"

namespace kiln {

// Artifacts as bytes.

namespace {

constexpr auto artifact_fields = [](auto& to, auto& artifact) {
  to.field("form", artifact.form);
  to.expect(artifact.form == Artifact::Form::pocl_archive ||
                artifact.form == Artifact::Form::driver_binary,
            "form", "it is neither an archive nor a driver's binary");
  to.list("kernels", artifact.kernels, 9, [&](auto& kernel) {
    to.field("kernel name", kernel.name);
    to.field("has arguments", kernel.has_arguments);
    to.list("arguments", kernel.arguments, 24, [&](auto& argument) {
      to.field("address space", argument.address);
      to.field("access", argument.access);
      to.field("qualifier", argument.qualifier);
      to.field("type", argument.type);
      to.field("argument name", argument.name);
    });
  });
  to.content("binary", artifact.binary);
};

}  // namespace

Bytes encode(const Artifact& artifact) {
  ByteWriter writer;
  artifact_fields(writer, artifact);
  writer.content("facts", artifact.facts ? encode(*artifact.facts) : Bytes());
  return writer.take();
}

Expected<Artifact> decode_artifact(ByteView bytes, std::uint32_t schema) {
  if (schema != 1 && schema != artifact_schema)
    return fail(Errc::corrupt, fmt::format("artifact schema {}", schema));
  ByteReader in(bytes, "artifact");
  Artifact artifact;
  artifact_fields(in, artifact);
  Bytes facts;
  if (schema != 1) in.content("facts", facts);
  in.expect_end();
  if (!in.ok()) return tl::unexpected(in.error());
  if (!facts.empty() && !(artifact.facts = decode_kernel_facts(facts)))
    return fail(Errc::corrupt, "artifact: damaged facts of its kernels");
  return artifact;
}

// What the driver tells of kernels.

namespace {

KernelInfo describe(cl::Kernel& kernel) {
  KernelInfo info;
  info.name = kernel.getInfo<CL_KERNEL_FUNCTION_NAME>().c_str();
  const cl_uint count = kernel.getInfo<CL_KERNEL_NUM_ARGS>();
  info.arguments.resize(count);
  info.has_arguments = true;
  for (cl_uint i = 0; i < count && info.has_arguments; ++i) {
    auto& argument = info.arguments[i];
    try {
      argument.address = kernel.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER>(i);
      argument.access = kernel.getArgInfo<CL_KERNEL_ARG_ACCESS_QUALIFIER>(i);
      argument.qualifier = kernel.getArgInfo<CL_KERNEL_ARG_TYPE_QUALIFIER>(i);
      argument.type = kernel.getArgInfo<CL_KERNEL_ARG_TYPE_NAME>(i).c_str();
      argument.name = kernel.getArgInfo<CL_KERNEL_ARG_NAME>(i).c_str();
    } catch (const cl::Error&) {
      info.has_arguments = false;  // a driver's own binary often holds none of this
    }
  }
  return info;
}

}  // namespace

std::vector<KernelInfo> describe_kernels(const cl::Program& program) {
  return with_cl_errors([&] {
    std::vector<KernelInfo> infos;
    std::vector<cl::Kernel> kernels;
    cl::Program handle = program;
    handle.createKernels(&kernels);
    for (auto& kernel : kernels) infos.push_back(describe(kernel));
    return infos;
  });
}

// Creating.

namespace {

using CreateWithIL = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);

/// "OpenCL 2.1 …" and later ones: clCreateProgramWithIL is a part of it.
bool is_in_standard(const std::string& version) {
  constexpr std::string_view prefix = "OpenCL ";
  if (!version.starts_with(prefix) || version.size() < prefix.size() + 3) return false;
  return version.compare(prefix.size(), 3, "2.1") >= 0;
}

CreateWithIL function_of(const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  // A loader passes the call on by the platform's own table, which has it from 2.1 on.
  if (is_in_standard(device.getInfo<CL_DEVICE_VERSION>()) &&
      is_in_standard(platform.getInfo<CL_PLATFORM_VERSION>()))
    return ::clCreateProgramWithIL;
  return reinterpret_cast<CreateWithIL>(
      ::clGetExtensionFunctionAddressForPlatform(platform(), "clCreateProgramWithILKHR"));
}

cl::Program create_with_il(const cl::Context& context, const cl::Device& device,
                           const std::string& module) {
  const CreateWithIL create = function_of(device);
  cl_int status = CL_INVALID_OPERATION;
  cl_program program = nullptr;
  if (create != nullptr) program = create(context(), module.data(), module.size(), &status);
  if (program == nullptr || status != CL_SUCCESS) throw cl::Error(status, "clCreateProgramWithIL");
  return cl::Program(program);
}

}  // namespace

Expected<void> takes_module(const Device& device, const spirv::Module& module,
                            const std::string& name) {
  const std::string what = fmt::format("{} is SPIR-V {}.{} for {}-bit devices", name, module.major,
                                       module.minor, module.address_bits);
  if (device.il_versions.find("SPIR-V") == std::string::npos)
    return fail(Errc::unsupported,
                fmt::format("{}; {} ({}, driver {}) takes no SPIR-V, only OpenCL C", what,
                            device.name, device.platform_name, device.driver_version));
  if (module.address_bits != device.address_bits)
    return fail(Errc::unsupported,
                fmt::format("{}; {} has {}-bit addresses", what, device.name, device.address_bits));
  // What a device announces is no bound in practice: PoCL 6 says 1.2 and takes 1.4.
  return {};
}

cl::Program create_program(const cl::Context& context, const cl::Device& device,
                           const std::string& text) {
  if (spirv::is_module(as_bytes(text))) return create_with_il(context, device, text);
  return cl::Program(context, text, false);
}

cl::Program create_program(const cl::Context& context, const cl::Device& device, ByteView binary) {
  std::vector<unsigned char> bytes(binary.size());
  std::memcpy(bytes.data(), binary.data(), bytes.size());
  return cl::Program(context, {device}, cl::Program::Binaries{std::move(bytes)});
}

// Building and loading.

namespace {

// PoCL (seen in 5.0) keeps one list of loaded functions in a process, by build hash, and counts the
// users of an entry wrongly when launches of one hash with and without a global offset overlap: it
// dies of an assertion. Parts of a split run do just that, so every sub-device has a hash of its
// own.

/// The archive as a sub-device loads it.
Bytes archive_for_part(ByteView binary, unsigned part) {
  const auto archive = poclbin::parse(binary);
  if (!archive) return Bytes(binary.begin(), binary.end());
  const std::string identity = fmt::format("{} part {}", archive->build_hash, part);
  return poclbin::rewrite(*archive, poclbin::build_hash(as_bytes(identity)),
                          [](std::string_view) { return false; });
}

/// The same for a build from text, whose hash counts every option in.
std::string options_for_part(const Device& device, const std::string& options) {
  if (!device.pocl || device.part == 0) return options;
  return fmt::format("{} -DKILN_SUB_DEVICE={}", options, device.part);
}

std::string trimmed(std::string log) {
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  return log;
}

/// PoCL blames the text where its cache cannot be written: said as what it is.
void check_driver_cache(const Device& device) {
  const char* folder = device.pocl ? std::getenv("POCL_CACHE_DIR") : nullptr;
  if (folder == nullptr || *folder == '\0') return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (::access(folder, W_OK | X_OK) != 0)
    throw io_error("write into the driver's cache (POCL_CACHE_DIR)", folder, errno);
}

/// Not cl::Program::build, which asks for the log in the same call: where that fails, too, the
/// reason of the build's failure is lost.
void build(const cl::Program& program, const Device& device, const std::string& options,
           const std::string& label) {
  const cl_device_id id = device.handle();
  const cl_int status = ::clBuildProgram(program(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return;
  check_driver_cache(device);
  if (status != CL_BUILD_PROGRAM_FAILURE) throw cl_error("clBuildProgram", status);
  throw build_error(label, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.handle));
}

bool is_in(std::string_view folders, const char* program) {
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    if (!folder.empty() && ::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0)
      return true;
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
  }
  return false;
}

}  // namespace

Expected<void> can_compile_here(const Device& device) {
  const std::string path = environment("PATH");
  if (!device.pocl || is_in(path, "ld")) return {};
  return fail(Errc::unsupported,
              path.empty() ? "PATH is not set, and PoCL's compiler looks there for its linker, ld"
                           : "no folder of PATH holds ld, the linker that PoCL's compiler needs");
}

std::string build_log(const cl::Program& program, const Device& device) {
  cl_int status = CL_SUCCESS;
  const auto log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.handle, &status);
  return status == CL_SUCCESS ? trimmed(log) : std::string();
}

Error build_error(const std::string& label, std::string log) {
  return {Errc::build, fmt::format("{} does not compile:\n{}", label, trimmed(std::move(log)))};
}

namespace {

cl::Program link_here(const Context& context, const Device& device, const std::string& text,
                      const std::string& options, const std::string& label) {
  cl_int status = CL_SUCCESS;
  std::string log;
  const cl::Program linked(link_units(context.cl()(), {device.handle()},
                                      value_or_throw(units_of_text(text)), options, {}, status,
                                      &log));
  if (status == CL_COMPILE_PROGRAM_FAILURE || status == CL_LINK_PROGRAM_FAILURE)
    throw build_error(label, std::move(log));
  if (status != CL_SUCCESS) throw cl_error("clLinkProgram", status);
  return linked;
}

}  // namespace

namespace {

/// The same program with the assembly that its text has behind marks; itself where there is none.
cl::Program with_marked_assembly(const Context& context, const Device& device,
                                 const cl::Program& program, const std::string& text,
                                 const std::string& options) {
  // Asked first: a driver's binary costs a copy.
  if (device.pocl || text.find(assembly_mark) == text.npos) return program;
  const Bytes binary = driver_binary(program, device);
  const auto assembly = without_assembly_marks(as_text(binary));
  return assembly ? load_binary(context, device, as_bytes(*assembly), options) : program;
}

}  // namespace

cl::Program build_here(const Context& context, const Device& device, const std::string& text,
                       const std::string& options, const std::string& label) {
  return with_cl_errors([&] {
    if (are_units(text)) return link_here(context, device, text, options, label);
    const cl::Program program = create_program(context.cl(), device.handle, text);
    build(program, device, options_for_part(device, options), label);
    return with_marked_assembly(context, device, program, text, options);
  });
}

cl::Program load_binary(const Context& context, const Device& device, ByteView binary,
                        const std::string& options) {
  return with_cl_errors([&] {
    Bytes own;
    if (device.pocl && device.part > 0) {
      own = archive_for_part(binary, device.part);
      binary = own;
    }
    const cl::Program program = create_program(context.cl(), device.handle, binary);
    build(program, device, options, "the stored program");
    return program;
  });
}

Bytes driver_binary(const cl::Program& program, const Device& device) {
  return with_cl_errors([&] {
    const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
      if (devices[i]() != device.handle()) continue;
      const ByteView view(reinterpret_cast<const std::byte*>(binaries[i].data()),
                          binaries[i].size());
      return Bytes(view.begin(), view.end());
    }
    return Bytes();
  });
}

// The program.

Program::Program(Parts parts) : parts_(std::move(parts)), is_unkept_(parts_.keep != nullptr) {
  list_variants();
}

void Program::list_variants() {
  variants_.clear();
  generic_.clear();
  own_local_bytes_.clear();
  has_bitcode_ = false;
  if (parts_.archive.empty()) return;
  const auto archive = poclbin::parse(parts_.archive);
  if (!archive) return;
  for (const auto& entry : archive->root)
    for (const auto& file : entry) has_bitcode_ = has_bitcode_ || file.path == "/program.bc";
  for (const auto& kernel : archive->kernels) {
    auto& own = own_local_bytes_[std::string(kernel.name)];
    for (const std::uint64_t bytes : kernel.local_sizes)
      if (__builtin_add_overflow(own, bytes, &own)) own = ~std::uint64_t{0};
    for (const auto& variant : poclbin::variants(kernel))
      variants_.emplace(std::string(kernel.name), variant);
    if (poclbin::find_object(kernel, poclbin::generic_folder) != nullptr)
      generic_.emplace(kernel.name);
  }
}

const KernelInfo& Program::kernel(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& kernel : parts_.kernels) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  throw Error(Errc::bad_input, fmt::format("{}: the source has no kernel '{}'; it has: {}",
                                           parts_.label, name, names_text(names)));
}

bool Program::may_have(std::string_view kernel) const {
  return parts_.kernels.empty() ||
         std::any_of(parts_.kernels.begin(), parts_.kernels.end(),
                     [&](const KernelInfo& info) { return info.name == kernel; });
}

void Program::prepare(const KernelVariant& variant) {
  if (parts_.maker == nullptr) return;
  value_or_throw(startable(variant));
  if (missing({variant}).empty()) return;
  parts_.maker->make_variant(*this, variant);
  // Where making it failed, the driver compiles it at the launch, once; asking again would cost
  // the same again.
  const std::lock_guard lock(mutex_);
  variants_.emplace(variant.kernel, variant.variant);
}

std::vector<KernelVariant> Program::missing(const std::vector<KernelVariant>& wanted) const {
  std::vector<KernelVariant> lacking;
  const std::lock_guard lock(mutex_);
  if (!has_bitcode_) return lacking;
  for (const auto& variant : wanted)
    if (!has(variant) && may_have(variant.kernel)) lacking.push_back(variant);
  return lacking;
}

Expected<void> Program::startable(const KernelVariant& variant) const {
  const std::lock_guard lock(mutex_);
  if (parts_.archive.empty() || has_bitcode_ || has(variant) || generic_.contains(variant.kernel))
    return {};
  return fail(Errc::unsupported,
              fmt::format("the archive{} has no variant {} of {}, and neither the generic function "
                          "nor the bitcode to make it of",
                          parts_.label.empty() ? "" : " of " + parts_.label,
                          variant.variant.folder(), variant.kernel));
}

std::uint64_t Program::own_local_bytes(const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  const auto found = own_local_bytes_.find(kernel);
  return found == own_local_bytes_.end() ? 0 : found->second;
}

Bytes Program::archive() const {
  const std::lock_guard lock(mutex_);
  return parts_.archive;
}

FactsPtr Program::facts() const {
  const std::lock_guard lock(mutex_);
  return parts_.facts;
}

void Program::set_facts(FactsPtr facts) {
  const std::lock_guard lock(mutex_);
  parts_.facts = std::move(facts);
}

void Program::replace_archive(Bytes archive) {
  const std::lock_guard lock(mutex_);
  parts_.archive = std::move(archive);
  list_variants();
}

}  // namespace kiln
