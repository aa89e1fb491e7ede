"""Servers that a person has added, as an engine is told of them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import zip_longest
from urllib.parse import urlsplit

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Server:
    """A server.

    id: by which settings and models name it. name: as the person calls it. url: without a slash at its end. others:
    addresses of servers that run the same models, any of which may answer. certificate: SHA-256 of the one that the
    person trusts at url, "" where authorities speak for it. tokenizer: folder with the tokenizer of its models, ""
    where the person named none. other_certificates: of each of the others, as `certificate`; empty for none. Its key is
    no part of it: that is kept as a secret, under the id.
    """

    id: str
    name: str
    url: str
    certificate: str = ""
    others: tuple[str, ...] = ()
    tokenizer: str = ""
    other_certificates: tuple[str, ...] = ()

    @property
    def salt(self) -> str:
        """Return what keeps its cache of these conversations apart from that of others who use it."""
        return hashlib.sha256(f"espalier {self.id}".encode()).hexdigest()[:32]

    @property
    def replicas(self) -> tuple[Server, ...]:
        """Return each of the servers by itself, named with its host where there are several."""
        if not self.others:
            return (self,)
        return tuple(
            replace(
                self,
                name=f"{self.name} ({urlsplit(url).netloc})",
                url=url,
                others=(),
                certificate=certificate,
                other_certificates=(),
            )
            for url, certificate in self._certificates.items()
        )

    def trusting(self, url: str, certificate: str) -> Server:
        """Return it with a certificate that the person trusts at one of its addresses. ValueError for another one."""
        if url not in self._certificates:
            raise ValueError(f"{url} is no address of {self.name}")
        first, *others = (self._certificates | {url: certificate}).values()
        return replace(self, certificate=first, other_certificates=tuple(others))

    @property
    def _certificates(self) -> dict[str, str]:
        """The certificates that the person trusts, by address."""
        known = self.certificate, *self.other_certificates[: len(self.others)]
        return dict(zip_longest((self.url, *self.others), known, fillvalue=""))
