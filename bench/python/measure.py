"""Measures one promise of the Python package: prints {"value": ..., "detail": ...}.

    measure.py NAME BINARIES    (BINARIES: the build's folder of programs, for the C++ side)
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).parents[2]


def seconds_of(*command):
    start = time.perf_counter()
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if ended.returncode != 0:
        sys.exit(ended.stderr)
    return seconds


def pairs_of(first, second, count):
    """Both sides in turn, each first every second time; the first pair does not count."""
    pairs = []
    for number in range(count + 1):
        if number % 2:
            pairs.append((first(), second()))
        else:
            b = second()
            pairs.append((first(), b))
    return pairs[1:]


def figure(value, detail):
    print(json.dumps({"value": value, "detail": detail}))


def medians(pairs):
    return tuple(statistics.median(side) for side in zip(*pairs))


def microseconds(call, calls, rounds=15, between=lambda: None):
    """The median over rounds of a call's time; `between` is not timed."""
    found = []
    for _ in range(rounds + 2):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        found.append((time.perf_counter() - start) / calls * 1e6)
        between()
    return statistics.median(found[2:])


def measure_import():
    python = sys.executable
    pairs = pairs_of(
        lambda: seconds_of(python, "-c", "import numpy, kiln; kiln.Runtime"),
        lambda: seconds_of(python, "-c", "import numpy"),
        15,
    )
    more = statistics.median(a - b for a, b in pairs)
    a, b = medians(pairs)
    figure(more * 1e3, f"{a * 1e3:.1f} against {b * 1e3:.1f} ms, the library loaded, {len(pairs)} pairs")


def loops():
    import numpy as np

    from kiln import op2
    from kiln.op2.trace import trace

    op2.init(lazy_max_trace_length=0)
    cells, nodes = op2.Set(16), op2.Set(17)
    pairs = op2.Map(cells, nodes, 2, [[k, k + 1] for k in range(16)])
    return np, op2, trace, cells, nodes, pairs


def loop_figure(call, trace):
    # Queued in batches, as applications do; then what handing them over costs, by itself.
    queued = microseconds(call, 100, between=trace.evaluate_all)

    def handed():
        call()
        trace.evaluate_all()

    figure(queued, f"{microseconds(handed, 100):.1f} us until the device has it")


def measure_par_loop_8():
    _, op2, trace, cells, nodes, pairs = loops()
    dats = [op2.Dat(nodes) for _ in range(8)]
    code = ", ".join(f"double *a{n}" for n in range(8))
    kernel = op2.Kernel(f"void k({code}) {{ *a0 += 1; *a1 += *a2 + *a7; }}", "k")
    READ, INC = op2.READ, op2.INC
    a, b, c, d, e, f, g, h = dats

    def call():
        op2.par_loop(
            kernel, cells,
            a(INC, pairs[0]), b(INC, pairs[1]), c(READ, pairs[0]), d(READ, pairs[1]),
            e(READ, pairs[0]), f(READ, pairs[1]), g(READ, pairs[0]), h(READ, pairs[1]),
        )

    loop_figure(call, trace)


def measure_par_loop_1():
    _, op2, trace, cells, _, _ = loops()
    x = op2.Dat(cells)
    kernel = op2.Kernel("void k(double *x) { *x += 1; }", "k")
    loop_figure(lambda: op2.par_loop(kernel, cells, x(op2.RW)), trace)


def measure_data_ro():
    _, op2, _, cells, _, _ = loops()
    x = op2.Dat(cells, range(16))
    figure(microseconds(lambda: x.data_ro, 1000), "of a Dat that no queued loop changes")


SAXPY = """kernel void saxpy(global const float *x, global float *y, float a) {
  y[get_global_id(0)] += a * x[get_global_id(0)];
}"""


def calls(elements, threads):
    """A function that runs `threads` threads of 200 calls each; the same in C++ prints a time."""
    import numpy as np

    import kiln

    runtime = kiln.Runtime("cpu")
    saxpy = runtime.kernel(SAXPY, "saxpy")
    a = np.float32(2)

    def caller():
        x, y = runtime.zeros(elements, np.float32), runtime.zeros(elements, np.float32)

        def work():
            for _ in range(200):
                saxpy(x, y, a, global_size=elements, local_size=16)

        return work

    callers = [caller() for _ in range(threads)]

    def run():
        others = [threading.Thread(target=work) for work in callers[1:]]
        for thread in others:
            thread.start()
        callers[0]()
        for thread in others:
            thread.join()

    def cpp():
        program = os.path.join(BINARIES, "bench-kernel_calls")
        command = [program, str(elements), str(threads)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return lambda: microseconds(run, 1, rounds=5) / 200 / threads, cpp


def measure_call():
    pairs = pairs_of(*calls(16, 1), 11)
    more = statistics.median(a - b for a, b in pairs)
    a, b = medians(pairs)
    figure(more, f"{a:.1f} against {b:.1f} us, {len(pairs)} pairs")


def measure_threads():
    pairs = pairs_of(*calls(1 << 16, 8), 9)
    ratio = statistics.median(a / b for a, b in pairs)
    a, b = medians(pairs)
    figure(ratio, f"{a:.1f} against {b:.1f} us a call, {len(pairs)} pairs")


def measure_airfoil():
    with tempfile.TemporaryDirectory() as folder:
        grid = os.path.join(folder, "grid.h5")
        seconds_of(os.path.join(BINARIES, "kiln"), "mesh", "naca0012", "-I", "100", "-J", "150", "-o", grid)
        example = SOURCE / "examples/python/airfoil.py"

        def run(steps, side):
            if side == "python":
                return seconds_of(sys.executable, "-B", str(example), "100", "150", str(steps))
            return seconds_of(os.path.join(BINARIES, "airfoil"), grid, str(steps))

        # Whole processes of two lengths: what starting costs falls out.
        pairs = pairs_of(
            lambda: (run(401, "python") - run(1, "python")) / 400,
            lambda: (run(401, "cpp") - run(1, "cpp")) / 400,
            5,
        )
    ratio = statistics.median(a / b for a, b in pairs)
    a, b = medians(pairs)
    figure(ratio, f"{a * 1e3:.2f} against {b * 1e3:.2f} ms a step, {len(pairs)} pairs")


def measure_process():
    spec = SOURCE / "examples/specs/saxpy.json"
    kiln_program = f"import kiln; kiln.Runtime('cpu').run({str(spec)!r}, dataset=1024)"
    pyopencl_program = f"""
import numpy as np, pyopencl as cl
x, y = np.ones(1024, np.float32), np.ones(1024, np.float32)
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
a, b = cl.Buffer(context, flags, hostbuf=x), cl.Buffer(context, flags, hostbuf=y)
cl.Program(context, '''{SAXPY}''').build().saxpy(queue, (1024,), (64,), a, b, np.float32(2))
cl.enqueue_copy(queue, y, b)
assert y[0] == 3
"""
    pairs = pairs_of(
        lambda: seconds_of(sys.executable, "-c", pyopencl_program),
        lambda: seconds_of(sys.executable, "-c", kiln_program),
        9,
    )
    ratio = statistics.median(a / b for a, b in pairs)
    a, b = medians(pairs)
    figure(ratio, f"{a * 1e3:.0f} against {b * 1e3:.0f} ms, {len(pairs)} pairs")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def growth(work, first, last):
    sizes = {}
    for number in range(1, last + 1):
        work()
        if number in (first, last):
            sizes[number] = resident()
    figure(
        sizes[last] / sizes[first],
        f"{sizes[last] / 2**20:.0f} against {sizes[first] / 2**20:.0f} MiB",
    )


def measure_memory_loops():
    _, op2, trace, cells, _, _ = loops()
    op2.configuration["lazy_max_trace_length"] = 100
    kernel = op2.Kernel("void k(double *x) { *x += 1; }", "k")

    def work():
        x = op2.Dat(cells, range(16), float)
        op2.par_loop(kernel, cells, x(op2.RW))

    growth(work, 20_000, 100_000)


def measure_memory_runtimes():
    import numpy as np

    import kiln

    x = np.ones(16, np.float32)

    def work():
        runtime = kiln.Runtime("cpu")
        runtime.kernel(SAXPY, "saxpy")(x, np.ones(16, np.float32), np.float32(2), global_size=16)

    growth(work, 2_000, 10_000)


if __name__ == "__main__":
    BINARIES = sys.argv[2]
    globals()["measure_" + sys.argv[1].replace("-", "_")]()
