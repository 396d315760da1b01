"""`poedinok calibrate certify`: a video or a camera and a profile -> the certificate's page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration.certify.advice import BALL_NAMES, NAMES, STEP_NAMES, Said, advice, next_grade
from calibration.certify.certificate import Certificate, certify, nothing_recognised, one_picture, to_json
from calibration.certify.protocol import STEPS, Protocol, read_protocol, standard
from calibration.errors import UserError
from calibration.profile import Profile, read_profile, write_atomic
from calibration.source import check_output
from calibration.table import BALLS
from referee.ball_names import balls_named

_PAGES = (".html", ".htm", ".pdf")


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command; see `referee.cli`."""

    source: str
    profile: Path
    out: Path
    protocol: Path | None = None
    balls: str = ",".join(BALLS)
    json: Path | None = None
    weights: Path | None = None
    lang: str = "ru"


def run_certify(request: Request) -> str:
    """Measures, writes the page (and the JSON), and returns the lines for the terminal.

    Raises:
        UserError: an option or the source is wrong, not one step of the protocol was recognised, or all is one frozen picture.
    """
    _check_outputs(request)
    balls = balls_named(request.balls)
    profile = read_profile(request.profile)
    protocol = read_protocol(request.protocol, profile.table) if request.protocol else standard(profile.table)
    observed = _watched(request, profile, protocol, balls)
    certificate = certify(profile, observed, protocol, when=datetime.now(UTC).isoformat(timespec="seconds"))
    if one_picture(certificate):
        clock = certificate.observed.clock
        raise UserError(
            f"{request.source}: one frozen picture ({clock.frozen} of {clock.frames} frames repeat the one before): it tells"
            " no noise, flicker or shutter; expected a video as the camera sends it, with the steps of docs/CERTIFICATE.md"
        )
    if nothing_recognised(certificate):
        raise UserError(
            f"{request.source}: not one step of the protocol was recognised;"
            " expected balls at rest on the spots or against cushions, a rolling ball, or a still table (docs/CERTIFICATE.md)"
        )
    _write(certificate, request)
    return _told(certificate, request)


def _check_outputs(request: Request) -> None:
    """All that can be known to be wrong before the work."""
    if request.out.suffix.lower() not in _PAGES:
        raise UserError(f"--out {request.out}: expected a name that ends in .html or .pdf")
    for option, path in (("--out", request.out), ("--json", request.json)):
        if path is not None:
            check_output(option, path, [p for p in (request.source, request.profile, request.protocol) if p is not None])
    if request.json is not None and request.json.absolute() == request.out.absolute():
        raise UserError(f"--json {request.json}: expected another file than --out")


def _watched(request: Request, profile: Profile, protocol: Protocol, balls: tuple[str, ...]) -> Any:
    from referee.certificate.watching import Watching
    from vision.detect import DEFAULT_WEIGHTS, Detector

    network = Detector(request.weights) if request.weights or DEFAULT_WEIGHTS.is_file() else None
    watching = Watching(profile, balls, network)
    if request.source.isdecimal() or "://" in request.source:
        from referee.certificate.guide import lead

        lead(request.source, watching, profile, protocol, request.lang)
        return watching.observed(request.source)
    return _of_video(Path(request.source), watching, profile)


def _of_video(path: Path, watching: Any, profile: Profile) -> Any:
    from referee import terminal
    from vision.frames import Video
    from vision.pipeline import Progress

    with Video(path) as video, terminal.progress() as on_progress:
        profile.check(video.info.width, video.info.height)
        for frame in video:
            watching.take(frame)
            if on_progress and frame.index % 10 == 0:
                on_progress(Progress("frames", frame.index, video.info.frames))
    watching.finish()
    if watching.frames == 0:
        raise UserError(f"{path}: no picture can be decoded")
    return watching.observed(path.name)


def _write(certificate: Certificate, request: Request) -> None:
    from referee.certificate.page import as_html, as_pdf

    if request.out.suffix.lower() == ".pdf":
        write_atomic(request.out, as_pdf(certificate, request.lang))
    else:
        write_atomic(request.out, as_html(certificate, request.lang).encode())
    if request.json is not None:
        write_atomic(request.json, (json.dumps(to_json(certificate), ensure_ascii=False, indent=1) + "\n").encode())


_GRADES = {
    "gold": Said("золото", "gold"),
    "silver": Said("серебро", "silver"),
    "bronze": Said("бронза", "bronze"),
    "none": Said("без оценки", "none"),
}
_NEXT = {"gold": Said("золота", "gold"), "silver": Said("серебра", "silver"), "bronze": Said("бронзы", "bronze")}


def _told(certificate: Certificate, request: Request) -> str:
    """The lines for the terminal."""
    lang, c = request.lang, certificate
    say = lambda ru, en: Said(ru, en)(lang)  # noqa: E731
    lines = [f"{say('оценка', 'grade')}: {_GRADES[c.grade](lang)}"]
    accuracy = c.values["accuracy"]
    if accuracy is not None:
        lines.append(f"{NAMES['accuracy'](lang)}: {accuracy:g} {say('мм', 'mm')}")
    else:
        lines.append(f"{NAMES['accuracy'](lang)}: {say('не измерено', 'not measured')}")
    missing = [STEP_NAMES[step](lang) for step in STEPS if not c.steps[step]]
    if missing:
        lines.append(f"{say('не измерено', 'not measured')}: {', '.join(missing)}")
    unseen = [BALL_NAMES[ball](lang) for ball, seen in c.observed.seen.items() if not seen]
    if unseen:
        lines.append(f"{say('не измерены шары', 'balls never measured')}: {', '.join(unseen)}")
    better = next_grade(c)
    for tip in advice(c):
        lines.append(f"  {say('до', 'for')} {_NEXT[better or 'gold'](lang)}: {tip.why(lang)} — {tip.change(lang)}")
    lines += [f"{say('замечание', 'note')}: {Said(*note)(lang)}" for note in c.observed.notes]
    files = [str(request.out)] + ([str(request.json)] if request.json else [])
    return "\n".join([*lines, f"{say('записано', 'written')}: {', '.join(files)}"])
