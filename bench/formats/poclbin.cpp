// A program archive of 100 MB, verified where it is mapped: the cost has to go with the file
// kRecords and not with what they hold.
#include "kiln/formats/poclbin.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <deque>

#include "base/clock.hpp"
#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "formats/bars.hpp"
#include "formats/heap.hpp"
#include "frame/statistics.hpp"
#include "frame/whole_process.hpp"

namespace kiln::bench {

namespace {

constexpr int kKernels = 200;
constexpr int kVariants = 37;  // with objects of 13.6 kB, as PoCL 3.1 links them, this is 100 MB
constexpr std::size_t kObjectBytes = 13'608;
constexpr int kRuns = 200;
constexpr int kArchivePairs = 200;

/// An archive like those of PoCL 3.1; `object_bytes` each file.
Bytes make_archive(int kernels, int variants, std::size_t object_bytes) {
  std::deque<std::string> texts;
  const std::string object(object_bytes, 'x');
  poclbin::Archive archive{.device_id = 1, .version = 9, .flags = std::uint64_t{4} << 32};
  archive.build_hash = texts.emplace_back(poclbin::build_hash(as_bytes("bench")));
  archive.root = {{{"/program.bc", as_bytes(object)}}};
  for (int k = 0; k < kernels; ++k) {
    poclbin::Kernel kernel{.name = texts.emplace_back(fmt::format("kernel_{:03}", k))};
    kernel.metadata_flags = 31;
    kernel.arguments.resize(4, {0x11a3, 0x119b, 1, 1, 8, "buffer", "float*"});
    for (int v = 1; v <= variants; ++v)
      kernel.files.push_back({texts.emplace_back(fmt::format("/{0}/{1}-1-1-goffs0-smallgrid/{0}.so",
                                                             kernel.name, 8 * v)),
                              as_bytes(object)});
    archive.kernels.push_back(std::move(kernel));
  }
  return poclbin::write(archive);
}

/// A file, mapped to be read.
class Mapped {
 public:
  explicit Mapped(ByteView bytes) : folder_(value_or_throw(TemporaryFolder::create("kiln-bench"))) {
    const auto path = folder_.path() / "large.poclbin";
    value_or_throw(write_file(path, bytes));
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    void* at = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (at == MAP_FAILED) throw io_error("map", path, errno);
    view_ = {static_cast<const std::byte*>(at), bytes.size()};
  }
  ~Mapped() { ::munmap(const_cast<std::byte*>(view_.data()), view_.size()); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ByteView view() const { return view_; }

 private:
  TemporaryFolder folder_;
  ByteView view_;
};

constexpr double kRecords = 1 + kKernels * kVariants;

/// Microseconds of one verification for each file record.
double verify_once(ByteView bytes) {
  const auto start = now_ns();
  const auto verified = poclbin::verify(bytes);
  const auto end = now_ns();
  if (!verified || verified->files != static_cast<std::uint64_t>(kRecords))
    throw Error(Errc::internal, "the archive does not verify");
  return static_cast<double>(end - start) * 1e-3 / kRecords;
}

std::vector<double> verify_often(ByteView bytes) {
  std::vector<double> samples;
  for (int run = 0; run < kRuns; ++run) samples.push_back(verify_once(bytes));
  return samples;
}

Outcome archive_verify_time(const Context&) {
  const Mapped large(make_archive(kKernels, kVariants, kObjectBytes));
  // The first pass meets pages that this process has not touched yet.
  const double first = verify_once(large.view());
  const auto samples = verify_often(large.view());
  const Mapped hollow(make_archive(kKernels, kVariants, 16));
  return Figure{median(samples),
                fmt::format("{:.0f} records, {:.1f} MB, quartiles {:.3f} to {:.3f} us; the first "
                            "pass, untouched pages, {:.3f}; with files of 16 bytes {:.3f}",
                            kRecords, static_cast<double>(large.view().size()) * 1e-6,
                            quantile(samples, 0.25), quantile(samples, 0.75), first,
                            median(verify_often(hollow.view())))};
}

Outcome verify_heap(const Context&) {
  const Bytes bytes = make_archive(kKernels, kVariants, kObjectBytes);
  const auto peak = heap_peak([&] { verify_once(bytes); });
  constexpr double allowed = 64 * 1024 + 64 * kRecords;
  return Figure{static_cast<double>(peak) / allowed,
                fmt::format("{} bytes at most, {:.1f} a record; 64 kB and 64 bytes a record are "
                            "{:.0f}",
                            peak, static_cast<double>(peak) / kRecords, allowed)};
}

Outcome process_time(const Context& context) {
  const fs::path kiln = context.binaries / "kiln";
  if (!fs::exists(kiln)) return not_measured("the command kiln is not built");
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-bench"));
  const auto path = folder.path() / "small.poclbin";
  const Bytes bytes = make_archive(1, 2, 17'000);  // with program.bc three files, 51 kB
  value_or_throw(write_file(path, bytes));
  const Program verify{kiln, {"poclbin", "verify", path.string()}, {}};
  const auto pairs =
      interleave(timed(verify), timed({"/bin/true", {}, {}}), kArchivePairs, kArchivePairs / 10);
  if (!pairs) return not_measured(pairs.error());
  auto figure = difference(*pairs, "ms");
  figure.detail += fmt::format("; {} bytes", bytes.size());
  return figure;
}

}  // namespace

std::vector<Bar> poclbin_bars() {
  return {
      {"formats/poclbin-verify", "verify a mapped program archive of 100 MB, a file record",
       Holds::at_most, 1, "us", archive_verify_time},
      {"formats/poclbin-heap", "heap of that, against 64 kB and 64 bytes a record", Holds::at_most,
       1, "x", verify_heap},
      {"formats/poclbin-process", "whole process `kiln poclbin verify` of 50 kB, against `true`",
       Holds::at_most, 5, "ms more", process_time}};
}

}  // namespace kiln::bench
