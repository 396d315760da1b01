"""`poedinok live`: checks what is asked for, starts the table, and serves its pages until it is told to stop."""

from __future__ import annotations

import os
from pathlib import Path

from calibration.errors import UserError
from calibration.profile import read_profile
from calibration.table import BALLS
from referee.ball_names import balls_named
from referee.callfile import read_calls
from referee.live.access import Access
from referee.live.address import address_of
from referee.live.service import Options, Service


def run_live(
    source: str, profile: Path, *, data: Path | None = None, port: int = 8080, host: str = "127.0.0.1", pin: str | None = None,
    balls: str = ",".join(BALLS), weights: Path | None = None, loop: bool = False, record: bool = True, rate: int | None = None,
    lang: str = "ru", calls: Path | None = None, delay: float = 0.0,
) -> None:  # fmt: skip
    """Referees a live source until Ctrl+C. A file waits at its first picture for a game, and `calls` are said in it at their times.

    Args:
        delay: s by which the source's pictures are late.

    Raises:
        UserError: the source, the calls, the delay, the profile, the data folder, the port or the PIN is not what it should be.
    """
    known = read_profile(profile)
    if not known.table.pockets:
        raise UserError(f"{profile}: {known.table.name} has no pockets; the game is refereed on tables with pockets only")
    address = address_of(source, size=(known.camera.width, known.camera.height), rate=rate)
    if loop and not address.paced:
        raise UserError("--loop: expected a video file as SOURCE")
    if calls is not None and not address.paced:
        raise UserError(f"--calls {calls}: expected a video file as SOURCE; over a camera calls are said at the console")
    if not 0.0 <= delay <= 60.0:
        raise UserError(f"--delay {delay:g}: expected seconds from 0 to 60")
    said = read_calls(calls) if calls is not None else ()
    if set(balls_named(balls)) != set(BALLS):
        raise UserError(f"--balls {balls}: the game needs {','.join(BALLS)}")
    access = Access(host, pin if pin is not None else os.environ.get("POEDINOK_PIN") or None)
    from referee.web import serve

    listening = serve.open_socket(host, port)
    folder = data or Path("poedinok-live")
    options = Options(address, known, folder, BALLS, weights, loop, record, address.paced, said, delay)
    try:
        with Service(options) as service:
            from referee.live.api import router
            from referee.live.pages import register_pages

            routes = router(service, access)
            routes.include_router(register_pages(service, access, lang))
            _calibration(service, profile, lang)
            serve.serve(
                listening, host, title="Poedinok", path="/console", on_ready=lambda url: _say(url.removesuffix("console"), service, access),
                routes=routes, allow=access.may_open,
            )  # fmt: skip
    finally:
        listening.close()


def _calibration(service: Service, profile: Path, lang: str) -> None:
    """The calibration page over the live camera: it writes the profile that `live` was started with."""
    from calibration.profile import Profile, write_profile
    from referee.live.stills import LiveStills
    from referee.web.calibrate_page import register_calibrate_page

    known = service.options.profile

    def save(made: Profile) -> str:
        write_profile(made, profile)
        return f"{profile}"

    register_calibrate_page(
        "/calibrate", LiveStills(service), known.table, save, target=str(profile), home=known.home or None, language=lang
    )  # fmt: skip


def _say(url: str, service: Service, access: Access) -> None:
    print(f"console     {url}console" + ("" if access.open else "   (asks for the PIN)"))
    print(f"scoreboard  {url}scoreboard")
    print(f"overlay     {url}overlay   (browser source of OBS)")
    print(f"data        {service.options.data}   (Ctrl+C ends; the match goes on at the next start)", flush=True)
    if service.capture.held:
        print("the file waits for a game to begin: begin one at the console", flush=True)
