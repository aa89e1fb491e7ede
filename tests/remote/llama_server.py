"""llama.cpp's server as a process of its own: python -m tests.remote.llama_server MODEL PORT [SLOTS]."""

from __future__ import annotations

import sys
import time

import xllamacpp


def serve(model: str, port: int, slots: int) -> None:
    """Serve a model on a port of this machine until the process is ended."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = 4096 * slots
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.endpoint_slots = True
    params.warmup = False
    _server = xllamacpp.Server(params)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int((sys.argv[3:] or ["2"])[0]))
