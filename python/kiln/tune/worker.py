"""Candidates in another process: one that crashes or hangs takes that process with it, not the caller.

The process is a new interpreter, not a fork (OpenCL does not survive one), and runs nothing of the
caller's script. Requests and replies are pickled objects on a socket between the two.
"""
import contextlib
import ctypes
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection

from kiln.errors import BY_CODE, DeviceError, Error, TimeoutError, UnsupportedError

_MAIN = "import sys; sys.path[:] = {path!r}; from kiln.tune.worker import serve; serve({fd})"
_START_SECONDS = 120.0
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


# ---- The process


def serve(descriptor):
    """Answers requests until the other end closes."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    channel = Connection(descriptor)
    bench = None
    while True:
        try:
            name, arguments = channel.recv()
        except EOFError:
            os._exit(0)  # what a driver does at its end is of no use any more
        try:
            if name == "open":
                from kiln.tune.bench import Bench

                platform, device, store, given = arguments
                bench = Bench(platform, device, _on_top(store), given)
                reply = ("done", bench.facts())
            else:
                reply = ("done", _DO[name](bench, *arguments))
        except Error as error:
            from kiln.tune.bench import failure_of

            reply = ("failed", (error.code, str(error), failure_of(error)))
        channel.send(reply)


def _on_top(store):
    """The store of a Runtime that writes to a folder, and finds what the user's store has: above
    all what the driver was found to do, which takes a second to try."""
    global _user_store
    if store == "off":
        return store
    import kiln

    with contextlib.suppress(Error):
        _user_store = kiln.Store().folder
        os.environ["KILN_STORE"], os.environ["KILN_SYSTEM_STORE"] = store, _user_store
        return None
    return store


_user_store = None  # its folder


def _try(bench, candidate, restored, wanted):
    """Compiles and runs once: (milliseconds of compiling, of the run, outputs)."""
    from kiln.tune.bench import milliseconds_since

    start = time.perf_counter()
    bench.compile(candidate)
    compiling = milliseconds_since(start)
    bench.restore(restored)
    running = bench.run()
    return compiling, running, bench.outputs(wanted) if wanted != [] else None


def _times(bench, iterations):
    return bench.times(iterations)


def _record(bench, problem, values, seconds, reference):
    """Puts a configuration on record in the user's store."""
    import kiln
    from kiln._kiln import tune_record
    from kiln.tune.bench import native

    if _user_store is not None:
        given = {**problem, "arguments": [native(one) for one in problem["arguments"]]}
        runtime = kiln.Runtime(bench.devices, store=_user_store)
        tune_record(runtime, given, values, seconds, reference)


_DO = {"try": _try, "times": _times, "record": _record}


# ---- The caller


class CandidateFailed(Exception):
    """failure: as ErrorConfig's; message: one line; log: what the compiler said, whole."""

    def __init__(self, failure, message, log=""):
        super().__init__(message)
        self.failure = failure
        self.message = message
        self.log = log


class Worker:
    """The process, started again after a candidate has ended it. One thread.

    A candidate that crashes is tried once more in a new process, where others ran before in the old
    one: what they wrote out of bounds may show only later.
    """

    def __init__(self, platform, device, store, arguments, hang_time):
        if not sys.executable:
            raise UnsupportedError("sys.executable is empty, expected the interpreter's path")
        self._opening = (platform, device, store, arguments)
        self._hang_time = hang_time
        self._process = self._channel = None
        self.tried = 0  # candidates that this process has run
        self.facts = self._start()

    def _start(self):
        ours, theirs = socket.socketpair()
        command = _MAIN.format(path=sys.path, fd=theirs.fileno())
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", command],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C at a terminal is the caller's
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._channel = Connection(ours.detach())
        self.tried = 0
        try:
            return self._ask("open", self._opening, _START_SECONDS)
        except BaseException:
            self.end()
            raise

    def _ask(self, name, arguments, seconds):
        """A reply; raises the Error that it is, CandidateFailed where the process ended or hung."""
        try:
            self._channel.send((name, arguments))
            if not self._wait(seconds):
                self.end()
                raise CandidateFailed("timeout", f"it did not end within {seconds:g} s")
            kind, reply = self._channel.recv()
        except (EOFError, OSError, pickle.UnpicklingError):  # OSError: within a reply, too
            raise CandidateFailed("crash", f"it ended its process{self._ending()}") from None
        except KeyboardInterrupt:
            self.end()  # its reply would be taken for that of the next request
            raise
        if kind == "done":
            return reply
        code, message, failure = reply
        error = BY_CODE[code](message)
        error.failure = failure
        raise error

    def _wait(self, seconds):
        return self._channel.poll(seconds)

    def _ending(self):
        process = self._process
        self.end(kill=False)
        if process.returncode is not None and process.returncode < 0:
            return f" ({signal.Signals(-process.returncode).name})"
        return ""

    def end(self, kill=True):
        """The process goes, whatever it does."""
        if self._process is None:
            return
        if kill:
            self._process.kill()
        self._channel.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _alive(self):
        if self._process is not None:
            return
        try:
            self._start()
        except CandidateFailed as failed:
            raise DeviceError(f"the process that measures does not start again: {failed}") from None

    def attempt(self, candidate, restored, wanted):
        """Compiles and runs a candidate once: (milliseconds of compiling, of the run, outputs).

        Raises CandidateFailed.
        """
        self._alive()
        was_fresh = self.tried == 0
        self.tried += 1
        try:
            return self._measured("try", (candidate, restored, wanted), self._hang_time)
        except CandidateFailed as failed:
            if failed.failure != "crash" or was_fresh:
                raise
        return self.attempt(candidate, restored, wanted)

    def times(self, iterations, expected_ms):
        """Milliseconds of further runs of the candidate; expected_ms: what one takes."""
        self._alive()
        longest = self._hang_time + 10e-3 * iterations * expected_ms
        return self._measured("times", (iterations,), longest)

    def record(self, problem, values, seconds, reference):
        self._alive()
        self._measured("record", (problem, values, seconds, reference), _START_SECONDS)

    def _measured(self, name, arguments, seconds):
        try:
            return self._ask(name, arguments, seconds)
        except Error as error:
            failure = getattr(error, "failure", None)
            if failure is None:
                raise
            raise CandidateFailed(*failure) from None


def start_worker(*opening, hang_time):
    """A Worker; what is wrong before any candidate is an error of Kiln's."""
    try:
        return Worker(*opening, hang_time)
    except CandidateFailed as failed:
        kind = TimeoutError if failed.failure == "timeout" else DeviceError
        raise kind(f"the process that measures does not start: {failed}") from None
