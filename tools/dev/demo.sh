# The main job, from nothing: a kernel and a page of JSON, on the CPU.

# show COMMAND…: prints a command as a person would type it, then its output.
show() {
  echo
  echo "\$ $*"
  "$@"
}

dev_demo() {
  [ $# -eq 0 ] || bad_usage "demo takes no arguments"
  install_groups build
  [ -f build/release/build.ninja ] || configure release KILN_TESTS=OFF KILN_BENCH=OFF
  compile release kiln kiln-compile  # all that the demo runs; the libraries can wait

  # A store of its own: the first run shows what compiling costs, the second that it is gone.
  local spec=examples/specs/vector_add.json
  demo_store=$(mktemp -d)
  trap 'rm -rf "$demo_store"' EXIT
  export KILN_STORE=$demo_store PATH=$PWD/build/release/bin:$PATH

  show kiln devices
  echo
  echo "The first run compiles the kernel:"
  show kiln run "$spec" --set dataset=1048576 --devices cpu --explain
  echo
  echo "The second finds it in the store and starts no compiler:"
  show kiln run "$spec" --set dataset=1048576 --devices cpu --explain
  echo
  echo "Split over two halves of the CPU, every way, against the run on one device:"
  show kiln verify "$spec" --devices cpu/2
}
