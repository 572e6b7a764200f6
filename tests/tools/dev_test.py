"""./dev says what it does not know, names what it would install, and documents its packages."""
import os
import re
import signal
import subprocess
import unittest

from check_includes_test import ROOT

with open(os.path.join(ROOT, "tools/dev/install.sh"), encoding="utf-8") as script:
    GROUPS = re.search(r'^package_groups="(.*)"$', script.read(), re.M).group(1).split()
PARTS = "set -euo pipefail\nfor part in tools/dev/*.sh; do source $part; done\n"


def dev(*arguments, **environment):
    return subprocess.run(["./dev", *arguments], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | environment, stdin=subprocess.DEVNULL)


def bash(script):
    """A script that sees the functions of ./dev."""
    return subprocess.run(["bash", "-c", PARTS + script], cwd=ROOT,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Dev(unittest.TestCase):
    def test_what_it_does_not_know_is_bad_usage(self):
        for arguments in (["tset"], ["test", "--lng"], ["build", "debug"], ["check", "spelling"],
                          ["install-deps", "games"], ["bench"], ["docs", "--fast"]):
            run = dev(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn("dev: ", run.stderr, arguments)

    def test_help_names_every_command(self):
        shown = dev("--help").stdout
        for command in ("demo", "build", "test", "package", "wheel", "tarball", "bench", "docs", "check", "install-deps", "clean"):
            self.assertRegex(shown, rf"(?m)^  {command}\b")

    def test_only_missing_packages_are_named(self):
        run = bash('packages_of() { printf "%s\\n" bash kiln-no-such-package dpkg; }; missing_packages any')
        self.assertEqual((run.returncode, run.stdout), (0, "kiln-no-such-package\n"))

    def test_it_lists_packages_before_it_installs_them(self):
        run = bash('missing_packages() { echo one; echo two; }\n'
                   'step() { echo "runs: $*"; }; sudo() { return 0; }\ninstall_groups build')
        lines = run.stdout.splitlines()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(lines[0], r"installs 2 packages .*: one two$")
        self.assertIn("apt_install_fresh one two", lines[1])

    def test_nothing_missing_starts_no_installer(self):
        run = bash('missing_packages() { :; }\nstep() { echo "runs: $*"; }\ninstall_groups build')
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_package_lists_are_fetched_only_after_a_failure(self):
        run = bash('apt_install() { echo install; [ -n "${lists:-}" ]; }\n'
                   'apt_update() { echo update; lists=1; }\napt_install_fresh x; apt_install_fresh x')
        self.assertEqual(run.stdout.split(), ["install", "update", "install", "install"])

    def test_a_failed_step_shows_the_end_of_its_log(self):
        run = bash('cd "$(mktemp -d)"; step working w.log sh -c "echo reason; exit 3" || echo "status $?"')
        self.assertIn("reason", run.stderr)
        self.assertIn("status 1", run.stdout)

    def test_a_step_ends_at_the_first_command_that_fails(self):
        run = bash('cd "$(mktemp -d)"; ldd() { echo "libx.so.1 => /lib/x.so (0x1)"; }\n'
                   'cp() { [ "$2" != /lib/x.so ]; }; dpkg() { echo "a: /lib/x.so"; echo "goes on" >&3; }\n'
                   'export -f ldd cp dpkg; exec 3>&1\n'
                   'step adding w.log add_needed folder program || echo "status $?"')
        self.assertIn("status 1", run.stdout)
        self.assertNotIn("goes on", run.stdout)
        self.assertRegex(run.stderr, r"dev: .*:\d+: exit code 1")

    def test_a_library_that_is_missing_is_named(self):
        run = bash('cd "$(mktemp -d)"; ldd() { echo "libx.so.1 => not found"; }; export -f ldd\n'
                   'step adding w.log add_needed folder program || echo "status $?"')
        self.assertIn("status 1", run.stdout)
        self.assertIn("program needs libx.so.1, which is not found", run.stderr)

    def test_a_base_system_is_there_whole_or_not_at_all(self):
        run = bash('cd "$(mktemp -d)"; install_groups() { :; }; id() { echo 0; }\n'
                   'debootstrap() { mkdir -p "$3/usr"; return 1; }; export -f id debootstrap\n'
                   'trap "ls build/debian/trixie" EXIT; bare_debian trixie true')
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (1, "base.new"))

    def test_what_a_step_has_started_ends_with_it(self):
        for sent, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            reader, writer = os.pipe()
            script = PARTS + f'cd "$(mktemp -d)"; step w w.log bash -c "sleep 600 & echo up >&{writer}; wait"'
            with subprocess.Popen(["bash", "-c", script], cwd=ROOT, pass_fds=[writer],
                                  # Where these tests run in the background, Ctrl-C is ignored from the start.
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                os.close(writer)
                with os.fdopen(reader) as pipe:
                    self.assertEqual(pipe.readline(), "up\n")
                    run.send_signal(sent)
                    self.assertEqual(run.wait(), code)
                    self.assertEqual(pipe.read(), "")  # its end: no process has the pipe any more

    def test_architecture_says_why_each_package_is_there(self):
        with open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8") as file:
            text = file.read()
        for group in GROUPS:
            with open(os.path.join(ROOT, "tools/packages", group + ".txt"), encoding="utf-8") as file:
                for line in file:
                    if not line.startswith("#") and line.strip():
                        name, _, why = line.partition(" ")
                        self.assertTrue(why.strip(), f"{name} has no reason in {group}.txt")
                        # Of alternatives, the map names the one of the release of record.
                        self.assertTrue(f"`{name.split('|')[0]}`" in text, f"{group}.txt names {name}")


if __name__ == "__main__":
    unittest.main()
