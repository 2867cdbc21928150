# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong, as one line and an exit code."""

from __future__ import annotations


class LinuxHostError(Exception):
    """Something did not work; the message is one line that a user can act on."""

    exit_code = 1


class InputError(LinuxHostError):
    """What a user typed cannot be used: it names the option, the value and what is allowed."""

    exit_code = 2


class Stopped(LinuxHostError):
    """Ctrl-C; the message says what is saved and how to go on."""

    exit_code = 130


def refuse(name: str, value: object, allowed: str) -> InputError:
    """An InputError in the form that the compiled examples use."""
    return InputError(f"--{name}={value}: allowed is {allowed}")
