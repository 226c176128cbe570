# SPDX-License-Identifier: BSD-2-Clause
"""Servers for the tests: a shared one, which is emptied before each test, and those that a
test starts."""
import pytest
from servers import Server


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("shared"))
    yield server
    assert server.lives()
    server.stop()


@pytest.fixture
def server(shared):
    shared.client().execute_command("FLUSHALL", "SYNC")
    return shared


@pytest.fixture
def r(server):
    return server.client()


@pytest.fixture(params=[2, 3], ids=["RESP2", "RESP3"])
def protocol(request):
    return request.param


@pytest.fixture
def wire(server, protocol):
    wire = server.wire(protocol)
    yield wire
    wire.close()


@pytest.fixture
def start(tmp_path):
    """start(*options) starts another server.  All are stopped after the test."""
    servers = []

    def begin(*options, **more):
        servers.append(Server(tmp_path / str(len(servers)), *options, **more))
        return servers[-1]

    yield begin
    for server in reversed(servers):  # replicas first: a master that stops waits for them
        server.stop()
