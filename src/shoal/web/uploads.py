"""Uploads: a file goes to the disk part by part while it arrives, under its own plain name or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from shoal.errors import InputError, OutputError
from shoal.files.staging import Part, discard, move
from shoal.web.page import size as size_text
from shoal.web.workspace import Workspace

NAME = "x-file-name"  # the header with the percent-encoded name
FREE = 200_000_000  # bytes that an upload leaves free on the disk


async def receive(request: Request, workspace: Workspace, most: int) -> str:
    """Write the body of a request to a new input, and return its name.

    A body that is too large, or ends early, leaves nothing.
    """
    name = unquote(request.headers.get(NAME, ""))
    target = workspace.new_input(name)
    told = request.headers.get("content-length", "")
    _refuse_size(name, int(told) if told.isdecimal() else 0, most, target)
    part, descriptor = Part.create(target, private=True)
    done = 0
    try:
        with open(descriptor, "wb") as file:
            async for piece in request.stream():
                done += len(piece)
                _refuse_size(name, done, most, target)
                await run_in_threadpool(file.write, piece)
        if told and done != int(told):
            raise InputError(f"The upload of '{name}' ended early: try again.")
        if not done:
            raise InputError(f"'{name}' is empty: choose a file with data.")
        workspace.new_input(name)  # another upload may have been faster
        move([part])
    except OSError as error:
        discard([part])
        raise OutputError(f"'{name}' cannot be written: {error.strerror}.") from None
    except BaseException:
        discard([part])
        raise
    return name


def _refuse_size(name: str, size: int, most: int, target: Path) -> None:
    """Refuse a file that is too large for the workbench or its disk."""
    if size > most:
        raise InputError(
            f"'{name}' is larger than {size_text(most)}, the limit of uploads: copy it into inputs/ by hand, or start "
            f"the workbench with a larger --max-upload."
        )
    about = os.statvfs(target.parent) if hasattr(os, "statvfs") else None
    if about is not None and about.f_bavail * about.f_frsize < FREE:
        raise InputError(f"The disk of the workspace is nearly full: free some space before uploading '{name}'.")
