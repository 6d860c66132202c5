"""Times in a real Chromium: the first full answer, cold and warm, and from an input to the painted answer.

Cold is a browser with an empty profile, warm the same profile after the browser was closed and started
again. Seven starts each; medians count. Nothing is throttled.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

STARTS = 7
INPUTS = 25
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
STATE = "#v=1&devices=2*rtx-3090&model=qwen3-32b&serving=team&traffic.concurrency=4"
# Seconds from the start of the navigation to the first frame that shows an engine's name.
FIRST = """() => new Promise((done) => {
  const shown = () => document.querySelector('[data-we-result] .we-engine');
  const tell = () => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() / 1000)));
  if (shown()) return tell();
  new MutationObserver((_, observer) => { if (shown()) { observer.disconnect(); tell(); } })
    .observe(document.documentElement, { childList: true, subtree: true });
})"""
# Milliseconds from an input in the form to the frame after the result changed.
INPUT = """(value) => new Promise((done) => {
  const field = document.querySelector("[name='traffic.concurrency']");
  const result = document.querySelector('[data-we-result]');
  field.value = value;
  const started = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => { const c = new MessageChannel();
      c.port1.onmessage = () => done(performance.now() - started); c.port2.postMessage(0); });
  }).observe(result, { childList: true, subtree: true, characterData: true, attributes: true });
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
})"""


def rows() -> list[tuple[str, float, float, str]]:
    """(name, value, limit, unit) of each time."""
    from playwright.sync_api import sync_playwright

    from macros.site import serve
    from macros.site.paths import SITE

    server = serve.make(SITE)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/en/wizard/{STATE}"
    cold, warm, inputs = [], [], []
    with sync_playwright() as driver:
        for _ in range(STARTS):
            profile = tempfile.mkdtemp(prefix="which-engine-bench-")
            try:
                cold.append(_start(driver, profile, address)[0])
                first, after = _start(driver, profile, address, INPUTS if not inputs else 0)
                warm.append(first)
                inputs += after
            finally:
                shutil.rmtree(profile, ignore_errors=True)
    server.shutdown()
    return [
        (f"first full answer, cold, median of {STARTS}", statistics.median(cold), 2.7, "s"),
        (f"first full answer, warm, median of {STARTS}", statistics.median(warm), 2.0, "s"),
        (f"input to painted answer, median of {len(inputs)}", statistics.median(inputs), 50.0, "ms"),
    ]


def _start(driver, profile: str, address: str, inputs: int = 0) -> tuple[float, list[float]]:
    """Seconds to the first answer in a browser with this profile, and milliseconds of so many inputs."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    context = driver.chromium.launch_persistent_context(profile, executable_path=program, headless=True, args=FLAGS)
    try:
        page = context.pages[0] if context.pages else context.new_page()
        page.goto(address, wait_until="commit")
        first = page.evaluate(FIRST)
        after = []
        if inputs:
            page.wait_for_timeout(4000)  # what-if and measurements arrive after the answer
            for i in range(inputs):
                after.append(page.evaluate(INPUT, str(2 + i % 7)))
                page.wait_for_timeout(150)
        return first, after
    finally:
        context.close()


if __name__ == "__main__":
    for name, value, limit, unit in rows():
        print(f"{name:52}{value:9.2f} {unit}   limit {limit:g} {unit}")
