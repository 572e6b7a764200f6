// What a specification file comes to, without running it: its sizes, its source, an expression of
// one's own. Needs no device.
// Shows kiln/spec/file.hpp, kiln/expr.hpp, kiln/error.hpp.
#include <cstdio>
#include <kiln/spec/file.hpp>

namespace {

void tell(const char* path) {
  for (const kiln::spec::Message& finding : kiln::spec::check_spec(path))
    std::fprintf(stderr, "%s\n", finding.render().c_str());
  // Readers return what they found or an Error; value_or_throw() takes the step to exceptions.
  const kiln::spec::Spec spec = kiln::value_or_throw(kiln::spec::load_spec(path));
  const auto bound = kiln::value_or_throw(kiln::spec::bind(spec, {.set = {{"dataset", 256}}}));
  for (const kiln::spec::BoundArgument& argument : bound.arguments)
    std::printf("argument %u: %llu x %s\n", argument.position,
                static_cast<unsigned long long>(argument.count),
                argument.type.opencl_name().c_str());
  std::printf("%s\n", kiln::value_or_throw(kiln::spec::find_source(spec)).filename().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    tell(argc > 1 ? argv[1] : "../specs/vector_add.json");
    kiln::expr::Scope scope;
    scope.set("n", 1000);
    const auto blocks = kiln::value_or_throw(
        kiln::expr::Expression::parse("(n + 63) / 64", kiln::expr::Dialect::python2));
    std::printf("%s = %s\n", blocks.canonical().c_str(),
                kiln::value_or_throw(blocks.evaluate(scope)).text().c_str());
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s: %s\n", kiln::name_of(error.code()), error.what());
    return kiln::exit_code(error.code());
  }
}
