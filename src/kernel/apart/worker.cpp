#include "kernel/apart/worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/clock.hpp"
#include "base/data/digest.hpp"
#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "kernel/apart/probe.hpp"
#include "kernel/apart/stubs.hpp"
#include "kernel/clang/unit.hpp"
#include "kernel/facts/read_facts.hpp"
#include "kernel/program/link_units.hpp"
#include "kernel/program/program.hpp"
#include "kiln/formats/poclbin.hpp"

// The work of the helper, whether it does one job or the compile server's: an archive is made, or
// its variants are launched.
namespace kiln::apart {

// The job's device and program.

DevicePtr device_of(const std::string& fingerprint) {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->fingerprint() == fingerprint) return device;
  throw Error(Errc::not_found, "the device is not visible to the compile helper");
}

namespace {

/// The job's program, from its text or its archive, not yet built. Throws cl::Error.
cl::Program create_program(const cl::Context& context, const cl::Device& device, const Job& job) {
  if (!job.source.empty()) return kiln::create_program(context, device, job.source);
  return kiln::create_program(context, device, job.archive);
}

}  // namespace

// The proof that an archive starts without a compiler: every variant is launched once.

namespace {

// Enough for what a work-group of a usual kernel reaches at low indices; a kernel that goes further
// may die, which says nothing about compilers.
constexpr std::size_t global_bytes = 4u << 20, local_bytes = 4096, value_bytes = 256;

/// Arguments for a kernel that is only to be started, and what they are made of.
class MadeUpArguments {
 public:
  /// Throws Error where one cannot be made up.
  void set(const cl::Context& context, cl::Kernel& kernel, const poclbin::Kernel& described) {
    for (std::size_t i = 0; i < described.arguments.size(); ++i)
      set_one(context, kernel, static_cast<cl_uint>(i), described.arguments[i]);
  }

 private:
  void set_one(const cl::Context& context, cl::Kernel& kernel, cl_uint position,
               const poclbin::Argument& argument) {
    static const Bytes zeros(value_bytes);
    static std::vector<std::byte> contents(global_bytes);
    const auto refuse = [&](const std::string& what) {
      throw Error(Errc::unsupported, fmt::format("argument {} is of {}", position, what));
    };
    enum { value, pointer, image, sampler };
    if (argument.type == value) {
      // A structure's size is nowhere in the archive; the driver takes what it is given.
      const std::size_t size = argument.type_size == 0 ? value_bytes : argument.type_size;
      if (size > value_bytes) refuse(fmt::format("{} bytes", size));
      kernel.setArg(position, size, zeros.data());
    } else if (argument.type == pointer && argument.address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      kernel.setArg(position, local_bytes, nullptr);
    } else if (argument.type == pointer) {
      kernel.setArg(position,
                    buffers_.emplace_back(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                          global_bytes, contents.data()));
    } else if (argument.type == image) {
      if (!argument.type_name.starts_with("image2d_t"))
        refuse("type " + std::string(argument.type_name));
      kernel.setArg(position, images_.emplace_back(context, CL_MEM_READ_WRITE,
                                                   cl::ImageFormat(CL_RGBA, CL_FLOAT), 64, 64));
    } else if (argument.type == sampler) {
      kernel.setArg(position, samplers_.emplace_back(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                                     CL_FILTER_NEAREST));
    } else {
      refuse("an unknown kind");
    }
  }

  std::vector<cl::Buffer> buffers_;
  std::vector<cl::Sampler> samplers_;
  std::vector<cl::Image2D> images_;
};

/// The smallest NDRange for which the driver looks for this variant.
NDRange range_for(const poclbin::Variant& variant) {
  NDRange range;
  range.dimensions = 3;
  for (std::size_t d = 0; d < 3; ++d) range.global[d] = range.local[d] = variant.local[d];
  if (!variant.zero_offset) range.offset[0] = variant.local[0];
  const auto reached = [&] {
    return poclbin::Variant::for_launch(range.global, range.local, range.offset) == variant;
  };
  constexpr std::size_t small = 65535;  // work-items of a dimension, see Variant::for_launch
  if (!reached()) range.global[0] = (small / variant.local[0] + 1) * variant.local[0];
  return range;
}

void launch(const cl::CommandQueue& queue, const cl::Kernel& kernel, const NDRange& range) {
  const auto three = [](const std::array<std::size_t, 3>& values) {
    return cl::NDRange(values[0], values[1], values[2]);
  };
  queue.enqueueNDRangeKernel(kernel, three(range.offset), three(range.global), three(range.local));
  queue.finish();
}

/// Task::start: loads the archive and launches one work-group (or what the variant needs) of every
/// variant, with zeros for scalars and zero-filled memory. Before and after each launch a line
/// "begin KERNEL VARIANT" and "end KERNEL VARIANT NANOSECONDS" is added to progress_file, since a
/// kernel may not survive such arguments; "skip KERNEL VARIANT REASON" where none can be made up.
void start_variants(const Job& job) {
  const auto started = now_ns();
  const auto archive = value_or_throw(poclbin::parse(job.archive));
  const auto device = device_of(job.fingerprint);
  const cl::Context context(device->handle);
  const cl::CommandQueue queue(context, device->handle);
  cl::Program program = create_program(context, device->handle, job);
  program.build({device->handle}, job.options.c_str());
  // Lines are out before the launch that they announce: the process may not come back from it.
  std::ofstream progress(progress_file);
  if (!progress) throw Error(Errc::io, "cannot write the progress file");
  for (const auto& [name, folder] : job.variants) {
    const auto* described = archive.find(name);
    const auto variant = poclbin::Variant::from_folder(folder);
    if (described == nullptr || !variant)
      throw Error(Errc::bad_input, fmt::format("no variant {} of {}", folder, name));
    cl::Kernel kernel(program, name.c_str());
    MadeUpArguments arguments;
    try {
      arguments.set(context, kernel, *described);
    } catch (const Error& error) {
      progress << fmt::format("skip {} {} {}", name, folder, error.message()) << std::endl;
      continue;
    }
    progress << fmt::format("begin {} {}", name, folder) << std::endl;
    launch(queue, kernel, range_for(*variant));
    progress << fmt::format("end {} {} {}", name, folder, now_ns() - started) << std::endl;
  }
}

namespace fs = std::filesystem;

/// Standard input is a pipe that the parent holds open; its end means that the parent died.
void die_with_parent() {
  std::thread([] {
    char byte;
    while (::read(0, &byte, 1) > 0) {
    }
    // The parent removes the folder; where the parent was killed, this process has to.
    std::error_code error;
    remove_job_folder(fs::current_path(error));
    ::_exit(parent_gone);
  }).detach();
}

using Folders = std::set<fs::path>;

/// Folders of programs in the private cache, found by their bitcode.
Folders program_folders() {
  Folders found;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(cache_folder, error))
    if (entry.path().filename() == "program.bc") found.insert(entry.path().parent_path());
  return found;
}

/// That of the job's program, which is not one of its parts'. Errc::internal where it is not where
/// Kiln knows it to be: the ways that need it are not this driver's (probe.hpp).
fs::path program_folder(const Folders& parts) {
  for (const auto& folder : program_folders())
    if (!parts.contains(folder)) return folder;
  throw Error(Errc::internal, "the driver left no program in its cache folder");
}

/// The object that the driver has made of a variant after its answer was frozen. Long names are
/// clipped: the kernel's folder is that of what the archive holds of it, and the file is the only
/// object there.
fs::path object_made(const fs::path& folder, const poclbin::Kernel& kernel,
                     const std::vector<poclbin::File>& queried, const std::string& variant) {
  std::string name(kernel.name);
  if (!queried.empty()) {
    const std::string_view path = queried.front().path;
    name = path.substr(1, path.find('/', 1) - 1);
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / name / variant, error))
    if (entry.path().extension() == ".so") return entry.path();
  throw Error(Errc::internal,
              fmt::format("the driver left no object of {} in {}", variant, kernel.name));
}

/// The archive that is handed out: stubs taken out, the wanted build hash, and the objects that
/// were made after the driver had frozen its answer.
Bytes finish_archive(ByteView queried, const Job& job, const Stubs& stubs, const fs::path& folder) {
  auto archive = value_or_throw(poclbin::parse(queried));
  archive.build_hash = job.build_hash;
  auto wanted = job.variants;
  if (job.generic)
    for (const auto& kernel : archive.kernels)
      wanted.emplace_back(kernel.name, poclbin::generic_folder);
  std::vector<Bytes> objects;
  std::vector<std::string> paths;
  objects.reserve(wanted.size());
  paths.reserve(wanted.size());
  for (auto& kernel : archive.kernels) {
    const auto queried_files = kernel.files;  // with stubs: they say the folder
    // The driver takes in whatever is in its folders: its own intermediate files, too.
    std::erase_if(kernel.files, [&](const auto& file) {
      return stubs.is_stub(file.path) || !file.path.ends_with(".so");
    });
    for (const auto& [name, variant] : wanted) {
      if (name != kernel.name || poclbin::find_object(kernel, variant) != nullptr) continue;
      const auto object = object_made(folder, kernel, queried_files, variant);
      objects.push_back(value_or_throw(read_file(object)));
      paths.push_back("/" + object.lexically_relative(folder).generic_string());
      kernel.files.push_back({paths.back(), objects.back()});
    }
  }
  return poclbin::write(archive);
}

void write_log(std::string_view text) { (void)write_file(log_file, as_bytes(text), 0600); }

/// What the jobs of one process, and of those forked from it, share: a context keeps the kernel
/// library that it has loaded.
struct Compiler {
  DevicePtr device;
  cl::Context context;
};
const Compiler& compiler_for(const std::string& fingerprint) {
  static std::map<std::string, Compiler> all;
  auto& compiler = all[fingerprint];
  if (!compiler.device) {  // a fork of the server's could not look for it
    compiler.device = device_of(fingerprint);
    compiler.context = cl::Context(compiler.device->handle);
  }
  return compiler;
}

/// What the salt changes is taken out again: an archive gets the job's build hash at the end, and a
/// macro that is not used leaves no trace in a program. (A comment in the text would not do: the
/// driver's hash is of the preprocessed text, and of the options.)
void make_unique(Job& job, const std::string& salt) {
  if (are_units(job.source)) {  // a linker takes no macros
    auto units = value_or_throw(units_of_text(job.source));
    for (auto& unit : units) unit.options += " -DKILN_" + salt;
    job.source = text_of_units(units);
    return;
  }
  if (!job.source.empty()) {
    job.options += " -DKILN_" + salt;
    return;
  }
  const auto archive = value_or_throw(poclbin::parse(job.archive));
  job.archive =
      poclbin::rewrite(archive, poclbin::build_hash(blake2b(as_bytes(salt)).bytes), nullptr);
}

/// Reads the facts of a job's kernels while the driver's compiler works: both take some time of one
/// core. They are written when the thread ends. Errors are no failure of the job: the facts are
/// unknown. To be called after the driver has set up its LLVM: libclang shares it, and what both
/// set up at their first use (options, targets) is not made for two threads at once.
std::jthread read_facts(const Job& job) {
  if (!job.facts || job.source.empty() || are_units(job.source)) return {};
  if (!expected_from([] { clang::Library::get(); })) return {};
  return std::jthread([&job] {
    const auto facts = read_kernel_facts(job.source, job.options, {});
    if (facts) (void)write_file(facts_file, encode(*facts), 0600);
  });
}

/// The job's program, built, and the folders of the parts that it was linked of. Throws
/// cl::BuildError, cl::Error.
cl::Program build_program(const cl::Context& context, const cl::Device& device, const Job& job,
                          Folders& parts) {
  if (!are_units(job.source)) {
    cl::Program program = create_program(context, device, job);
    program.build({device}, job.options.c_str());
    return program;
  }
  cl_int status = CL_SUCCESS;
  std::string log;
  const auto units = value_or_throw(units_of_text(job.source));
  const cl::Program linked(link_units(
      context(), {device()}, units, job.options, [&] { parts = program_folders(); }, status, &log));
  if (status == CL_COMPILE_PROGRAM_FAILURE || status == CL_LINK_PROGRAM_FAILURE)
    throw cl::BuildError(CL_BUILD_PROGRAM_FAILURE, "clLinkProgram", {{device, log}});
  if (status != CL_SUCCESS) throw cl::Error(status, "clLinkProgram");
  return linked;
}

void make_artifact(const Job& job) {
  const auto& [device, context] = compiler_for(job.fingerprint);
  const std::jthread facts = read_facts(job);
  Folders parts;
  const cl::Program program = build_program(context, device->handle, job, parts);
  // Warnings: a program that compiles may have some, too.
  if (const auto log = build_log(program, *device); !log.empty()) write_log(log);
  Bytes made;
  if (job.form == Job::Form::as_it_is) {
    made = driver_binary(program, *device);
  } else {
    const auto folder = program_folder(parts);
    Stubs stubs(folder, job);
    if (job.stubs) stubs.plant(describe_kernels(program), job);
    made = finish_archive(driver_binary(program, *device), job, stubs, folder);
  }
  if (made.empty()) throw Error(Errc::internal, "the driver gave no binary");
  value_or_throw(write_file(artifact_file, made, 0600));
}

}  // namespace

int run_job() {
  const std::string line = std::string(greeting) + "\n";
  if (!write_all(1, as_bytes(line), "standard output")) return failed;
  die_with_parent();
  return do_job_here("");
}

int do_job_here(const std::string& salt) {
  try {
    auto job = value_or_throw(decode_job(value_or_throw(read_file(job_file))));
    if (!salt.empty()) make_unique(job, salt);
    switch (job.task) {
      case Job::Task::compile:
        make_artifact(job);
        break;
      case Job::Task::start:
        start_variants(job);
        break;
      case Job::Task::trial:
        run_trial(job);
        break;
    }
    return done;
  } catch (const cl::BuildError& error) {
    // The bindings' name for whatever clBuildProgram refuses.
    const bool is_text = error.err() == CL_BUILD_PROGRAM_FAILURE;
    const auto logs = error.getBuildLog();
    if (is_text)
      write_log(logs.empty() ? error.what() : logs.front().second);
    else
      write_log(cl_error(error).message());
    return is_text ? does_not_build : failed;
  } catch (const cl::Error& error) {
    write_log(cl_error(error).message());
    return error.err() == CL_OUT_OF_HOST_MEMORY ? hindered : failed;
  } catch (const Error& error) {
    write_log(error.message());
    return error.code() == Errc::io ? hindered : failed;
  } catch (const fs::filesystem_error& error) {
    write_log(error.what());
    return hindered;
  } catch (const std::bad_alloc&) {
    write_log("no memory");
    return hindered;
  } catch (const std::exception& error) {
    write_log(error.what());
  }
  return failed;
}

void load_kernel_libraries() {
  for (const auto& device : value_or_throw(all_devices())) {
    if (!device->pocl) continue;
    const auto& compiler = compiler_for(device->fingerprint());
    cl::Program program(compiler.context, "kernel void nothing(global int* a) { a[0] = 0; }");
    program.build({device->handle}, "");
  }
}

void remove_job_folder(const fs::path& folder) {
  std::error_code error;
  if (!folder.filename().string().starts_with("kiln-compile-") ||
      !fs::is_regular_file(folder / job_file, error))
    return;
  // The compiler may go on meanwhile and put a file into a folder that was just emptied.
  for (int attempt = 0; attempt < 3 && fs::exists(folder, error); ++attempt)
    fs::remove_all(folder, error);
}

}  // namespace kiln::apart
