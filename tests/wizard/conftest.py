"""The real knowledge base, loaded once."""

import pytest

from knowledge.bundle import load_for_cli
from wizard.kb import KB
from wizard.texts import Texts

TODAY = "2026-11-30"


@pytest.fixture(scope="session")
def bundle():
    return load_for_cli()


@pytest.fixture(scope="session")
def kb(bundle):
    core, _, measurements = bundle
    return KB(core, measurements)


@pytest.fixture(scope="session", params=["en", "vi", "ru"])
def texts(request, bundle, kb):
    return Texts(bundle[1][request.param], request.param, kb.terms, strict=True)
