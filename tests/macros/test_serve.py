"""The local server: types, compression, caching, prefix, language's 404, and nothing outside its folder."""

from __future__ import annotations

import gzip
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from macros.site import serve
from macros.site.paths import site_url


@pytest.fixture(params=["/", "/project/"])
def server(request, tmp_path: Path):
    (tmp_path / "site" / "en" / "wizard").mkdir(parents=True)
    (tmp_path / "site" / "_wizard" / "app-0123456789ab").mkdir(parents=True)
    root = tmp_path / "site"
    (root / "index.html").write_text("root" + " " * 2000)
    (root / "404.html").write_text("missing")
    (root / "en" / "404.html").write_text('not here <a href="/en/engines/"></a>')
    (root / "en" / "wizard" / "index.html").write_text("wizard")
    (root / "en" / "sitemap.xml").write_text(f"<loc>{site_url()}en/wizard/</loc>")
    (root / "_wizard" / "app-0123456789ab" / "python.wasm").write_bytes(b"\0asm" + bytes(3000))
    (root / "_wizard" / "app-0123456789ab" / "app.mjs").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    made = serve.make(root, 0, request.param)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}{made.prefix}"
    made.shutdown()
    made.server_close()


def get(address: str, **headers: str):
    try:
        return urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=5)
    except urllib.error.HTTPError as error:
        return error


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "text/html"),
        ("_wizard/app-0123456789ab/python.wasm", "application/wasm"),
        ("_wizard/app-0123456789ab/app.mjs", "text/javascript"),
    ],
)  # fmt: skip
def test_types(server, path, kind):
    reply = get(server + path)
    assert reply.status == 200 and reply.headers["Content-Type"].partition(";")[0] == kind


def test_large_files_are_compressed_for_those_who_ask(server):
    path = server + "_wizard/app-0123456789ab/python.wasm"
    packed = get(path, **{"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.read()) == get(path).read() == b"\0asm" + bytes(3000)


def test_only_names_with_a_hash_may_be_kept_for_ever(server):
    assert "immutable" in get(server + "_wizard/app-0123456789ab/app.mjs").headers["Cache-Control"]
    assert get(server).headers["Cache-Control"] == "no-cache"


def test_an_unchanged_file_is_not_sent_again(server):
    tag = get(server).headers["ETag"]
    assert get(server, **{"If-None-Match": tag}).status == 304


def test_a_folder_without_its_slash_is_redirected(server):
    assert get(server + "en/wizard").read() == b"wizard"


def test_missing_pages_get_the_page_of_their_language(server):
    reply = get(server + "en/nothing/")
    home = server.split("/", 3)[3]
    assert reply.status == 404 and reply.read().decode() == f'not here <a href="/{home}en/engines/"></a>'
    reply = get(server + "nothing/")
    assert reply.status == 404 and reply.read() == b"missing"


@pytest.mark.parametrize("path", ["../secret.txt", "%2e%2e/secret.txt", "en/%2e%2e/%2e%2e/secret.txt"])
def test_nothing_outside_the_folder_is_served(server, path):
    assert b"secret" not in get(server + path).read()


def test_the_sitemap_names_the_address_it_is_asked_under(server):
    assert f"<loc>{server}en/wizard/</loc>" in get(server + "en/sitemap.xml").read().decode()
