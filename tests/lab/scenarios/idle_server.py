"""Not hung: rank 0 of a server waits for a request, the others in the broadcast that will bring them its command."""

import http.server
import os
import pathlib
import threading
import urllib.request

from evidence import calls_of
from scenario import RANK, Scenario, join, tell

POLL, FUTEX = 7, 202  # of x86-64


def reason(launched):
    for log in launched:
        assert log.operations == ["AllReduce"] * 2 and not log.pending, f"not idle after a request: {log}"


def prove(job):
    waits = [calls_of(pid).get(pid, (None,))[0] for pid in job.pids]
    assert waits == [POLL, FUTEX], f"in {waits}, not in a poll of rank 0 and a gloo broadcast of rank 1"


def request(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
        assert answer.read() == b"done"


SCENARIO = Scenario(
    title="not hung: rank 0 of an idle server waits for a request, rank 1 in the gloo broadcast of its next command",
    says={0: "request 1", 1: "request 1"},
    reason=reason,
    prove=prove,
    outcome="moves",
    waiting=(1,),
    # Longer than the rest from which on hangstack calls a job hung.
    arguments=("--gap", "11"),
    prod=lambda job: request((job.logs / "port").read_text()),
    afterwards={0: "request 2", 1: "request 2"},
    verdict=("not_hung", "unknown"),
)


class Server:
    """Each request is a command to all ranks, over the CPU group; then they work together over NCCL."""

    def __init__(self, group, tensor):
        self.group, self.tensor, self.requests = group, tensor, 0

    def work(self, command=None):
        import torch
        import torch.distributed as dist

        dist.broadcast_object_list([command], src=0, group=self.group)
        dist.all_reduce(self.tensor)
        torch.cuda.synchronize()
        self.requests += 1
        tell(f"request {self.requests}")

    def serve(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                self.work("generate")
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(b"done")

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        (pathlib.Path(os.environ["HANGSTACK_LAB_LOG"]) / "port").write_text(str(server.server_port))
        threading.Thread(target=request, args=(server.server_port,)).start()
        server.serve_forever()


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    server = Server(dist.new_group(backend="gloo"), tensor)
    if RANK == 0:
        server.serve()
    while True:
        server.work()


if __name__ == "__main__":
    main()
