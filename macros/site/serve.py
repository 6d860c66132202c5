"""A small server for the built site on 127.0.0.1: right types, gzip, caching as a static host does it.

It stands for any static host, so it knows nothing of the wizard. Two things it does for local use: the
addresses in sitemap.xml become those it is asked under (the theme's language switch reads them), and a
path prefix can be tried (`--prefix /project/`).
"""

from __future__ import annotations

import gzip
import hashlib
import http.server
import mimetypes
import re
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from macros.site import policy
from macros.site.paths import BUILD, site_url

TYPES = {
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".json": "application/json",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
    ".gz": "application/gzip",
}
_TEXT = {"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml", "application/xml", "text/plain"}
_PACKED = _TEXT | {"application/wasm", "application/zip", "application/octet-stream"}
_NAMED_BY_CONTENT = re.compile(r"[./-][0-9a-f]{8,}[./]")
_ROOTED = re.compile(rb"(\")/((?:en|vi|ru|assets|_wizard)[/\"])")
_SMALL = 860  # bytes; below that gzip saves nothing

Transform = Callable[[str, bytes], bytes]


def serve(site: Path, port: int = 8000, prefix: str = "/", ready: Callable[[str], None] | None = None) -> int:
    """Serve until interrupted; returns the exit status. Says what to do when the port is taken."""
    try:
        server = make(site, port, prefix)
    except OSError as error:
        print(f"port {port} cannot be used ({error.strerror}); try: make serve PORT={port + 1}", file=sys.stderr)
        return 1
    address = f"http://127.0.0.1:{server.server_address[1]}{server.prefix}"
    (ready or _announce)(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
    return 0


def make(site: Path, port: int = 0, prefix: str = "/", transform: Transform | None = None) -> Server:
    """A server bound to 127.0.0.1, not yet serving; port 0 takes a free one."""
    return Server(site, port, prefix, transform)


def _announce(address: str) -> None:
    print(f"\n  {address}\n\nCtrl+C stops it.", flush=True)


class Server(http.server.ThreadingHTTPServer):
    """Holds the folder, the prefix and what was compressed."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, site: Path, port: int, prefix: str, transform: Transform | None) -> None:
        self.site = site.resolve()
        self.prefix = "/" + prefix.strip("/") + "/" if prefix.strip("/") else "/"
        self.transform = transform
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking for the host's name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that hangs up is no error; anything else is printed as usual."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:  # noqa: N802 (the name is the base class's)
        self._answer(body=True)

    def do_HEAD(self) -> None:  # noqa: N802
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Quiet: the terminal shows the address."""

    def _answer(self, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if not path.startswith(self.server.prefix):
            self._redirect(self.server.prefix) if path == "/" else self._missing("", body)
            return
        inside = path.removeprefix(self.server.prefix)
        file = self._file(inside)
        if file is None:
            self._missing(inside, body)
        elif file.is_dir():
            self._redirect(path + "/")
        else:
            self._send(file, HTTPStatus.OK, body)

    def _file(self, inside: str) -> Path | None:
        """The file behind an address, a folder that lacks its slash, or None."""
        target = (self.server.site / inside).resolve()
        if not target.is_relative_to(self.server.site):
            return None
        if inside.endswith("/") or not inside:
            target = target / "index.html"
        return target if target.exists() else None

    def _missing(self, inside: str, body: bool) -> None:
        """The 404 page of the language, or the one at the root."""
        for folder in (inside.split("/")[0], ""):
            page = self.server.site / folder / "404.html"
            if page.is_file():
                self._send(page, HTTPStatus.NOT_FOUND, body)
                return
        self.send_error(HTTPStatus.NOT_FOUND)

    def _redirect(self, to: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, file: Path, status: HTTPStatus, body: bool) -> None:
        kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        stat = file.stat()
        tag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"'
        if status is HTTPStatus.OK and self.headers.get("If-None-Match") == tag:
            self.send_response(HTTPStatus.NOT_MODIFIED)
            self.send_header("ETag", tag)
            self.end_headers()
            return
        data = file.read_bytes()
        if file.name.startswith("sitemap") and file.suffix == ".xml":
            data = data.replace(site_url().encode(), f"http://{self.headers['Host']}{self.server.prefix}".encode())
        elif file.name == "404.html" and self.server.prefix != "/":
            # the only page with addresses from the root of the host
            page = _ROOTED.sub(rb"\g<1>" + self.server.prefix.encode() + rb"\g<2>", data).decode()
            data = policy.put(page, policy.inline(page)).encode()
        if self.server.transform:
            data = self.server.transform(kind, data)
        encoding = None
        if kind in _PACKED and len(data) > _SMALL and "gzip" in self.headers.get("Accept-Encoding", ""):
            data, encoding = packed(data), "gzip"
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if kind in _TEXT else kind)
        self.send_header("Content-Length", str(len(data)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        relative = file.relative_to(self.server.site).as_posix()
        lasting = bool(_NAMED_BY_CONTENT.search("/" + relative))
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if lasting else "no-cache")
        self.send_header("ETag", tag)
        self.send_header("Vary", "Accept-Encoding")
        self.end_headers()
        if body:
            self.wfile.write(data)


def packed(data: bytes) -> bytes:
    """gzip, kept on disk by content for everything large enough to take time."""
    if len(data) < 200_000:
        return gzip.compress(data, 6, mtime=0)
    kept = BUILD / "gzip" / f"{hashlib.sha256(data).hexdigest()[:32]}.gz"
    if kept.exists():
        return kept.read_bytes()
    small = gzip.compress(data, 6, mtime=0)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        scratch = kept.with_suffix(".part")
        scratch.write_bytes(small)
        scratch.replace(kept)
    except OSError:
        return small
    return small
