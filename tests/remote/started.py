"""Servers of others, started on this machine as processes of their own, and asked what they are."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from app.protocol.events import ModelReady
from app.protocol.servers import Server
from app.remote.client import Client
from app.remote.faults import ServerError
from app.remote.probe import Found, look
from tests.remote.asker import Asker

PATIENCE = 180.0  # seconds that a server may take to start, beside other tests


def look_at(server: Server) -> Found:
    """Ask what a server is."""

    async def looked() -> Found:
        async with Client(server) as client:
            return await look(client)

    return asyncio.run(looked())


def opened(asker: Asker, server: Server) -> None:
    """Open the last model of a server."""
    model = look_at(server).models[-1].name
    assert isinstance(asker.open(server, model), ModelReady)


class Started:
    """A server on a free port, which is ended with whatever it has started. server: as an engine is told of it."""

    def __init__(self, command: Callable[[int], Sequence[str]], folder: Path) -> None:
        """command: what starts it on a port."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._command, self._folder = list(command(self.port)), folder
        self.server = Server("a1", "Studio", f"http://127.0.0.1:{self.port}")
        self.start()

    def start(self) -> None:
        """Start it, once more after it was ended, and wait until it answers."""
        self._log = (self._folder / "log").open("ab")
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(self._folder)}
        self.process = subprocess.Popen(
            self._command, stdout=self._log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        end = time.monotonic() + PATIENCE
        while True:
            try:
                look_at(self.server)
            except ServerError:
                assert self.process.poll() is None, "the server ended"
                assert time.monotonic() < end, "the server did not start"
                time.sleep(0.2)
            else:
                return

    def kill(self) -> None:
        """End it at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._log.close()
