# Builds both sides of every comparison and measures them.

dev_bench() {
  [ $# -gt 0 ] || bad_usage "bench wants --list, or the names of groups or bars"
  # The measurements' own output stays alone on standard output, so that --json can be read.
  {
    install_groups build bench
    configure release KILN_BENCH=ON
    compile release product bench_programs
  } >&2
  exec build/release/bin/kiln-bench "$@"
}
