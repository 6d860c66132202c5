"""For everyone: magnified to 200 %, with reduced motion, by keyboard in the order of the eye, with a shaky hand."""

from __future__ import annotations

import pytest

from tests.site.conftest import LANGUAGES, TEAM, answered
from tests.site.test_pages import too_wide

# Text that its box cuts off. Lists of a browser and the one-line command are cut with an ellipsis by intent: the first
# shows all of it when opened, the second is whole below; what is for screen readers alone is not seen at all.
CUT = """() => [...document.querySelectorAll('body *')].filter(e => {
  if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) return false;
  if (e.closest('select, .we-strip, .md-search, .md-sidebar, dialog:not([open])')) return false;
  const style = getComputedStyle(e);
  if (style.overflowX === 'visible' || style.clipPath !== 'none' || e.clientWidth <= 1) return false;
  if (/auto|scroll/.test(style.overflowX)) return false;
  const text = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return text && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2);
}).map(e => e.className + ': ' + e.textContent.trim().slice(0, 60))"""




@pytest.fixture
def shown(wizard):
    """Function that opens the wizard in a language with an answer and everything of the form in sight."""

    def at(lang: str):
        page = wizard(lang, TEAM + "&context.tokens=65536")
        answered(page, complete=True)
        if page.locator("#wf-operations").get_attribute("open") is None:
            page.click("#wf-operations summary")
        return page

    return at


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_is_cut(shown, lang):
    """A window of 1280 x 900 magnified to 200 % is one of 640 x 450."""
    page = shown(lang)
    for width, height in ((1280, 900), (640, 450), (320, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("document.querySelector('.wf').classList.remove('wf-folded')")
        assert too_wide(page) <= 0, width
        assert page.evaluate(CUT) == [], width
        for group in ("hardware", "model"):
            page.click(f"[data-we-intake={group}]")
            page.wait_for_selector(f"[data-we-dialog={group}][open]")
            assert page.evaluate(CUT) == [], width
            page.keyboard.press("Escape")


@pytest.mark.parametrize(("lang", "address"), [("ru", ""), ("vi", "engines/vllm/"), ("en", "formats/")])
def test_other_pages_at_200_percent(open_page, base, lang, address):
    page = open_page(viewport=(640, 450), device_scale_factor=2)
    page.goto(f"{base}{lang}/{address}")
    assert too_wide(page) <= 0
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_targets_are_large_enough_for_a_pointer(shown, lang):
    """24 x 24 at least, or as much room around it (WCAG 2.2, 2.5.8); links inside sentences are free of that."""
    page = shown(lang)
    small = page.evaluate(
        """() => { const all = [...document.querySelectorAll('.wf :is(button, select, input, summary)')]
             .filter(e => e.checkVisibility() && !e.closest('dialog'));
           const box = e => (e.labels?.length && e.matches('[type=radio], [type=checkbox]') ? e.labels[0] : e)
             .getBoundingClientRect();
           return all.filter(e => box(e).width < 24 || box(e).height < 24)
             .filter(e => { const b = box(e), x = b.x + b.width / 2, y = b.y + b.height / 2;
               return all.some(o => o !== e && ![...e.labels ?? []].some(l => l.contains(o)) && (() => { const c = box(o);
                 const dx = Math.max(c.left - x, 0, x - c.right), dy = Math.max(c.top - y, 0, y - c.bottom);
                 return Math.hypot(dx, dy) < 12; })()); })
             .map(e => [e.name || e.className || e.textContent, Math.round(box(e).width), Math.round(box(e).height)]);
        }"""
    )
    assert small == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_keyboard_follows_the_eye(shown, lang):
    """Tab goes down the form and then down the answer, and what has the focus shows it."""
    page = shown(lang)
    page.focus("[data-we-copy-link]")
    stops = []
    while not stops or stops[-1]["form"]:
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                """() => { const e = document.activeElement, seen = e.type === 'radio' ? e.nextElementSibling : e;
                     const style = getComputedStyle(seen), field = e.closest('[data-field], p') ?? e;
                     return {form: !!e.closest('form'), y: field.getBoundingClientRect().bottom + scrollY,
                             name: e.name || e.className, after: !!e.closest('.wf-recent, .wf-main'),
                             ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2}; }"""
            )
        )
    *form, last = stops
    assert 25 < len(form) < 60 and last["after"]
    assert [stop["name"] for stop in form if not stop["ring"]] == []
    for before, after in zip(form, form[1:], strict=False):
        assert after["y"] >= before["y"] - 2, (before, after)


def test_with_reduced_motion_nothing_moves(shown):
    page = shown("en")
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        """() => [...document.querySelectorAll('.wf, .wf *')].filter(e => {
             const {transitionDuration, transitionProperty, animationName, scrollBehavior} = getComputedStyle(e);
             const moves = /transform|all|top|left|height|width/.test(transitionProperty);
             const lasts = transitionDuration.split(',').some(d => parseFloat(d) > 0.01);
             return (moves && lasts) || animationName !== 'none' || scrollBehavior === 'smooth';
           }).map(e => e.className)"""
    )
    assert moving == []
    page.evaluate(
        """() => { window.real = Element.prototype.scrollIntoView;
             Element.prototype.scrollIntoView = function (how) { window.how = how?.behavior; }; }"""
    )
    page.click("[data-we-assumptions] button")
    page.evaluate("() => { Element.prototype.scrollIntoView = window.real; }")
    assert page.evaluate("window.how") == "auto"
