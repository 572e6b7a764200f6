// Files of other programs: a kernel database for clBLAS with one record of one's own, and what any
// file that is named on the command line is.
// Shows kiln/formats.hpp, kiln/formats/kdb.hpp, kiln/formats/npy.hpp, kiln/formats/poclbin.hpp,
// kiln/formats/spirv.hpp.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <kiln/formats.hpp>

using namespace kiln::formats;

namespace {

kiln::Bytes bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// A module's kernels, and the constants that may get other values before it is compiled.
void tell_module(const char* path, const spirv::Module& module) {
  std::printf("%s: SPIR-V %u.%u of %zu kernels\n", path, module.major, module.minor,
              module.kernels.size());
  for (const spirv::Constant& one : module.constants) {
    const spirv::Setting own{one.id, one.kind, one.bits, one.value};
    if (one.kind == spirv::ConstantKind::floating)
      std::printf("  constant %u: %s %g\n", one.id, one.type_name().c_str(), own.as_number());
    else
      std::printf("  constant %u: %s %lld\n", one.id, one.type_name().c_str(),
                  static_cast<long long>(own.as_integer()));
  }
}

void tell(const char* path) {
  const kiln::Bytes bytes = bytes_of(path);
  if (const auto archive = poclbin::parse(bytes))
    std::printf("%s: a program archive of %zu kernels\n", path, archive->kernels.size());
  else if (const auto array = npy::parse(bytes))
    std::printf("%s: an array of %s\n", path, array->descr.c_str());
  else if (const auto module = spirv::parse(bytes))
    tell_module(path, *module);
  else if (const auto database = kdb::parse(bytes))
    std::printf("%s: a kernel database of %zu patterns\n", path, database->patterns.size());
  else
    std::printf("%s: %s\n", path, database.error().what());
}

}  // namespace

int main(int argc, char** argv) {
  // All that clBLAS demands of a file, untuned, but for one record.
  kdb::Database database = kdb::complete(kdb::Database{}).database;
  database.patterns.front().settings.front().records.front().time = 0.25;
  const auto file = kdb::write(database);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().what());
    return 1;
  }
  // A time alone makes no kernel: clBLAS would believe the rest.
  const kdb::Report report = kdb::check(*file);
  std::printf("%zu bytes, %s\n", file->size(),
              report.good() ? "good" : report.findings.front().text.c_str());
  for (int i = 1; i < argc; ++i) tell(argv[i]);
}
