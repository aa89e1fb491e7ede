"""The certificates that a person trusts by having looked at them: of servers for which no authority speaks.

Property: at an address whose certificate is trusted so, that one is accepted and no other.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from urllib.parse import urlsplit

from app.protocol.servers import Server
from app.remote import faults

_PATIENCE = 5.0  # seconds
_HTTPS = 443


async def presented(server: Server) -> bytes:
    """Return the certificate that a server shows, which nobody has checked. Raises ServerError."""
    parts = urlsplit(server.url)
    host, port = parts.hostname or "", parts.port or _HTTPS
    unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(host, port, ssl=unchecked)
    except (OSError, TimeoutError, UnicodeError):
        raise faults.unreachable(server.name, parts.netloc) from None
    shown: bytes | None = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.transport.abort()
    if not shown:
        raise faults.malformed(server.name, "no certificate")
    return shown


async def trusted(server: Server) -> ssl.SSLContext | None:
    """Return what accepts the certificate that is trusted for a server; None where authorities speak for it.

    Raises ServerError where it shows another one.
    """
    if not server.certificate:
        return None
    shown = await presented(server)
    if digest(shown) != server.certificate:
        raise faults.changed(server.name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=shown)
    return context


def digest(certificate: bytes) -> str:
    """Return the SHA-256 of a certificate, in hexadecimal digits."""
    return hashlib.sha256(certificate).hexdigest()
