"""./dev says what it does not know, names what it would install, and documents its packages."""
import os
import subprocess
import unittest

from check_includes_test import ROOT

GROUPS = ("build", "test", "bench", "long", "check", "root", "docs", "pictures", "site", "npm")


def dev(*arguments, **environment):
    return subprocess.run(["./dev", *arguments], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | environment, stdin=subprocess.DEVNULL)


def bash(script):
    """A script that sees the functions of ./dev."""
    parts = "for part in tools/dev/*.sh; do source $part; done\n"
    return subprocess.run(["bash", "-c", "set -euo pipefail\n" + parts + script], cwd=ROOT,
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
        for command in ("demo", "build", "test", "bench", "docs", "check", "install-deps", "clean"):
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
