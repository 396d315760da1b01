"""What a run does, does again and does not do again, with jobs done in this process on very short clips."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from calibration.errors import UserError
from referee import cli
from referee.analyze import Request, Result
from referee.batch.inputs import read_sources
from referee.batch.run import Order, Report, run_batch
from referee.batch.settings import checked
from referee.output import staged
from tests.referee.batch.clips import cut, football, profile
from tests.referee.batch.inline import Inline


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses that only write what they were told, for what is about bookkeeping."""
    monkeypatch.setattr("referee.analyze.run", noted)


def noted(request: Request, on_progress: object) -> Result:
    shots: list[object] = []
    document = {"video": {"frames": 8, "duration": 0.4}, "shots": shots, "players": list(request.players), "scores": [0, 0]}
    with staged(request.out) as folder:
        (folder / "match.json").write_text(json.dumps(document | {"target": request.target, "of": request.video.stat().st_size}))
        for name in ("tracks.csv", "report.html"):
            (folder / name).write_text("")
    return Result(request.out, document, {}, 0.1)


class Silent(SimpleNamespace):
    """A board that remembers what it was told to say."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def phase(self, *_: object) -> None: ...

    step = phase

    def ended(self, outcome: object, line: str) -> None:
        self.said.append(line)

    def say(self, line: str) -> None:
        self.said.append(line)


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clips of two sizes, made once."""
    folder = tmp_path_factory.mktemp("clips")
    cut(folder / "a.mp4", 0.0, 0.4)
    cut(folder / "b.mkv", 1.0, 1.4, codec="libx264")
    cut(folder / "c.avi", 2.0, 2.4, size=(480, 270), codec="mjpeg")
    profile(folder / "table.toml")
    return folder


@pytest.fixture
def videos(stock: Path, tmp_path: Path) -> Path:
    """A folder of the stock's own, with a profile for the larger clips beside them: nothing needs to be calibrated."""
    shutil.copytree(stock, tmp_path / "videos", ignore=shutil.ignore_patterns("c.avi"))
    return tmp_path / "videos"


def ran(out: Path, *arguments: Path, engine: Inline | None = None, board: Silent | None = None, **options) -> Report:
    keys = {k: options.pop(k) for k in ("force", "on_finished", "shelves") if k in options}
    sources = read_sources([str(a) for a in arguments], checked(options), out)
    return run_batch(Order(sources, out, **keys), engine or Inline(), board or Silent())


def statuses(report: Report) -> dict[str, str]:
    return {Path(e.video).name: e.status for e in report.entries}


def everything(out: Path) -> dict[str, bytes]:
    """What stands in the folders of results, but for where the videos were."""
    return {
        str(p.relative_to(out)): p.read_bytes()
        for p in sorted(out.rglob("*"))
        if p.is_file() and ".batch" not in p.parts and p.name not in ("source.json", "batch.json")
    }


def test_results_are_those_of_analyze(videos: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = ran(out, videos, players="Анна,Борис", target=30)
    assert report.good and statuses(report) == {"a.mp4": "finished", "b.mkv": "finished"}
    for name in ("a.mp4", "b.mkv"):
        alone = tmp_path / "alone" / name
        given = ["--profile", str(videos / "table.toml"), "--players", "Анна,Борис", "--target", "30", "--out", str(alone)]
        assert cli.main(["analyze", str(videos / name), *given]) == 0
        for file in ("match.json", "tracks.csv", "report.html", "profile.toml", "source.json"):
            assert (alone / file).read_bytes() == (out / Path(name).stem / file).read_bytes(), (name, file)
    ledger = json.loads((out / "batch.json").read_text("utf-8"))
    assert [(v["name"], v["status"], v["profile"]) for v in ledger["videos"]] == [
        ("a", "finished", str(videos / "table.toml")), ("b", "finished", str(videos / "table.toml"))
    ]  # fmt: skip


def test_order_and_number_of_workers_change_nothing(videos: Path, tmp_path: Path) -> None:
    ran(tmp_path / "one", videos)
    ran(tmp_path / "two", videos, engine=Inline(2, backwards=True))
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_what_is_finished_is_not_done_again(videos: Path, tmp_path: Path, quick: None) -> None:
    out, told = tmp_path / "out", []
    ran(out, videos)
    (videos / "a.mp4").rename(videos / "renamed.mp4")
    again = Inline()
    report = ran(out, videos, engine=again, on_finished=lambda entry, folder: told.append((entry.video, folder.name)))
    assert again.of("analyze") == [] and report.before == 2 and report.good
    assert [(Path(v).name, name) for v, name in told] == [("b.mkv", "b"), ("renamed.mp4", "a")]
    third = Inline()
    ran(out, videos, engine=third)
    assert third.done == []  # not even read again
    forced = Inline()
    assert ran(out, videos, engine=forced, force=True).good and sorted(forced.of("analyze")) == ["b.mkv", "renamed.mp4"]
    assert sorted(p.name for p in out.iterdir()) == [".batch", "a", "b", "batch.json"]


@pytest.mark.parametrize("change", ["content", "settings", "profile", "results", "removed"])
def test_what_has_changed_is_done_again(videos: Path, tmp_path: Path, quick: None, change: str) -> None:
    out, options = tmp_path / "out", {}
    ran(out, videos)
    if change == "content":
        shutil.copy(videos / "b.mkv", videos / "a.mp4")
        (videos / "b.mkv").unlink()
        cut(videos / "b.mkv", 3.0, 3.4)
    elif change == "settings":
        options = {"target": 7}
    elif change == "profile":
        (videos / "table.toml").write_text((videos / "table.toml").read_text() + "\n# better\n")
    elif change == "results":
        (out / "a/match.json").write_text("{}")
    else:
        shutil.rmtree(out / "a")
    again = Inline()
    report = ran(out, videos, engine=again, **options)
    assert report.good and len({e.name for e in report.entries}) == 2
    known = [v["name"] for v in json.loads((out / "batch.json").read_text("utf-8"))["videos"]]
    assert sorted(known) == sorted(p.parent.name for p in out.glob("*/match.json"))  # none is forgotten, none is there twice
    for entry in report.entries:
        assert json.loads((out / entry.name / "match.json").read_text("utf-8"))["of"] == Path(entry.video).stat().st_size
    expected = {"content": ["b.mkv"], "results": ["a.mp4"], "removed": ["a.mp4"]}.get(change, ["a.mp4", "b.mkv"])
    assert again.of("analyze") == expected
    assert json.loads((out / "a/match.json").read_text("utf-8"))["target"] == options.get("target")


def test_bad_videos_fail_alone_with_a_line_each(videos: Path, tmp_path: Path, quick: None) -> None:
    (videos / "empty.mp4").write_bytes(b"")
    (videos / "text.mp4").write_text("no video\n" * 100)
    (videos / "cut.mkv").write_bytes((videos / "b.mkv").read_bytes()[:300])
    football(videos / "football.mp4")
    shutil.copy(videos / "a.mp4", videos / "copy of a.mp4")
    board = Silent()
    report = ran(tmp_path / "out", videos, tmp_path / "no/such.mp4", board=board)
    failed = {Path(e.video).name: e.reason for e in report.failed}
    assert sorted(failed) == ["cut.mkv", "empty.mp4", "football.mp4", "such.mp4", "text.mp4"]
    assert all(name in reason and "\n" not in reason for name, reason in failed.items())
    assert "empty" in failed["empty.mp4"] and "no table found" in failed["football.mp4"] and "no such file" in failed["such.mp4"]
    doubles = [e for e in report.entries if e.status == "double"]
    assert [(Path(e.video).name, Path(e.double_of).name, e.name) for e in doubles] == [("copy of a.mp4", "a.mp4", "a")]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [".batch", "a", "b", "batch.json"]
    again = Inline()
    second = ran(tmp_path / "out", videos, engine=again)
    assert again.of("analyze") == [] and statuses(second) == {k: v for k, v in statuses(report).items() if k != "such.mp4"}
    assert second.before == 2


def test_a_double_with_settings_of_its_own_is_another_match(videos: Path, tmp_path: Path, quick: None) -> None:
    shutil.copy(videos / "a.mp4", videos / "z.mp4")
    (videos / "season.csv").write_text("video,target\na.mp4,3\nz.mp4,5\n")
    shutil.copy(videos / "a.mp4", videos / "third.mp4")
    report = ran(tmp_path / "out", videos / "season.csv", videos / "third.mp4")
    assert statuses(report) == {"a.mp4": "finished", "z.mp4": "finished", "third.mp4": "double"}


def test_a_worker_that_dies_costs_one_video(videos: Path, tmp_path: Path, quick: None) -> None:
    out = tmp_path / "out"
    report = ran(out, videos, engine=Inline(dies=["a.mp4"]))
    assert statuses(report) == {"a.mp4": "failed", "b.mkv": "finished"} and "SIGKILL" in report.failed[0].reason
    assert not (out / "a").exists()
    again = Inline()
    assert ran(out, videos, engine=again).good and again.of("analyze") == ["a.mp4"]


@pytest.mark.slow
def test_one_camera_is_calibrated_once_and_shared(stock: Path, tmp_path: Path) -> None:
    videos, out = tmp_path / "videos", tmp_path / "out"
    videos.mkdir()
    for name in ("a.mp4", "b.mkv"):
        shutil.copy(stock / name, videos)
    engine = Inline()
    report = ran(out, videos, engine=engine)
    assert report.good and {Path(e.profile).name for e in report.entries} == {"camera-1.toml"} and engine.of("camera") == ["a.mp4"]
    assert sorted(p.name for p in (out / "profiles").iterdir()) == ["camera-1.png", "camera-1.toml"]
    first, second = (json.loads((out / n / "match.json").read_text("utf-8"))["notes"][0] for n in "ab")
    assert first.startswith("calibrated on the video itself (") and "pyramid-12ft assumed" in first
    assert second.startswith("calibrated on a.mp4, by the same camera (")
    assert cli.main(["analyze", str(videos / "a.mp4"), "--out", str(tmp_path / "alone")]) == 0
    for file in ("match.json", "tracks.csv"):
        assert (tmp_path / "alone" / file).read_bytes() == (out / "a" / file).read_bytes()
    cut(videos / "d.mp4", 4.0, 4.4)
    later = Inline()
    report = ran(out, videos, engine=later)
    assert later.of("camera") == [] and later.of("analyze") == ["d.mp4"] and report.entries[-1].profile.endswith("camera-1.toml")


def test_a_profile_is_chosen_by_what_is_seen(stock: Path, tmp_path: Path) -> None:
    """Of two profiles of the picture's size the one whose noses are there; one named for the video needs no looking."""
    videos, shelf = tmp_path / "videos", tmp_path / "shelf"
    videos.mkdir()
    shelf.mkdir()
    shutil.copy(stock / "a.mp4", videos)
    shutil.copy(stock / "b.mkv", videos)
    text = (stock / "table.toml").read_text("utf-8")
    elsewhere = "[picture]\ncorners_px = [[150, 300], [150, 100], [500, 100], [500, 300]]"
    (shelf / "another.toml").write_text(text.replace("corners_px", "old").replace("[picture]", elsewhere))
    (shelf / "right.toml").write_text(text)
    (shelf / "scenario.toml").write_text("[strokes]\n")
    report = ran(tmp_path / "out", videos, shelves=(shelf,))
    assert report.good and {Path(e.profile).name for e in report.entries} == {"right.toml"}
    (videos / "b.profile.toml").write_text(text)
    engine = Inline()
    report = ran(tmp_path / "out2", videos / "b.mkv", engine=engine, shelves=(shelf,))
    assert Path(report.entries[0].profile).name == "b.profile.toml" and engine.of("camera") == []


def test_a_profile_of_another_size_fails_its_video(videos: Path, tmp_path: Path) -> None:
    profile(tmp_path / "big.toml", (1280, 720))
    report = ran(tmp_path / "out", videos / "a.mp4", profile=str(tmp_path / "big.toml"))
    assert "1280x720" in report.failed[0].reason and not (tmp_path / "out/a").exists()


def test_a_full_disk_fails_the_video_and_a_ledger_that_cannot_be_written_stops_all(
    videos: Path, tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    usage = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(path)._replace(free=100))
    report = ran(out, videos)
    assert [e.reason for e in report.failed] == [f"{out}: No space left on device"] * 2 and report.stopped is None
    assert sorted(p.name for p in out.iterdir()) == [".batch", "batch.json"]
    monkeypatch.setattr(shutil, "disk_usage", usage)

    from referee.batch import ledger

    write, count = ledger.write_atomic, 0

    def full(path: Path, data: bytes) -> None:
        nonlocal count
        count += path.name == "batch.json"
        if count > 2:
            raise UserError(f"{path}: cannot be written (No space left on device)")
        write(path, data)

    monkeypatch.setattr(ledger, "write_atomic", full)
    engine = Inline()
    report = ran(out, videos, engine=engine)
    assert "batch.json: cannot be written (No space left on device): stopped" in (report.stopped or "")
    assert engine.of("analyze") == ["a.mp4"] and not report.good
    monkeypatch.setattr(ledger, "write_atomic", write)
    assert ran(out, videos).good


def test_trouble_with_the_season_is_told_once_and_the_rest_goes_on(videos: Path, tmp_path: Path, quick: None) -> None:
    def no_server(*_: object) -> None:
        raise UserError("postgresql://x: no server answers there")

    report = ran(tmp_path / "out", videos, on_finished=no_server)
    assert report.troubles == ("postgresql://x: no server answers there",) and not report.failed and not report.good


def test_a_broken_ledger_is_told(videos: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/batch.json").write_text('{"videos": 7}')
    with pytest.raises(UserError, match=r"batch\.json: expected the ledger of a batch"):
        ran(tmp_path / "out", videos)


def test_a_video_at_an_address_is_fetched(videos: Path, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(videos / "a.mp4", "inner/a.mp4")
        archive.writestr("bad.mp4", b"no video")
    address = f"zip://inner/a.mp4::file://{tmp_path}/all.zip"
    bad, missing = f"zip://bad.mp4::file://{tmp_path}/all.zip", f"zip://none.mp4::file://{tmp_path}/all.zip"
    sources = read_sources([address, bad, missing], checked({"profile": str(videos / "table.toml")}), tmp_path / "out")
    report = run_batch(Order(sources, tmp_path / "out"), Inline(), Silent())
    assert [e.status for e in report.entries] == ["finished", "failed", "failed"]
    assert bad in report.failed[0].reason and "no such file" in report.failed[1].reason
    ran(tmp_path / "here", videos / "a.mp4", profile=str(videos / "table.toml"))
    assert (tmp_path / "out/a/match.json").read_bytes() == (tmp_path / "here/a/match.json").read_bytes()
    assert json.loads((tmp_path / "out/a/source.json").read_text())["video"] == address
    again = Inline()
    run_batch(Order(sources[:1], tmp_path / "out"), again, Silent())
    assert again.done == []


def test_a_worker_of_another_version_refuses(videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.batch import worker

    monkeypatch.setattr(worker, "version", lambda: "9.9")
    report = ran(tmp_path / "out", videos / "a.mp4", profile=str(videos / "table.toml"))
    assert "poedinok 9.9 on" in report.failed[0].reason
