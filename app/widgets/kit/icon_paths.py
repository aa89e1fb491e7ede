"""The icons as SVG, drawn on a 16 grid with a stroke of 1.35, round caps and joins, in one colour."""

from __future__ import annotations

from enum import Enum


class Icon(Enum):
    """Name and drawing. `currentColor` fills take the icon's one colour."""

    SIDEBAR = '<rect x="1.7" y="2.7" width="12.6" height="10.6" rx="2.4"/><path d="M6 2.9v10.2"/>'
    INSPECTOR = '<rect x="1.7" y="2.7" width="12.6" height="10.6" rx="2.4"/><path d="M10 2.9v10.2"/>'
    NEW = (
        '<path d="M13.5 8.5v3.3a1.7 1.7 0 0 1-1.7 1.7H4.2a1.7 1.7 0 0 1-1.7-1.7V4.2a1.7 1.7 0 0 1 1.7-1.7h3.3"/>'
        '<path d="M6.2 9.8l.4-2L12.3 2.1a1 1 0 0 1 1.5 1.5L8.2 9.4z"/>'
    )
    ANSWERS = (
        '<rect x="1.8" y="2.8" width="3.2" height="10.4" rx="1.1"/><rect x="6.4" y="2.8" width="3.2" height="10.4"'
        ' rx="1.1"/><rect x="11" y="2.8" width="3.2" height="10.4" rx="1.1"/>'
    )
    STOP = '<rect x="4" y="4" width="8" height="8" rx="1.8" fill="currentColor"/>'
    SEND = '<path d="M8 13V3.4M3.8 7.4L8 3.2l4.2 4.2"/>'
    DOWN = '<path d="M8 3v9.6M3.8 8.6L8 12.8l4.2-4.2"/>'
    FOLDER = (
        '<path d="M1.9 12V4.2a1.2 1.2 0 0 1 1.2-1.2h2.8l1.5 1.7h5.5a1.2 1.2 0 0 1 1.2 1.2V12a1.2 1.2 0 0 1-1.2 1.2H3.1'
        'A1.2 1.2 0 0 1 1.9 12z"/>'
    )
    RIGHT = '<path d="M6.2 3.8L10.4 8l-4.2 4.2"/>'
    LEFT = '<path d="M9.8 3.8L5.6 8l4.2 4.2"/>'
    CHOOSE = '<path d="M5 6.2L8 3.2l3 3M5 9.8l3 3 3-3"/>'
    COPY = (
        '<rect x="5.4" y="5.4" width="8" height="8.4" rx="1.8"/>'
        '<path d="M10.6 3.3a1.7 1.7 0 0 0-1.5-1H4.3a1.8 1.8 0 0 0-1.8 1.8v5a1.7 1.7 0 0 0 1 1.5"/>'
    )
    EDIT = '<path d="M2.8 13.2l.7-2.9 7.6-7.6a1.4 1.4 0 0 1 2 0l.2.2a1.4 1.4 0 0 1 0 2l-7.6 7.6z"/>'
    AGAIN = '<path d="M13 8a5 5 0 1 1-1.5-3.6L13.2 6"/><path d="M13.4 2.8v3.3h-3.3"/>'
    FORK = '<path d="M8 14V2.6M8 10.2H4.6a1.8 1.8 0 0 1-1.8-1.8V6M8 10.2h3.4a1.8 1.8 0 0 0 1.8-1.8V6"/>'
    WARN = '<path d="M8 2.3L14.2 13H1.8z"/><path d="M8 6.4v3.2M8 11.3v.1"/>'
    PLUS = '<path d="M8 3.2v9.6M3.2 8h9.6"/>'
    MINUS = '<path d="M3.2 8h9.6"/>'
    CHECK = '<path d="M3 8.5l3.3 3.3L13 4.7"/>'
    FOLD = '<path d="M3.8 6.2L8 10.4l4.2-4.2"/>'
    RESTORED = (
        '<path d="M8 9.8V2.6M5.2 5.2L8 2.4l2.8 2.8"/>'
        '<path d="M2.6 9.6v2.2a1.6 1.6 0 0 0 1.6 1.6h7.6a1.6 1.6 0 0 0 1.6-1.6V9.6"/>'
    )
    PAGED_OUT = (
        '<path d="M8 2.4v7.2M5.2 7L8 9.8 10.8 7"/>'
        '<path d="M2.6 9.6v2.2a1.6 1.6 0 0 0 1.6 1.6h7.6a1.6 1.6 0 0 0 1.6-1.6V9.6"/>'
    )
    EVICTED = '<path d="M8 3.2l5.2 5.6H2.8zM2.8 12.6h10.4"/>'
    STORED = '<path d="M4.4 2.8h7.2v10.6L8 10.6l-3.6 2.8z"/>'
    DISK = (
        '<path d="M2.5 9.6l1.8-5.1a1.5 1.5 0 0 1 1.4-1h4.6a1.5 1.5 0 0 1 1.4 1l1.8 5.1"/>'
        '<rect x="2.2" y="9.3" width="11.6" height="3.9" rx="1.4"/><path d="M11.2 11.25v.01"/>'
    )
    EYE = (
        '<path d="M1.8 8c1.6-2.8 3.7-4.2 6.2-4.2s4.6 1.4 6.2 4.2c-1.6 2.8-3.7 4.2-6.2 4.2S3.4 10.8 1.8 8z"/>'
        '<circle cx="8" cy="8" r="2"/>'
    )
    PIN = '<path d="M5.4 2.3h5.2M6.5 2.3v4L4.4 9.1h7.2L9.5 6.3v-4M8 9.1v4.7"/>'
    CLIP = (
        '<path d="M13.1 7.5l-5.3 5.3a3.3 3.3 0 0 1-4.6-4.6l5.6-5.7a2.2 2.2 0 0 1 3.1 3.1l-5.5 5.5a1.1 1.1 0 0 1-1.6-1.5'
        'l4.9-4.9"/>'
    )
    DOCUMENT = (
        '<path d="M4.3 1.9h4.9l3.3 3.3v7.7a1.2 1.2 0 0 1-1.2 1.2h-7a1.2 1.2 0 0 1-1.2-1.2V3.1a1.2 1.2 0 0 1 1.2-1.2z"/>'
        '<path d="M9 2v3.4h3.4M5.6 8.4h4.8M5.6 11h4.8"/>'
    )
    DISCARD = '<path d="M4 4l8 8M12 4l-8 8"/>'
    COMPARE = (
        '<rect x="2.2" y="2.2" width="11.6" height="11.6" rx="2.6"/><path d="M8 4.6v4.2M5.9 6.7h4.2M5.9 11.4h4.2"/>'
    )
    FIND = '<circle cx="7" cy="7" r="4.3"/><path d="M10.2 10.2L13.6 13.6"/>'
    TRASH = (
        '<path d="M2.8 4.4h10.4M6.2 4.2V2.9a.9.9 0 0 1 .9-.9h1.8a.9.9 0 0 1 .9.9v1.3"/>'
        '<path d="M4 4.6l.6 8a1.4 1.4 0 0 0 1.4 1.3h4a1.4 1.4 0 0 0 1.4-1.3l.6-8M6.7 7.2v4M9.3 7.2v4"/>'
    )
    HOLLOW_STAR = '<path d="M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6z"/>'
    SERVER = (
        '<rect x="2.2" y="2.6" width="11.6" height="4.6" rx="1.5"/><rect x="2.2" y="8.8" width="11.6" height="4.6"'
        ' rx="1.5"/><path d="M4.9 4.9v.01M4.9 11.1v.01M7.2 4.9h3.6M7.2 11.1h3.6"/>'
    )
    STAR = '<path d="M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6z" fill="currentColor"/>'
    MODEL = (
        '<rect x="3.6" y="3.6" width="8.8" height="8.8" rx="2"/><path d="M6.3 1.6v2M9.7 1.6v2M6.3 12.4v2M9.7 12.4v2'
        'M1.6 6.3h2M1.6 9.7h2M12.4 6.3h2M12.4 9.7h2"/>'
    )
    SETTINGS = (
        '<circle cx="8" cy="8" r="2.1"/><path d="M8 1.9v1.7M8 12.4v1.7M1.9 8h1.7M12.4 8h1.7M3.7 3.7l1.2 1.2'
        'M11.1 11.1l1.2 1.2M12.3 3.7l-1.2 1.2M4.9 11.1l-1.2 1.2"/><circle cx="8" cy="8" r="4.4"/>'
    )
    APPEARANCE = (
        '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.6v1.6M8 12.8v1.6M1.6 8h1.6M12.8 8h1.6M3.5 3.5l1.1 1.1'
        'M11.4 11.4l1.1 1.1M12.5 3.5l-1.1 1.1M4.6 11.4l-1.1 1.1"/>'
    )
    CACHE = '<circle cx="8" cy="8" r="5.6"/><path d="M2.4 8h11.2a5.6 5.6 0 0 1-11.2 0z" fill="currentColor"/>'
    MAP = (
        '<circle cx="8" cy="3.2" r="1.6"/><circle cx="3.5" cy="12.8" r="1.6"/><circle cx="12.5" cy="12.8" r="1.6"/>'
        '<path d="M8 4.8v3.4M3.5 11.2V9.8a1.6 1.6 0 0 1 1.6-1.6h5.8a1.6 1.6 0 0 1 1.6 1.6v1.4"/>'
    )
    HERE = '<circle cx="8" cy="8" r="4.6"/><path d="M8 1.6v3M8 11.4v3M1.6 8h3M11.4 8h3"/>'
    SLIDERS = (
        '<path d="M2.2 5h6M11.8 5h2M2.2 11h1.9M7.7 11h6.1"/><circle cx="10" cy="5" r="1.8"/>'
        '<circle cx="5.9" cy="11" r="1.8"/>'
    )
    KEYBOARD = (
        '<rect x="1.6" y="3.9" width="12.8" height="8.2" rx="1.8"/><path d="M4.3 6.6h.01M6.8 6.6h.01M9.3 6.6h.01'
        'M11.7 6.6h.01M5 9.4h6"/>'
    )
    API = '<path d="M5.2 4.4L1.8 8l3.4 3.6M10.8 4.4L14.2 8l-3.4 3.6M9.2 3.2L6.8 12.8"/>'
    PRIVACY = (
        '<rect x="3.3" y="7" width="9.4" height="6.6" rx="1.6"/>'
        '<path d="M5.2 6.8V5.2a2.8 2.8 0 0 1 5.6 0v1.6M8 9.6v1.6"/>'
    )
