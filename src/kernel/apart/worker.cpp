#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "format/poclbin.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/program.hpp"
#include "kernel/apart/stub_object.hpp"
#include "kernel/compile.hpp"

namespace kiln::apart {
namespace fs = std::filesystem;
namespace {

/// Standard input is a pipe that the parent holds open; its end means that the parent died.
void die_with_parent() {
  std::thread([] {
    char byte;
    while (::read(0, &byte, 1) > 0) {
    }
    // The parent removes the folder; where it was killed, nobody else would.
    std::error_code error;
    remove_job_folder(fs::current_path(error));
    ::_exit(parent_gone);
  }).detach();
}

std::vector<std::string> kernel_names(const cl::Program& program) {
  std::vector<std::string> names;
  std::string list = program.getInfo<CL_PROGRAM_KERNEL_NAMES>();
  list = list.c_str();  // drivers count a terminating NUL in
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(';', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

/// The program's folder in the private cache, found by its bitcode.
fs::path program_folder() {
  for (const auto& entry : fs::recursive_directory_iterator(cache_folder))
    if (entry.path().filename() == "program.bc") return entry.path().parent_path();
  throw Error(Errc::internal, "the driver left no program in its cache folder");
}

/// Variant folders that a query must not compile: the generic one of every kernel, unless it is
/// asked for, and for kernels that nobody launches the variants that others asked for (the driver's
/// setting is for all).
class Stubs {
 public:
  Stubs(fs::path folder, const Job& job) : folder_(std::move(folder)) {
    for (const auto& [kernel, variant] : job.variants) variants_.insert(variant);
  }

  void plant(const std::vector<std::string>& kernels, const Job& job) {
    for (const auto& kernel : kernels) {
      if (!job.generic) plant(kernel, "0-0-0");
      for (const auto& variant : variants_)
        if (std::find(job.variants.begin(), job.variants.end(), std::pair(kernel, variant)) ==
            job.variants.end())
          plant(kernel, variant);
    }
  }
  bool is_stub(std::string_view path) const { return planted_.contains(std::string(path)); }

 private:
  void plant(const std::string& kernel, const std::string& variant) {
    const auto folder = folder_ / kernel / variant;
    const auto object = folder / (kernel + ".so");
    if (fs::exists(object)) return;
    fs::create_directories(folder);
    value_or_throw(write_file(object, stub_object(kernel), 0600));
    planted_.insert("/" + kernel + "/" + variant + "/" + kernel + ".so");
  }
  fs::path folder_;
  std::set<std::string> variants_, planted_;
};

Bytes query_archive(const cl::Program& program) {
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  if (binaries.empty() || binaries[0].empty())
    throw Error(Errc::internal, "the driver gave no binary");
  const ByteView view(reinterpret_cast<const std::byte*>(binaries[0].data()), binaries[0].size());
  return Bytes(view.begin(), view.end());
}

/// The archive that is handed out: stubs taken out, the wanted build hash, and the objects that
/// were made after the driver had frozen its answer.
Bytes finish_archive(ByteView queried, const Job& job, const Stubs& stubs, const fs::path& folder) {
  auto archive = value_or_throw(poclbin::parse(queried));
  archive.build_hash = job.build_hash;
  auto wanted = job.variants;
  if (job.generic)
    for (const auto& kernel : archive.kernels) wanted.emplace_back(kernel.name, "0-0-0");
  std::vector<Bytes> objects;
  std::vector<std::string> paths;
  objects.reserve(wanted.size());
  paths.reserve(wanted.size());
  for (auto& kernel : archive.kernels) {
    // The driver takes in whatever is in its folders: its own intermediate files, too.
    std::erase_if(kernel.files, [&](const auto& file) {
      return stubs.is_stub(file.path) || !file.path.ends_with(".so");
    });
    for (const auto& [name, variant] : wanted) {
      if (name != kernel.name) continue;
      auto path = "/" + name + "/" + variant + "/" + name + ".so";
      const auto same = [&](const auto& file) { return file.path == path; };
      if (std::any_of(kernel.files.begin(), kernel.files.end(), same)) continue;
      objects.push_back(value_or_throw(read_file(folder / path.substr(1))));
      paths.push_back(std::move(path));
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
  if (!compiler.device) {
    compiler.device = find_device(fingerprint);
    compiler.context = cl::Context(compiler.device->handle);
  }
  return compiler;
}

/// What the salt changes is taken out again: an archive gets the job's build hash at the end, and a
/// macro that nobody uses leaves no trace in a program. (A comment in the text would not do: the
/// driver's hash is of the preprocessed text, and of the options.)
void make_unique(Job& job, const std::string& salt) {
  if (!job.source.empty()) {
    job.options += " -DKILN_" + salt;
    return;
  }
  const auto archive = value_or_throw(poclbin::parse(job.archive));
  job.archive =
      poclbin::rewrite(archive, poclbin::build_hash(blake2b(as_bytes(salt)).bytes), nullptr);
}

void make_artifact(const Job& job) {
  const auto& [device, context] = compiler_for(job.fingerprint);
  cl::Program program = create_program(context, device->handle, job);
  program.build({device->handle}, job.options.c_str());
  // Warnings: a program that compiles may have some, too.
  if (const auto log = build_log(program, *device); !log.empty()) write_log(log);
  const auto folder = program_folder();
  Stubs stubs(folder, job);
  stubs.plant(kernel_names(program), job);
  const Bytes queried = query_archive(program);
  value_or_throw(write_file(artifact_file, finish_archive(queried, job, stubs, folder), 0600));
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
    job.task == Job::Task::compile ? make_artifact(job) : start_variants(job);
    return done;
  } catch (const cl::BuildError& error) {
    const auto logs = error.getBuildLog();
    write_log(logs.empty() ? error.what() : logs.front().second);
    return does_not_build;
  } catch (const cl::Error& error) {
    write_log(cl_error(error).message());
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
