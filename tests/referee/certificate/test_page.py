"""The certificate's page: one sheet, in both languages, as HTML and PDF."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from calibration.certify.certificate import certify
from calibration.certify.observed import Clock, Observed
from calibration.table import table
from referee.certificate.page import as_html, as_pdf
from tests.calibration.certify.observations import SIZE, profile, whole

TRUE = profile()
GOOD = certify(TRUE, whole(TRUE, TRUE), when="2026-12-01T10:00:00+00:00")
WRONG = profile(np.array([[6, 0], [-6, 3], [4, 5], [0, -6]]))
BAD = certify(WRONG, whole(TRUE, WRONG, clock=Clock(900, 25.0), still=None), when="2026-12-01T10:00:00+00:00")
EMPTY = certify(TRUE, Observed("x.mp4", SIZE, Clock(100, 30.0), seen={"white": False}))


@pytest.mark.parametrize(("lang", "words"), [("ru", ("Сертификат установки стола", "ЗОЛОТО")), ("en", ("Certificate of a table", "GOLD"))])
def test_html_needs_nothing_beside_it(lang, words) -> None:
    page = as_html(GOOD, lang)
    assert f'<html lang="{lang}">' in page and all(word in page for word in words)
    assert page.count("<svg") == 1 and not re.search(r'(src|href)="https?:', page)


def test_what_falls_short_stands_on_the_page() -> None:
    page = as_html(BAD, "ru")
    assert "БЕЗ ОЦЕНКИ" in page and "калибруйте снова" in page and "неподвижный стол" in page


def test_pdf_is_one_page() -> None:
    data = as_pdf(BAD, "ru")
    assert data.startswith(b"%PDF-") and data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") == 1


def test_the_same_certificate_gives_the_same_page() -> None:
    assert as_pdf(GOOD, "en") == as_pdf(GOOD, "en")


def test_nothing_measured_and_no_pockets() -> None:
    assert "не измерено" in as_html(EMPTY, "ru")
    carom = profile(kind=table("carom-10ft"))
    assert as_pdf(certify(carom, Observed("x", SIZE, Clock(10, 30.0))), "en").startswith(b"%PDF-")


def test_names_of_files_are_escaped() -> None:
    odd = replace(GOOD, observed=replace(GOOD.observed, source="<b>&.mp4"))
    assert "<b>&" not in as_html(odd, "en")
