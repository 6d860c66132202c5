"""Without a network: home, wizard and pages that were seen work, a new version takes over, nothing is trapped."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from macros.site import serve
from tests.site.conftest import TEAM, Watch, _serving, answered
from tests.site.test_search import found

KEPT = """() => new Promise(resolve => {
  navigator.serviceWorker.addEventListener('message', ({data}) => data.kept && resolve(data.kept)); })"""


@pytest.fixture(scope="module")
def visit(browser, site):
    """A context whose service worker has kept the site below a path, its page, and the address."""
    for address in _serving(serve.make(site, prefix="/which-engine/")):
        watch = Watch()
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(40_000)
        watch.over(context)
        page = context.new_page()
        page.goto(f"{address}vi/")
        version = page.evaluate(KEPT)
        page.goto(f"{address}vi/engines/vllm/")
        page.goto(f"{address}vi/")
        yield context, page, address, version
        assert not watch.foreign
        context.close()


def test_the_site_can_be_installed(site, base, visit):
    page = visit[1]
    for lang in ("en", "vi", "ru"):
        manifest = json.loads((site / lang / "manifest.webmanifest").read_text(encoding="utf-8"))
        assert manifest["lang"] == lang and manifest["name"] and manifest["description"]
        assert (site / lang / manifest["start_url"] / "index.html").is_file()
        for icon in manifest["icons"]:
            head = (site / lang / icon["src"]).read_bytes()[:24]
            size = int.from_bytes(head[16:20], "big")
            assert head[1:4] == b"PNG" and icon["sizes"] == f"{size}x{size}"
    session = page.context.new_cdp_session(page)
    errors = [e["errorId"] for e in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert set(errors) <= {"in-incognito"}  # what a test's window is


def test_home_wizard_and_seen_pages_without_a_network(visit):
    context, page, address, version = visit
    assert re.fullmatch("[0-9a-f]{12}", version)
    context.set_offline(True)
    try:
        page.goto(f"{address}vi/wizard/{TEAM}")
        answered(page, "vLLM", complete=True)
        assert page.evaluate("document.fonts.check('16px \"IBM Plex Sans Variable\"')")
        page.goto(f"{address}vi/")
        page.locator("[data-we-brief] .we-engine").wait_for()
        assert found(page, "luong tu hoa")
        page.goto(f"{address}vi/engines/vllm/")
        assert "vLLM" in page.inner_text("h1")
        page.goto(f"{address}vi/engines/sglang/")  # never opened: a page that says so, with ways on
        page.wait_for_url("**/vi/offline.html")
        page.click(".md-content a[href$='wizard/']")
        page.wait_for_selector("[data-we-wizard] form")
        page.goto(f"{address}ru/engines/")  # a language never read: said in one that was
        page.wait_for_url("**/vi/offline.html")
    finally:
        context.set_offline(False)


def test_the_runtime_is_left_to_the_browser(visit):
    """What comes from a service worker is compiled anew at every visit; the browser's own copy is not."""
    _, page, address, _ = visit
    with page.expect_response("**/*.wasm") as wasm, page.expect_response("**/python.zip.gz") as python:
        page.goto(f"{address}vi/wizard/{TEAM}")
    assert not wasm.value.from_service_worker
    assert python.value.from_service_worker


def test_a_new_version_takes_over_and_the_old_one_goes(browser, site, tmp_path):
    """Three versions in a row: each is shown at once, and at most the one before is still kept."""
    shutil.copytree(site / "assets", tmp_path / "assets")
    app = next(site.glob("_wizard/app-*"))
    shutil.copytree(app, tmp_path / "_wizard" / app.name)
    script = (site / "sw.js").read_text(encoding="utf-8")
    script = script.replace('"python": [', '"python": [], "unused": [')  # the large files are not what this is about

    def publish(version: str) -> None:
        (tmp_path / "sw.js").write_text(re.sub('"version": "[^"]+"', f'"version": "{version}"', script, count=1))
        (tmp_path / "page.html").write_text(f"<!doctype html><title>{version}</title>")

    for address in _serving(serve.make(tmp_path)):
        context = browser.new_context()
        page = context.new_page()
        names = "caches.keys().then(all => all.filter(name => name.includes(' files ')))"
        publish("one")
        page.goto(f"{address}page.html")
        page.evaluate("caches.open('of another project')")
        page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
        for version in ("two", "three"):
            publish(version)
            page.evaluate("navigator.serviceWorker.getRegistration().then(r => r.update())")
            page.wait_for_function(f"() => {names}.then(all => all.length === 2 && all[1].endsWith('{version}'))")
            page.goto(f"{address}page.html")
            assert page.title() == version  # from the network, not from the cache
        assert "of another project" in page.evaluate("caches.keys()")
        context.close()
