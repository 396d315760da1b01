"""Which videos the arguments of a batch mean, and what is wrong with a manifest, by line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import UserError
from referee.batch.inputs import read_sources
from referee.batch.settings import Settings, checked, from_options


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    for name in ("b.mp4", "a.MKV", "notes.txt", ".hidden.mp4", "deep/er/c.mov", "out/a/annotated.mp4"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path


def names(videos: Path, *arguments: str, options: Settings | None = None) -> list[str]:
    sources = read_sources(arguments, options or Settings(), videos / "out")
    return [s.problem or str(Path(s.video).relative_to(videos)) for s in sources]


def test_a_folder_is_searched_but_not_the_results_in_it(videos: Path) -> None:
    assert names(videos, str(videos)) == ["a.MKV", "b.mp4", "deep/er/c.mov"]


def test_patterns_and_files_each_once(videos: Path) -> None:
    assert names(videos, str(videos / "b.*"), str(videos / "b.mp4"), str(videos / "**/*.mov")) == ["b.mp4", "deep/er/c.mov"]
    assert names(videos, str(videos / "notes.txt")) == ["notes.txt"]  # a file that is named may be called anything


def test_what_means_nothing_does_not_stop_the_others(videos: Path) -> None:
    found = names(videos, str(videos / "b.mp4"), str(videos / "none*"), str(videos / "x.mp4"), "memory://a.mp4")
    assert found[0] == "b.mp4" and "no video matches" in found[1] and "no such file" in found[2] and "memory" in found[3]


@pytest.mark.parametrize("argument", ["none*.mp4", "x.mp4", "empty"])
def test_no_video_at_all_is_wrong_usage(videos: Path, argument: str) -> None:
    (videos / "empty").mkdir()
    with pytest.raises(UserError, match=argument.replace("*", r"\*")):
        read_sources([str(videos / argument)], Settings(), videos / "out")


def manifest(videos: Path, text: str) -> str:
    (videos / "season.csv").write_text(text, "utf-8-sig")
    return str(videos / "season.csv")


def test_a_row_says_how_its_video_is_refereed(videos: Path) -> None:
    (videos / "club.toml").write_text("")
    rows = 'video,profile,players,date,target,home\nb.mp4,club.toml,"Анна, Борис",2025-11-30,30,left\ndeep/er/c.mov,,,,,\n'
    one, two = read_sources([manifest(videos, rows)], from_options(players="X,Y"), videos / "out")
    assert one.given and one.settings == checked(
        {"profile": str(videos / "club.toml"), "players": "Анна,Борис", "date": "2025-11-30", "target": 30, "home": "left"}
    )
    assert not two.given and two.settings.players == "X,Y" and Path(two.video) == videos / "deep/er/c.mov"


def test_semicolons_of_a_spreadsheet(videos: Path) -> None:
    (source,) = read_sources([manifest(videos, "video;balls;ball_mm\nb.mp4;white,red;52,4\n")], Settings(), videos / "out")
    assert source.settings.balls == "white,red" and source.settings.ball_mm == 52.4


def test_a_row_wins_over_the_folder_it_lies_in(videos: Path) -> None:
    sources = read_sources([str(videos), manifest(videos, "video,target\nb.mp4,30\n")], Settings(), videos / "out")
    assert [(Path(s.video).name, s.settings.target) for s in sources] == [("a.MKV", None), ("c.mov", None), ("b.mp4", 30)]


def test_calls_that_lie_beside_a_video_under_its_name_are_its_calls(videos: Path) -> None:
    for name in ("a.srt", "b.vtt", "deep/er/other.srt"):
        (videos / name).write_text("1\n")
    found = {Path(s.video).name: s.settings.calls for s in read_sources([str(videos)], Settings(), videos / "out")}
    assert found == {"a.MKV": str(videos / "a.srt"), "b.mp4": str(videos / "b.vtt"), "c.mov": None}
    (named,) = read_sources([str(videos / "a.MKV")], Settings(calls="other.srt"), videos / "out")
    assert named.settings.calls == "other.srt"


def test_a_missing_file_is_a_problem_of_its_row_alone(videos: Path) -> None:
    one, two = read_sources([manifest(videos, "video,calls\nb.mp4,none.srt\na.MKV,\n")], Settings(), videos / "out")
    assert "none.srt: calls not found" in (one.problem or "") and "season.csv:2" in (one.problem or "") and two.problem is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"season\.csv:1: expected a header line with a column video"),
        ("video\n", r"season\.csv: expected at least one row"),
        ("video,colour\nb.mp4,red\n", r"season\.csv:1: column 2: unknown column 'colour'"),
        ("video,video\nb.mp4,a\n", r"season\.csv:1: column 2: video stands there twice"),
        ("video,target\nb.mp4,7\na.MKV,many\n", r"season\.csv:3: column target: expected a positive whole number, got 'many'"),
        ("video,date\nb.mp4,30.11.2025\n", r"season\.csv:2: column date: expected a day such as 2025-11-30"),
        ("video,players\nb.mp4,Anna\n", r"season\.csv:2: column players: expected two names"),
        ("video,home\nb.mp4,north\n", r"season\.csv:2: column home: expected one of left"),
        ("video,table\nb.mp4,ping-pong\n", r"season\.csv:2: column table: expected one of pyramid-12ft"),
        ("video,size\nb.mp4,big\n", r"season\.csv:2: column size"),
        ("video,balls\nb.mp4,green\n", r"season\.csv:2: column balls: unknown ball 'green'"),
        ("video,ball_mm\nb.mp4,wide\n", r"season\.csv:2: column ball_mm: expected a number of mm"),
        ("video,profile,table\nb.mp4,p.toml,pool-9ft\n", r"season\.csv:2: column profile: it already names the table"),
        ("video,target\n,7\n", r"season\.csv:2: column video: expected a path"),
        ("video\nb.mp4,7\n", r"season\.csv:2: column 2: expected 1 cells"),
    ],
)
def test_a_wrong_manifest_names_line_and_column(videos: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_sources([manifest(videos, text)], Settings(), videos / "out")


def test_a_manifest_that_is_no_text(videos: Path) -> None:
    (videos / "season.csv").write_bytes(b"video\n\xff\xfe\n")
    with pytest.raises(UserError, match=r"season\.csv:2: a manifest must be text in UTF-8"):
        read_sources([str(videos / "season.csv")], Settings(), videos / "out")


def test_addresses(videos: Path) -> None:
    import zipfile

    with zipfile.ZipFile(videos / "all.zip", "w") as archive:
        archive.writestr("x.mp4", b"1")
        archive.writestr("y.txt", b"2")
    chain = f"zip://*::file://{videos}/all.zip"
    found = [s.problem or s.video for s in read_sources([f"file://{videos}/b.mp4", chain], Settings(), videos / "out")]
    assert found == [f"{videos}/b.mp4", f"zip://x.mp4::file://{videos}/all.zip"]
    with pytest.raises(UserError, match=r"nowhere://"):
        read_sources(["nowhere://bucket/*.mp4"], Settings(), videos / "out")


@pytest.mark.parametrize(("options", "message"), [({"target": 0}, "--target"), ({"table": "x"}, "--table"), ({"size": "x"}, "--size"),
                                                  ({"table": "pool-9ft", "size": "1x1"}, "--table, --size")])  # fmt: skip
def test_options_are_named(options: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        from_options(**options)
