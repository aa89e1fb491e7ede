"""What the window shows of a hub: the search, the model that is looked at, and the downloads."""

from __future__ import annotations

from dataclasses import field

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem
from app.viewmodels.kit.activity import Activity


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of what is known of a model: what it is about, and what there is to say. is_bad: it stands in the way."""

    about: str
    text: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model that is looked at before it is downloaded.

    is_loading: the hub is being asked. action: what its button does, "Download" or "Open", "" for no button. can_act:
    whether it may be pressed. can_fetch_again: it is here, and what of it is damaged can be fetched again. wants_token:
    an access token may help.
    """

    name: str
    facts: tuple[Fact, ...] = ()
    is_loading: bool = False
    action: str = ""
    can_act: bool = False
    can_fetch_again: bool = False
    problem: Problem | None = None
    wants_token: bool = False


@dataclass(frozen=True, slots=True)
class DownloadRow:
    """A download, as it is shown. line: how far it is; done: the share that is here. action: "Pause", "Resume", "Open".

    is_bad: the line tells of a fault.
    """

    key: str
    name: str
    line: str
    done: float
    action: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class HubState:
    """The state of the page on which models are had from a hub.

    host: the hub that is asked. heading: over the rows. empty: why there are none. online: what is being asked of which
    host just now, "" while nothing goes over the network. has_more: another page can be asked for. problem: why a
    search found nothing. has_token: an access token is kept for this hub. activity: the download that runs, for the
    status line; its text is "" without one.
    """

    host: str = ""
    heading: str = ""
    empty: str = ""
    online: str = ""
    is_searching: bool = False
    has_more: bool = False
    problem: Problem | None = None
    card: ModelCard | None = None
    downloads: tuple[DownloadRow, ...] = ()
    has_token: bool = False
    activity: Activity = field(default_factory=Activity)
