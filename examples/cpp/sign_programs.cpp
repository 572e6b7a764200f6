// Programs that are signed before they travel, and a machine that takes none but those.
// Shows kiln/store/trust.hpp, kiln/store/pack.hpp, kiln/bytes.hpp.
#include <cstdio>
#include <kiln/kernel.hpp>
#include <kiln/store.hpp>

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "signed";
  try {
    const kiln::Runtime runtime({.store = folder});
    std::vector<float> x(1024, 1.0f);
    const auto half = runtime.kernel(
        kiln::Source::text(
            "__kernel void half_of(__global float* x) { x[get_global_id(0)] /= 2; }"),
        "half_of");
    half(kiln::inout(x)).run({.global = {x.size()}, .local = {64}});
    runtime.finish();  // the store has all that was made
    const kiln::Bytes plain = runtime.store().export_pack({.kind = kiln::EntryKind::artifact}).pack;

    const kiln::SigningKey key = kiln::SigningKey::generate();
    const kiln::Bytes with_signatures = kiln::value_or_throw(kiln::sign_pack(plain, key));
    const kiln::Trust trust{.required = true, .keys = {key.public_key()}};
    for (const kiln::Bytes& pack : {plain, with_signatures}) {
      const auto entries = kiln::value_or_throw(kiln::read_pack(pack));
      const std::string why_not = kiln::refusal_of(entries.front(), trust);
      std::printf("%zu program: %s\n", entries.size(), why_not.empty() ? "taken" : why_not.c_str());
    }
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
