"""What the engine is told of the settings: how much memory, how much of the disk, and what to write there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.protocol.commands import ClearDiskCache, ConfigureDiskCache, SetBudget
from app.viewmodels.cache.budgets import DEFAULT, budget_of, disk_budget_of
from app.viewmodels.kit.settings import Settings, SettingsValues
from app.worker.engine_host import EngineHost


class EngineBudgets(QObject):
    """Sends the cache's settings to an engine that starts, and again whenever one of them changes."""

    def __init__(self, host: EngineHost, settings: Settings, snapshots: str, parent: QObject | None = None) -> None:
        """Listen to `settings`. snapshots: usual folder of the cached state, "" for none on disk."""
        super().__init__(parent)
        self._host, self._settings, self._snapshots = host, settings, snapshots
        self._sent = settings.values
        self._most: int | None = None
        settings.changed.connect(self._on_changed)

    def send_disk(self) -> None:
        """Tell a new engine, before its first model, what it may write."""
        values = self._settings.values
        folder = folder_of(values, self._snapshots)
        if folder:
            allowed = disk_budget_of(values.disk_budget).bytes
            self._host.submit(ConfigureDiskCache(folder, allowed, values.keeps_every_fork))

    def send_memory(self) -> None:
        """Tell an engine that has loaded a model how much memory it may take, unless that is the default."""
        if budget_of(self._settings.values.budget) is not DEFAULT or self._most is not None:
            self._send_memory()

    def limit_memory(self, most: int | None) -> None:
        """Have the engine take no more than so many bytes, whatever the settings allow; None: what they allow."""
        if most != self._most:
            self._most = most
            self._send_memory()

    def _send_memory(self) -> None:
        allowed = budget_of(self._settings.values.budget).bytes
        known = [amount for amount in (allowed, self._most) if amount is not None]
        self._host.submit(SetBudget(min(known, default=None)))

    def _on_changed(self, values: SettingsValues) -> None:
        before, self._sent = self._sent, values
        if values.budget != before.budget:
            self._send_memory()
        if self._snapshots and values.cache_folder != before.cache_folder:
            self._host.submit(ClearDiskCache())  # of the folder that the engine knows until it is told of the other
            self.send_disk()
        elif (values.disk_budget, values.keeps_every_fork) != (before.disk_budget, before.keeps_every_fork):
            self.send_disk()


def folder_of(values: SettingsValues, usual: str) -> str:
    """Return where cached state is written: where the person wants it, else in the usual folder; "" for nowhere."""
    return usual and (values.cache_folder or usual)
