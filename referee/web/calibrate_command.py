"""`poedinok calibrate SOURCE --page`: the calibration page of one source, served until it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from calibration.command import chosen_table
from calibration.errors import UserError
from calibration.orientation import HOME_SIDES
from calibration.profile import Profile, write_profile
from calibration.source import check_output


def run_page(
    source: str,
    out: Path,
    *,
    table: str | None = None,
    size: str | None = None,
    ball_mm: float | None = None,
    home: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8090,
    language: str = "ru",
    say: Callable[[str], None] = print,
) -> None:
    """Serves the page until Ctrl+C or until its visitor has finished.

    Raises:
        UserError: a source that cannot be read, a folder that is missing, a port in use, wrong options.
    """
    kind, chosen = chosen_table(table, size, ball_mm)
    if home is not None and home not in HOME_SIDES:
        raise UserError(f"--home {home!r}: expected one of {', '.join(HOME_SIDES)}")
    target = out.absolute()
    check_output("--out", out, [source])
    from referee.web.serve import open_browser, open_socket, serve, stop
    from referee.web.stills import SourceStills

    listening = open_socket(host, port)
    try:
        stills = SourceStills(source)
    except UserError:
        listening.close()
        raise
    from referee.web.calibrate_page import register_calibrate_page

    def save(profile: Profile) -> str:
        write_profile(profile, target)
        say(f"written {out}")
        return str(target)

    def ready(address: str) -> None:
        say(f"calibration page: {address}")
        if host not in ("127.0.0.1", "localhost", "::1"):
            say("warning anyone who can reach this address can use the page")
        say("stop with Ctrl+C")
        open_browser(address)

    register_calibrate_page(
        "/", stills, kind, save, chosen=chosen, target=str(target), replaces=target.exists(), home=home, language=language, on_finish=stop
    )
    serve(listening, host, title="Poedinok", on_ready=ready)
