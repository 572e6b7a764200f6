# Configures and builds with the CMake presets.

presets="dev release asan tsan fuzz portable"

# configure PRESET NAME=VALUE…: runs CMake where the preset was never configured or a value differs
# from the cached one; otherwise Ninja notices by itself what changed.
configure() {
  local preset=$1 wanted definitions=() stale=
  shift
  [ -f "build/$preset/build.ninja" ] || stale=1
  for wanted in "$@"; do
    definitions+=("-D$wanted")
    grep -qE "^${wanted%%=*}:[A-Z]+=${wanted#*=}$" "build/$preset/CMakeCache.txt" 2>/dev/null || stale=1
  done
  [ -z "$stale" ] ||
    step "configuring $preset" "configure-$preset.log" cmake --preset "$preset" "${definitions[@]}"
}

# compile PRESET TARGET…
compile() {
  local preset=$1
  shift
  step "building $preset" "build-$preset.log" \
    ninja -C "build/$preset" -j "$(jobs_at_once)" "$@"
}

dev_build() {
  local preset=${1:-release}
  [ $# -le 1 ] || bad_usage "build takes one preset"
  case " $presets " in
    *" $preset "*) ;;
    *) bad_usage "unknown preset '$preset' (known: $presets)" ;;
  esac
  if [ "$preset" = fuzz ]; then
    install_groups build long
    configure fuzz
    compile fuzz
  else
    install_groups build python mpi
    # A tree that was configured with tests keeps them: no reconfiguring back and forth.
    [ -f "build/$preset/build.ninja" ] || configure "$preset" KILN_TESTS=OFF KILN_BENCH=OFF
    # One that was configured for the demo has not looked for Python.
    configure "$preset" KILN_PYTHON_PACKAGE=ON
    compile "$preset" product
  fi
  echo "-- build/$preset/bin: $(cd "build/$preset/bin" 2>/dev/null && echo *)"
}

dev_clean() {
  [ $# -eq 0 ] || bad_usage "clean takes no arguments"
  rm -rf build
  echo "-- build/ removed"
}
