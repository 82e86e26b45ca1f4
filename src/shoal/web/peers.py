"""Peers: whose program is at the other end of a connection on this computer.

Cookies know no ports: a page of any server on this computer, also one that another user of it runs, gets the cookie of
the workbench when the browser visits it. So on a computer with several users, the cookie alone does not show who asks.
Linux tells which user a connection on this computer belongs to.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
CONNECTION = "connection"  # what is known of a connection, in the state of each of its requests
ESTABLISHED = "01"  # a connection that its owner has closed is shown as one of root


def owner(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """Return the id of the user at the client's end of an open connection, or None if it is not known."""
    local, remote = _hexadecimal(client), _hexadecimal(server)
    try:
        lines = TABLES[ip_address(client[0]).version].read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if local in line and (words := line.split())[1:4] == [local, remote, ESTABLISHED]:
            return int(words[7])
    return None


def are_known(host: str) -> bool:
    """Return whether this system tells the owners of connections to this address, by trying it."""
    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
            server = listener.getsockname()[:2]
            with socket.create_connection(server, timeout=1) as client:
                return owner(client.getsockname()[:2], server) == os.geteuid()
    except OSError:
        return False


def may_enter(scope: Mapping[str, Any]) -> bool:
    """Return whether a request comes from this user, or from root, who may do everything anyway.

    To look takes milliseconds where there are many connections, so the answer is kept with the connection.
    """
    kept = scope.get("state", {}).get(CONNECTION, {})
    if "owner" not in kept:
        client, server = scope.get("client"), scope.get("server")
        kept["owner"] = owner(client, server) if client and server else None
    return kept["owner"] in (os.geteuid(), 0)


def _hexadecimal(address: tuple[str, int]) -> str:
    """Return an address as the tables of Linux spell it: each four bytes in the order of the machine.

    >>> _hexadecimal(("127.0.0.1", 8135)) in ("0100007F:1FC7", "7F000001:1FC7")
    True
    """
    packed = ip_address(address[0]).packed
    words = [packed[at : at + 4] for at in range(0, len(packed), 4)]
    order = [word[::-1] if sys.byteorder == "little" else word for word in words]
    return f"{b''.join(order).hex().upper()}:{address[1]:04X}"
