// What a run has put into the store, and how it gets to another machine.
// Shows kiln/store.hpp, kiln/store/entry.hpp.
#include <cstdio>
#include <kiln/json.hpp>
#include <kiln/kernel.hpp>
#include <kiln/store.hpp>

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "kept";
  try {
    const kiln::Runtime runtime({.store = folder + "/here"});
    std::vector<float> x(1024, 1.0f);
    const auto twice = runtime.kernel(
        kiln::Source::text("__kernel void twice(__global float* x) { x[get_global_id(0)] *= 2; }"),
        "twice");
    twice(kiln::inout(x)).run({.global = {x.size()}, .local = {64}});

    const kiln::Store store = runtime.store();
    for (const kiln::EntryInfo& entry : store.entries())
      std::printf("%s\n%s", kiln::json_of(entry).c_str(), store.facts(entry).c_str());

    // All programs in one file, and from it into the store of another machine.
    const kiln::ExportedPack exported = store.export_pack({.kind = kiln::EntryKind::artifact});
    const kiln::Store there = kiln::Store::open(folder + "/there");
    const auto entries = kiln::value_or_throw(kiln::read_pack(exported.pack));
    there.import_pack(entries);
    const bool is_intact = there.verify().fault_count() == 0;
    std::printf("%llu of %llu programs, %s\n",
                static_cast<unsigned long long>(there.statistics().artifacts.entries),
                static_cast<unsigned long long>(exported.entries),
                is_intact ? "all whole" : "some damaged");
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
