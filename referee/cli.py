"""The command line. Each command only reads its options and hands over; what is heavy is imported when it is needed,
so that `poedinok --help` answers at once.

Exit status: 0 done, 2 bad input (one line on standard error), 130 interrupted, 1 when the reader of a pipe left (quietly).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from calibration.errors import UserError

Home = Literal["left", "right", "top", "bottom"]
Language = Literal["ru", "en"]

# what only an extra installs -> its name
_EXTRAS = {
    "torch": "train", "ultralytics": "train", "onnx": "train",
    "numba": "simulate", "pooltool": "simulate", "panda3d": "simulate", "quaternion": "simulate",
}  # fmt: skip

_CALIBRATE_TASKS = ("lens", "certify")
_TABLES = "A kind: pyramid-12ft (11, 10, 9, 8, 7), snooker-12ft, pool-9ft (8, 7), carom-10ft (9)."

app = typer.Typer(
    name="poedinok",
    help="Automatic referee for the Russian-billiards game Poedinok: video in, refereed match out.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ProfileOption = Annotated[Path | None, typer.Option("--profile", metavar="PROFILE.toml", help="Where the table is (from `calibrate`).")]
WeightsOption = Annotated[
    Path | None, typer.Option("--weights", metavar="FILE", help="Another detector (.onnx, or .pt with the train extra).")
]
HomeOption = Annotated[Home | None, typer.Option("--home", help="The side of the picture where the house is.")]


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if show_version:
        from referee.version import version

        typer.echo(f"poedinok {version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


@app.command()
def analyze(
    video: Annotated[Path, typer.Argument(metavar="VIDEO", help="The video of a match.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for match.json, tracks.csv, report.html.")],
    profile: ProfileOption = None,
    calls: Annotated[Path | None, typer.Option("--calls", metavar="CALLS", help="Calls: SRT, WebVTT, or CSV `video_t,call`.")] = None,
    balls: Annotated[str, typer.Option("--balls", metavar="NAMES", help="The balls to expect.")] = "white,yellow,red,black",
    weights: WeightsOption = None,
    annotate: Annotated[bool, typer.Option("--annotate", help="Write annotated.mp4 too.")] = False,
    home: HomeOption = None,
    start: Annotated[Path | None, typer.Option("--start", metavar="STATE.json", help="The state of the game at the start.")] = None,
    players: Annotated[str | None, typer.Option("--players", metavar="A,B", help="Names of the two players.")] = None,
    target: Annotated[int | None, typer.Option("--target", metavar="N", help="Points that win the game.")] = None,
    rerun: Annotated[
        Path | None, typer.Option("--rerun", metavar="FILE.rrd", help="Write a recording to step through (needs the rerun extra).")
    ] = None,
    timings: Annotated[bool, typer.Option("--timings", help="Print where the time went.")] = False,
    lang: Annotated[Language, typer.Option("--lang", help="Language of the report and the annotated video.")] = "ru",
    export_dataset: Annotated[
        Path | None,
        typer.Option("--export-dataset", metavar="FOLDER", help="Write doubtful frames with labels to correct (docs/FORMATS.md)."),
    ] = None,
    export_frames: Annotated[int, typer.Option("--export-frames", metavar="N", min=1, help="How many of them at most.")] = 100,
) -> None:
    """Referee a video of a match."""
    from referee import analyze as work
    from referee import terminal

    request = work.Request.read(
        video, out, profile=profile, calls=calls, balls=balls, weights=weights, annotate=annotate, home=home,
        start=start, players=players, target=target, lang=lang, rerun=rerun, dataset=export_dataset, dataset_frames=export_frames,
    )  # fmt: skip
    with terminal.progress() as on_progress:
        result = work.run(request, on_progress)
    terminal.summary(result, timings=timings)
    if result.doubtful is not None:
        typer.echo(
            f"{result.doubtful} doubtful frames to correct: {export_dataset}" if result.doubtful else "no doubtful frames to correct"
        )


@app.command()
def calibrate(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="An image, a video file, a camera number or a stream address.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="PROFILE.toml", help="The profile to write.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help=_TABLES)] = None,
    size: Annotated[str | None, typer.Option("--size", metavar="LxW", help="Nose-to-nose size in mm, such as 3550x1775.")] = None,
    corners: Annotated[
        str | None,
        typer.Option("--corners", metavar="PIXELS", help='Nose corners "x,y x,y x,y x,y": home-right, home-left, foot-left, foot-right.'),
    ] = None,
    ball_mm: Annotated[float | None, typer.Option("--ball-mm", metavar="MM", help="Diameter of a ball.")] = None,
    home: HomeOption = None,
    overlay: Annotated[
        Path | None,
        typer.Option("--overlay", metavar="PNG", help="Write the picture with the table drawn in; after a refusal, with what was seen."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Take the named table even if the picture shows another kind.")] = False,
    lens: Annotated[Path | None, typer.Option("--lens", metavar="LENS.toml", help="The camera's lens (from `calibrate lens`).")] = None,
    near: Annotated[str | None, typer.Option("--near", metavar="X,Y", help="A point on the table meant, if several are in view.")] = None,
    refine: Annotated[
        bool, typer.Option("--refine", help="Follow the balls of the video too; their straight ways improve the lens.")
    ] = False,
    page: Annotated[bool, typer.Option("--page", help="Open a page to look, drag the corners and save (to table.toml).")] = False,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port of the page.")] = 8090,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Who may open the page; 0.0.0.0: the network.")] = "127.0.0.1",
    lang: Annotated[Language, typer.Option("--lang", help="Language of the page.")] = "ru",
) -> None:
    """Find the table in a picture and write its profile.

    Without --page, --out is needed. Kinds of tables, and what a profile holds: docs/PROFILE.md. Two more commands:
    `poedinok calibrate lens` measures a camera's lens with a printed board, `poedinok calibrate certify` grades a set-up.
    """
    if page:
        from referee.web.calibrate_command import run_page

        unused = {"--corners": corners, "--overlay": overlay, "--lens": lens, "--near": near, "--force": force, "--refine": refine}
        for option, value in unused.items():
            if value:  # never left out silently
                raise UserError(f"calibrate --page: {option} is for the command without the page")
        run_page(
            source, out or Path("table.toml"), table=table, size=size, ball_mm=ball_mm, home=home,
            host=host, port=port, language=lang, say=typer.echo,
        )  # fmt: skip
        return
    if out is None:
        raise UserError("calibrate: expected --out PROFILE.toml")
    from calibration.command import run_calibrate

    done = run_calibrate(
        source, out, table=table, size=size, corners=corners, ball_mm=ball_mm, home=home, overlay=overlay, force=force, lens=lens,
        near=near, ask=input if sys.stdin.isatty() and sys.stdout.isatty() else None,
    )  # fmt: skip
    typer.echo(done)
    if refine:
        from referee.refine_command import run_refine

        typer.echo(run_refine(source, out))


@app.command("calibrate lens", hidden=True)
def calibrate_lens(
    sources: Annotated[list[str] | None, typer.Argument(metavar="PICTURES…|VIDEO", help="Pictures or a video of a board.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="LENS.toml", help="The lens to write.")] = None,
    board: Annotated[Literal["charuco", "checkerboard"], typer.Option("--board", help="The kind of board.")] = "charuco",
    squares: Annotated[str, typer.Option("--squares", metavar="NxM", help="Squares along both sides.")] = "9x6",
    square_mm: Annotated[float, typer.Option("--square-mm", metavar="MM", help="Side of a square, measured on the print.")] = 25.0,
    marker_mm: Annotated[float | None, typer.Option("--marker-mm", metavar="MM", help="Side of a mark (0.72 of a square).")] = None,
    print_to: Annotated[Path | None, typer.Option("--print", metavar="BOARD.pdf|png", help="Write a board to print instead.")] = None,
) -> None:
    """Measure a camera's lens with a printed board (docs/LENS.md)."""
    from calibration.lens_command import run_calibrate_lens

    typer.echo(
        run_calibrate_lens(sources or [], out, board=board, squares=squares, square_mm=square_mm, marker_mm=marker_mm, print_to=print_to)
    )


@app.command("calibrate certify", hidden=True)
def calibrate_certify(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A video of the protocol, a camera number or a stream address.")],
    profile: Annotated[Path, typer.Option("--profile", metavar="PROFILE.toml", help="The set-up to certify.")],
    out: Annotated[Path, typer.Option("--out", metavar="CERT", help="The page to write: .html or .pdf.")],
    protocol: Annotated[Path | None, typer.Option("--protocol", metavar="PROTOCOL.toml", help="Other known places and reaches.")] = None,
    balls: Annotated[str, typer.Option("--balls", metavar="NAMES", help="The balls to expect.")] = "white,yellow,red,black",
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers too.")] = None,
    weights: WeightsOption = None,
    lang: Annotated[Language, typer.Option("--lang", help="Language of the page.")] = "ru",
) -> None:
    """Measure how good a table's set-up is, and write its certificate (docs/CERTIFICATE.md)."""
    from referee.certify_command import Request, run_certify

    typer.echo(run_certify(Request(source, profile, out, protocol, balls, json, weights, lang)))


@app.command()
def detect(
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURES…", help="Pictures to look at.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.json", help="Where the balls are written.")],
    weights: WeightsOption = None,
) -> None:
    """Find the balls in pictures."""
    from vision.detect_command import run_detect

    found = run_detect(pictures, out, weights)
    typer.echo(f"{found} balls in {len(pictures)} pictures: {out}")


@app.command()
def adjudicate(
    case: Annotated[
        Path | None,
        typer.Argument(metavar="CASE.json", help="A stroke (JSON), strokes or a match (notation); - for standard input.", allow_dash=True),
    ] = None,
    lines: Annotated[Path | None, typer.Option("--lines", metavar="CASES.jsonl", help="Many strokes, one a line.", allow_dash=True)] = None,
    explain: Annotated[Language | None, typer.Option("--explain", help="Print the explanation alone, in this language.")] = None,
) -> None:
    """Rule on one stroke, or on many."""
    from referee.adjudicate_command import run_adjudicate

    raise typer.Exit(run_adjudicate(case, lines, explain))


@app.command("parse-call")
def parse_call(
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What the player announced, Russian or English.")] = None,
    cue: Annotated[Literal["white", "yellow"], typer.Option("--cue", help="The cue ball.")] = "white",
    lines: Annotated[Path | None, typer.Option("--lines", metavar="FILE", help="Many calls, one a line.", allow_dash=True)] = None,
) -> None:
    """Print the structured call of a text."""
    from referee.calls.command import run_parse_call

    raise typer.Exit(run_parse_call(text, cue, lines))


@app.command()
def notation(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="match.json, a journal, or a match in notation.", allow_dash=True)],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write there instead of printing.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="The table of a journal, such as pyramid-12ft.")] = None,
) -> None:
    """Write a match in notation, or read one back as a journal."""
    from referee.notation_command import run_notation

    raise typer.Exit(run_notation(source, out, table))


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that analyze wrote.")],
    form: Annotated[
        Literal["mot", "coco", "yolo", "soccernet", "srt", "vtt", "chapters"],
        typer.Option("--format", help="Tracks (mot), labelled balls (coco, yolo), events (soccernet), subtitles, a copy with chapters."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE|DIR", help="The file to write; for coco and yolo a new folder.")],
    video: Annotated[list[Path] | None, typer.Option("--video", metavar="FILE|DIR", help="Where the video is, if it was moved.")] = None,
    profile: ProfileOption = None,
    step: Annotated[float, typer.Option("--step", metavar="S", help="Seconds between the pictures of coco and yolo.")] = 1.0,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Write the pictures of coco and yolo too.")] = True,
    lang: Annotated[Language, typer.Option("--lang", help="Language of subtitles and chapters.")] = "ru",
) -> None:
    """Write an analysis in another program's format."""
    from referee.formats_command import run_export

    typer.echo(run_export(folder, form, out, lang=lang, profile=profile, videos=video or (), step=step, pictures=pictures))


@app.command()
def clips(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders that analyze or batch wrote.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the clips and clips.csv.")],
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="N", help="Strokes ruled by it: 8.4, 9, 12.3; may be repeated.")
    ] = None,
    outcome: Annotated[Literal["scored", "no_score", "foul"] | None, typer.Option("--outcome", help="Strokes that ended so.")] = None,
    points: Annotated[int, typer.Option("--points", metavar="N", help="Strokes that brought at least N points.")] = 0,
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Strokes of this player.")] = None,
    stroke: Annotated[list[int] | None, typer.Option("--stroke", metavar="N", help="This stroke; may be repeated.")] = None,
    unsettled: Annotated[bool, typer.Option("--unsettled", help="Strokes with something to check too.")] = False,
    before: Annotated[float, typer.Option("--before", metavar="S", help="Seconds before the strike.")] = 2.0,
    after: Annotated[float, typer.Option("--after", metavar="S", help="Seconds after the last ball rests.")] = 1.5,
    video: Annotated[list[Path] | None, typer.Option("--video", metavar="FILE|DIR", help="Where the videos are, if moved.")] = None,
    lang: Annotated[Language, typer.Option("--lang", help="Language of the rulings in clips.csv.")] = "ru",
) -> None:
    """Cut strokes out of the videos.

    For example `poedinok clips DIR --rule 8.4 --out CLIPS`.
    """
    from referee.formats.clips import Choice
    from referee.formats_command import run_clips

    choice = Choice(tuple(rule or ()), outcome, points, player, tuple(stroke or ()), unsettled)
    count = run_clips(folders, out, choice, videos=video or (), lang=lang, before=before, after=after, on_clip=typer.echo)
    typer.echo(f"{count} {'clip' if count == 1 else 'clips'}: {out}")


@app.command()
def simulate(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="A scenario file, the name of a shipped one, `list`, or `pictures` (a data set).")
    ],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the video and its truth are written.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of textures, noise and random looks.")] = 0,
    size: Annotated[str | None, typer.Option("--size", metavar="WxH", help="Size of the picture, such as 1280x720.")] = None,
    fps: Annotated[str | None, typer.Option("--fps", metavar="RATE", help="Frames a second, such as 60 or 60000/1001.")] = None,
    hall: Annotated[
        int | None, typer.Option("--hall", metavar="N", min=0, help="Film in hall N: table, light, camera, panels; any number.")
    ] = None,
    pictures: Annotated[int, typer.Option("--pictures", metavar="N", help="Of `pictures`: how many stills with labels.")] = 1000,
    negatives: Annotated[float, typer.Option("--negatives", metavar="SHARE", help="Of `pictures`: the share of hard negatives.")] = 0.1,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Of `pictures`: processes that draw.")] = 1,
) -> None:
    """Play and film simulated strokes, or draw still pictures with labels (needs the simulate extra)."""
    if out is None and scenario != "list":
        raise UserError("simulate: expected --out DIR")
    from referee import simulate_command

    if scenario == "pictures":
        simulate_command.draw(out or Path(), size, fps, pictures, seed, negatives, workers, hall)
    else:
        raise typer.Exit(simulate_command.film(scenario, out or Path(), size, fps, seed, hall))


@app.command()
def train(
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="Corrected frames in YOLO's form (docs/FORMATS.md).")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.onnx", help="The detector to write.")] = Path("balls-club.onnx"),
    weights: Annotated[
        Path | None, typer.Option("--weights", metavar="FILE", help="What to start from (.onnx, .pt); else the shipped.")
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", metavar="N", min=1, help="Passes over the pictures at most.")] = 20,
    rate: Annotated[float, typer.Option("--rate", metavar="X", help="Learning rate at its highest.")] = 2e-4,
    batch: Annotated[int, typer.Option("--batch", metavar="N", min=1, help="Pictures a step.")] = 8,
    side: Annotated[int, typer.Option("--side", metavar="PX", help="Of the windows that are learnt from.")] = 256,
    rendered: Annotated[int, typer.Option("--rendered", metavar="N", help="Rendered pictures to mix in.")] = 400,
    checks: Annotated[int, typer.Option("--checks", metavar="N", help="Rendered pictures to see that nothing is forgotten.")] = 60,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of the order and the changes of the pictures.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was broken off.")] = False,
) -> None:
    """Teach the detector a club's own corrected frames (needs the train and simulate extras).

    The result is written only if it does better on the frames held out and no worse on rendered checks; exit status 1 if not.
    """
    from referee.train_command import Request, run_train

    request = Request(data, out, weights, epochs, rate, batch, side, rendered, checks, seed, resume)
    raise typer.Exit(0 if run_train(request, typer.echo) else 1)


@app.command()
def live(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A camera number, a stream address or a video file (at real speed).")],
    profile: Annotated[Path, typer.Option("--profile", metavar="PROFILE.toml", help="Where the table is (from `calibrate`).")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Where matches and recordings are kept.")] = None,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port of the pages.")] = 8080,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; 0.0.0.0: the whole network.")] = "127.0.0.1",
    pin: Annotated[str | None, typer.Option("--pin", metavar="PIN", help="Opens the console; or POEDINOK_PIN.")] = None,
    balls: Annotated[str, typer.Option("--balls", metavar="NAMES", help="The balls to expect.")] = "white,yellow,red,black",
    weights: WeightsOption = None,
    loop: Annotated[bool, typer.Option("--loop", help="Play a file again and again.")] = False,
    record: Annotated[bool, typer.Option("--record/--no-record", help="Keep the recording, for replays.")] = True,
    rate: Annotated[int | None, typer.Option("--rate", metavar="FPS", help="Frames a second to ask a camera for.")] = None,
    lang: Annotated[Language, typer.Option("--lang", help="Language of the pages.")] = "ru",
    calls: Annotated[Path | None, typer.Option("--calls", metavar="CALLS", help="Calls for a video file: SRT, WebVTT or CSV.")] = None,
    delay: Annotated[float, typer.Option("--delay", metavar="S", help="By how many seconds the camera's pictures are late.")] = 0.0,
) -> None:
    """Referee live over a table: console, scoreboard, overlay, replay."""
    from referee.live.command import run_live

    run_live(
        source, profile, data=data, port=port, host=host, pin=pin, balls=balls, weights=weights, loop=loop, record=record, rate=rate,
        lang=lang, calls=calls, delay=delay,
    )  # fmt: skip


@app.command()
def batch(
    videos: Annotated[
        list[str], typer.Argument(metavar="VIDEOS…", help="Files, folders, patterns, addresses (s3://…), or a CSV manifest.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder with one folder a video, and batch.json.")],
    engine: Annotated[Literal["local", "ray"], typer.Option("--engine", help="Where the work is done.")] = "local",
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Videos at once; by default as many as fit.")] = None,
    address: Annotated[str | None, typer.Option("--address", metavar="HOST:PORT", help="The Ray cluster; none: one for this run.")] = None,
    profile: ProfileOption = None,
    profiles: Annotated[list[Path] | None, typer.Option("--profiles", metavar="DIR", help="A folder with profiles to choose from.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="The table, where it is calibrated here.")] = None,
    size: Annotated[str | None, typer.Option("--size", metavar="LxW", help="Or its nose-to-nose size in mm.")] = None,
    ball_mm: Annotated[float | None, typer.Option("--ball-mm", metavar="MM", help="Diameter of a ball.")] = None,
    balls: Annotated[str, typer.Option("--balls", metavar="NAMES", help="The balls to expect.")] = "white,yellow,red,black",
    weights: WeightsOption = None,
    annotate: Annotated[bool, typer.Option("--annotate", help="Write annotated.mp4 too.")] = False,
    home: HomeOption = None,
    players: Annotated[str | None, typer.Option("--players", metavar="A,B", help="Names of the two players.")] = None,
    target: Annotated[int | None, typer.Option("--target", metavar="N", help="Points that win the game.")] = None,
    lang: Annotated[Language, typer.Option("--lang", help="Language of the reports.")] = "ru",
    force: Annotated[bool, typer.Option("--force", help="Do again what is finished.")] = False,
    db: Annotated[str | None, typer.Option("--db", metavar="ADDRESS", help="The season's database that matches are put into.")] = None,
) -> None:
    """Referee many videos; what is finished is not done again."""
    from referee.batch.settings import from_options
    from referee.batch_command import run_batch_command

    settings = from_options(
        profile=profile, table=table, size=size, ball_mm=ball_mm, balls=balls, weights=weights, annotate=annotate, home=home,
        players=players, target=target, lang=lang,
    )  # fmt: skip
    status = run_batch_command(
        videos, out, settings, engine=engine, workers=workers, address=address, profiles=profiles or (), force=force,
        on_finished=_recorder(db),
    )  # fmt: skip
    raise typer.Exit(status)


def _recorder(db: str | None) -> Any:
    """What puts each finished match into a database, if there is to be one."""
    if db is None:
        return None
    from referee.season.store import database_url
    from referee.season_command import Recorder

    database_url(db)  # an address that cannot be one is known before the night
    return Recorder(db)


@app.command()
def report(
    out: Annotated[Path, typer.Option("--out", metavar="SEASON.html", help="The page.")],
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="DIRS_OR_DB…", help="Folders of `analyze` or `batch`, databases (file or address).")
    ] = None,
    db: Annotated[str | None, typer.Option("--db", metavar="ADDRESS", help="Put the folders in this database; report all of it.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="DIR", help="Write all tables as CSV.")] = None,
    parquet: Annotated[Path | None, typer.Option("--parquet", metavar="DIR", help="Write all tables as Parquet.")] = None,
    lang: Annotated[Language, typer.Option("--lang", help="Language shown first.")] = "ru",
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="One player's matches and statistics.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="From this day on (2026-03-01).")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Up to this day.")] = None,
) -> None:
    """Make the page and the tables of a season of matches."""
    from referee.season_command import run_report

    typer.echo(run_report(sources or (), out, db=db, csv=csv, parquet=parquet, lang=lang, player=player, since=since, until=until))


def _joined(arguments: Sequence[str]) -> list[str]:
    """`calibrate lens …` is the command "calibrate lens": `calibrate` itself takes any SOURCE (a file called lens is ./lens)."""
    words = list(arguments)
    if len(words) > 1 and words[0] == "calibrate" and words[1] in _CALIBRATE_TASKS:
        return [f"calibrate {words[1]}", *words[2:]]
    return words


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status and never shows a traceback for what a user can cause."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of players and calls are Cyrillic, and not every terminal's coding has them
            stream.reconfigure(errors="backslashreplace")
    try:
        return int(app(args=_joined(sys.argv[1:] if arguments is None else arguments), prog_name="poedinok", standalone_mode=False) or 0)
    except UserError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        return _fail(error.format_message().replace("Value error, ", ""))  # how typer's own library begins it
    except (KeyboardInterrupt, typer.Abort):
        print("poedinok: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Python flushes standard output once more at exit; without a reader that would be a second error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").split(".")[0])
        if extra is None:
            raise
        return _fail(f"{error.name} is not installed: expected the {extra} extra (pip install 'poedinok[{extra}]')")
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _fail(message: str) -> int:
    print("poedinok: " + " ".join(message.split()), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
