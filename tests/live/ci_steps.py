#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci_steps.py FILE JOB DIRECTORY: the commands of that job of a GitHub workflow or of GitLab, one file each in DIRECTORY,
in their order, and the job's variables as a shell sets them, in DIRECTORY/environment."""
import pathlib
import shlex
import sys

import yaml


def github(job):
    return job.get("env", {}), [step["run"] for step in job["steps"] if "run" in step]


def gitlab(job):
    # one shell runs all lines
    return job.get("variables", {}), ["\n".join(job.get("before_script", []) + job["script"])]


def main():
    content = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    directory = pathlib.Path(sys.argv[3])
    if "jobs" in content:
        environment, steps = github(content["jobs"][sys.argv[2]])
    else:
        environment, steps = gitlab(content[sys.argv[2]])
    directory.mkdir()
    (directory / "environment").write_text(
        "".join("export %s=%s\n" % (name, shlex.quote(str(value))) for name, value in environment.items()))
    for number, step in enumerate(steps):
        (directory / ("%02d.sh" % number)).write_text(step + "\n")


main()
