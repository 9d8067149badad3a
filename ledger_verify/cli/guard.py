"""Every way in which a command can end, as an exit status. None of them is a traceback."""

from __future__ import annotations

import functools
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, ParamSpec

import typer

from ledger_verify.cli.output import discard_output, note, print_error
from ledger_verify.lang.errors import InputError

P = ParamSpec("P")

BAD_INPUT = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """A command that ends with the exit status that `command` returns, or that its failure means.

    `InputError` is printed and ends with 2. Any other exception is a defect: one line and status
    70, or the traceback where the command was given `--debug`.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _log_on_stderr(bool(kwargs.get("debug"))):
                status = command(*args, **kwargs)
            if sys.stdout is not None:
                sys.stdout.flush()
        except InputError as error:
            print_error(error)
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            discard_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as problem:
            _internal(problem, bool(kwargs.get("debug")))
        raise typer.Exit(status)

    return run


class _OneLine(logging.Handler):
    """Warnings and errors of the package, one line each on standard error."""

    def __init__(self, debug: bool) -> None:
        super().__init__(logging.WARNING)
        self._debug = debug

    def emit(self, record: logging.LogRecord) -> None:
        problem = record.exc_info[1] if record.exc_info else None
        reason = f": {_said(problem)}" if problem is not None else ""
        note(f"{record.levelname.lower()}: {record.getMessage()}{reason}")
        if problem is not None and self._debug:
            traceback.print_exception(problem)


@contextmanager
def _log_on_stderr(debug: bool) -> Iterator[None]:
    logger, handler = logging.getLogger("ledger_verify"), _OneLine(debug)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _said(problem: BaseException) -> str:
    first = (str(problem).splitlines() or [""])[0]
    return f"{type(problem).__name__}: {first}"


def _internal(problem: Exception, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exception(problem)
    hint = None if debug else "`--debug` shows where it arose"
    print_error(InputError(f"internal error: {_said(problem)}", hint=hint))
    raise typer.Exit(INTERNAL_ERROR) from None
