"""The built site in a real Chromium: a server, one browser for all tests, and a page that is watched.

The watched page fails its test when a request leaves the origin or the console is not clean.
SKIP_BROWSER=1 skips what needs a browser; without it a missing browser or a missing site is an error.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from macros.site import serve

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
LANGUAGES = ("en", "vi", "ru")
# Other hosts cannot be reached while tests run; without these Chromium tries to all the same.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
# The theme's search says this about its own Vietnamese module on every page.
THEME_SAYS = "Function is not registered with pipeline"
# What Playwright says where a test wants no service worker.
BLOCKED = "Service Worker registration blocked by Playwright"

# The situation of the README: two RTX 3090, Qwen3-32B, a team of four.
TEAM = "#v=1&devices=2*rtx-3090&model=qwen3-32b&serving=team&traffic.concurrency=4"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything that uses the browser carries the mark, and is skipped when that was asked for."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            if os.environ.get("SKIP_BROWSER") == "1":
                item.add_marker(pytest.mark.skip(reason="SKIP_BROWSER=1"))


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built site."""
    if not (SITE / "en" / "wizard" / "index.html").exists() or not (SITE / "_wizard").exists():
        pytest.fail("site/ is not built; run: make build")
    return SITE


def _serving(server: serve.Server) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{server.prefix}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def base(site: Path) -> Iterator[str]:
    """Address of the site, served at the root of a free port."""
    yield from _serving(serve.make(site))


@pytest.fixture(scope="session")
def below(site: Path) -> Iterator[str]:
    """Address of the site, served below a path as a project page is."""
    yield from _serving(serve.make(site, prefix="/which-engine/"))


def program() -> str:
    """Path of Chromium: CHROMIUM, or what scripts/ensure_chromium.sh finds. Fails with what to do."""
    if os.environ.get("CHROMIUM"):
        return os.environ["CHROMIUM"]
    found = subprocess.run([ROOT / "scripts" / "ensure_chromium.sh"], capture_output=True, text=True)
    if found.returncode:
        pytest.fail(f"no Chromium for the browser tests (SKIP_BROWSER=1 leaves them out):\n{found.stderr}")
    return found.stdout.strip()


@pytest.fixture(scope="session")
def playwright():
    """The driver of browsers."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright):
    """One Chromium for all tests; each test gets its own context in it."""
    chromium = playwright.chromium.launch(executable_path=program(), headless=True, args=FLAGS)
    yield chromium
    chromium.close()


class Watch:
    """What pages of a context did: requests to other origins, what the console said."""

    def __init__(self) -> None:
        self.foreign: list[str] = []
        self.said: list[str] = []

    def over(self, context) -> None:
        """Begin to watch a context."""
        context.on("request", self._request)
        context.on("console", lambda m: self._said(m.type, m.text))
        context.on("weberror", lambda e: self._said("error", str(e.error)))

    def _request(self, request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.foreign.append(request.url)

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and THEME_SAYS not in text and BLOCKED not in text:
            self.said.append(f"{kind}: {text}")

    def assert_clean(self) -> None:
        """No request left the origin and the console is empty."""
        assert not self.foreign
        assert not self.said


@pytest.fixture
def watch() -> Watch:
    """Watches the contexts of one test."""
    return Watch()


@pytest.fixture
def open_page(browser, watch):
    """Function that opens a page in a new context: open_page(viewport=(w, h), **context options)."""
    contexts = []

    def open_(viewport: tuple[int, int] = (1280, 900), **options):
        # what a service worker loads in the background would disturb every other test
        options.setdefault("service_workers", "block")
        context = browser.new_context(viewport={"width": viewport[0], "height": viewport[1]}, **options)
        context.set_default_timeout(30_000)
        watch.over(context)
        contexts.append(context)
        return context.new_page()

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page, watch):
    """A watched page on a desktop window; the test fails if it was not clean."""
    yield open_page()
    watch.assert_clean()


# ---------------------------------------------------------------------- the wizard

DESK = {"viewport": {"width": 1280, "height": 900}, "permissions": ["clipboard-read", "clipboard-write"]}
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="session")
def windows(browser):
    """Function: the window of a reader who stays in the wizard of a language, with what watches it; made once.

    Python takes seconds to start, so tests that are not about the start share it.
    """
    made = {}

    def window(lang: str, kind: str):
        if (lang, kind) not in made:
            context = browser.new_context(**(PHONE if kind == "phone" else DESK), service_workers="block")
            context.set_default_timeout(30_000)
            watch = Watch()
            watch.over(context)
            made[lang, kind] = context.new_page(), watch
        return made[lang, kind]

    yield window
    for page, _ in made.values():
        page.context.close()


_AFRESH = """() => {
  sessionStorage.clear();
  localStorage.clear();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  for (const field of document.querySelectorAll("[data-we-find]")) field.value = "";
  document.activeElement.blur();
  location.hash = "";
  scrollTo(0, 0);
}"""


@pytest.fixture
def wizard(windows, base):
    """Function that opens the wizard as if for the first time: wizard(lang, fragment, kind="desk" or "phone").

    The test fails if the page was not clean.
    """
    used = []

    def at(lang: str = "en", fragment: str = "", kind: str = "desk"):
        page, watch = windows(lang, kind)
        used.append(watch)
        watch.foreign.clear()
        watch.said.clear()
        page.set_viewport_size((PHONE if kind == "phone" else DESK)["viewport"])
        page.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")
        address = f"{base}{lang}/wizard/"
        if page.url.split("#")[0] == address:
            page.evaluate(_AFRESH)
            page.wait_for_selector("[data-we-intro]:not([hidden])", state="attached")
            if fragment:
                page.goto(address + fragment)
        else:
            page.goto(address + fragment)
        return page

    yield at
    for watch in used:
        watch.assert_clean()


@pytest.fixture(scope="session")
def wizard_address():
    """Function: address of the wizard in a language with a situation."""

    def address(base: str, lang: str = "en", state: str = TEAM) -> str:
        return f"{base}{lang}/wizard/{state}"

    return address


def answered(page, engine: str | None = None, complete: bool = False) -> None:
    """Wait until an answer is on the page: of an engine, with what-if if `complete`."""
    heading = "[data-we-result] .we-engine"
    page.wait_for_selector(heading)
    if engine:
        page.wait_for_function(
            "([css, name]) => document.querySelector(css)?.textContent.includes(name)", arg=[heading, engine]
        )
    if complete:
        page.wait_for_selector("[data-section=change]", state="attached")


def choose(page, css: str, value: str) -> None:
    """Choose from a list, which is complete once somebody turns to it."""
    page.focus(css)
    page.select_option(css, value)


_REACHED = """element => new Promise((resolve) => {
  element.scrollIntoView({ block: "center" });
  let last = NaN;
  const look = () => {
    const { top } = element.getBoundingClientRect();
    if (top === last) return resolve();
    last = top;
    requestAnimationFrame(look);
  };
  look();
})"""


def press(page, button: str) -> None:
    """Scroll to a button below the answer, as a reader does, and click it.

    Sections are laid out as they come into view; a click that is sent within the same frame as the scrolling could
    begin on the button and end beside it.
    """
    place = page.locator(button).first
    place.evaluate(_REACHED)
    place.click()


def copied(page, button: str) -> str:
    """Click a copy button and return what it put on the clipboard, which all tests share."""
    page.evaluate("() => navigator.clipboard.writeText('')")
    press(page, button)
    for _ in range(100):
        if text := page.evaluate("() => navigator.clipboard.readText()"):
            return text
        page.wait_for_timeout(100)
    raise AssertionError(f"{button} copied nothing")
