"""What goes wrong over a table: each fault is refused with a line, or shown while the rest goes on."""

from __future__ import annotations

import multiprocessing
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from calibration.errors import UserError
from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit, write_profile
from calibration.table import table
from referee.callfile import TimedCall
from referee.live.access import Access
from referee.live.address import Address, address_of
from referee.live.api import router
from referee.live.capture import Capture
from referee.live.command import run_live
from referee.live.desk import Desk
from referee.live.documents import source_json
from referee.live.health import SourceState
from referee.live.pages import register_pages
from referee.live.recording import Recorder, frames_between
from referee.live.service import Options, Service
from referee.live.store import Store
from tests.referee.live.stage import CORNERS, MID, SIZE, ToldRun, small_video
from tests.referee.live.talk import CONTACT, POT, STRIKE

POTTED = {"events": [STRIKE, CONTACT, POT], "after": {"yellow": None}, "seconds": 0.3}


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    return small_video(tmp_path_factory.mktemp("faults") / "stage.mp4")


def profile(size: tuple[int, int] = SIZE) -> Profile:
    kind = table()
    corners = [(x * size[0] / SIZE[0], y * size[1] / SIZE[1]) for x, y in CORNERS]
    return profile_from_fit(kind, camera_from_corners(corners, kind, size), np.array(corners))


@contextmanager
def live(video: Path | Address, data: Path, *, run: ToldRun | None = None, size=SIZE) -> Iterator[tuple[Service, TestClient]]:
    address = video if isinstance(video, Address) else address_of(str(video))
    with Service(Options(address, profile(size), data, loop=address.paced), run or ToldRun()) as service:
        app = FastAPI()
        app.include_router(router(service, Access("127.0.0.1", None)))
        yield service, TestClient(app)


def until(true: Callable[[], bool], seconds: float = 6.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


def test_a_camera_that_cannot_be_reached_is_lost_with_a_reason_and_the_match_can_be_kept_by_hand(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, not listened on
        address = address_of(f"http://127.0.0.1:{nobody.getsockname()[1]}/camera")
        with live(address, tmp_path) as (service, client):
            until(lambda: service.health().reconnects >= 1)
            answer = client.get("/healthz")
            assert answer.status_code == 503 and answer.json()["source"] == "lost" and "refused" in answer.json()["reason"]
            assert client.post("/api/game", json={"players": ["A", "B"]}).status_code == 200


def test_what_was_started_is_ended_where_the_rest_cannot_start(tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Capture) -> Capture:
        raise RuntimeError("can't start new thread")

    before = set(multiprocessing.active_children())
    with monkeypatch.context() as patched, pytest.raises(RuntimeError, match="new thread"):
        patched.setattr(Capture, "__enter__", fails)
        with Service(Options(address_of(str(video)), profile(), tmp_path)):
            pass
    assert set(multiprocessing.active_children()) <= before, "the process that tells strokes has ended"
    with live(video, tmp_path):
        pass  # the folder is free again


def test_a_port_in_use_and_no_profile_are_one_line(tmp_path: Path, video: Path) -> None:
    with pytest.raises(UserError, match=r"none\.toml"):
        run_live(str(video), tmp_path / "none.toml", data=tmp_path / "data")
    path = tmp_path / "p.toml"
    write_profile(profile(), path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=str(port)):
            run_live(str(video), path, data=tmp_path / "data", port=port)
    assert not (tmp_path / "data").exists()


def test_a_profile_of_another_size_is_a_lost_source_and_nobody_looks_at_the_pictures(tmp_path: Path, video: Path) -> None:
    run = ToldRun()
    with live(video, tmp_path, run=run, size=(960, 540)) as (service, client):
        until(lambda: service.health().frames > 3)
        told = client.get("/api/state").json()
        assert told["source"] == "lost" and told["reason"] == "pictures of 480x270 px, the profile is for 960x540"
        assert run.frame is None


def test_a_second_live_on_the_same_folder_is_refused(tmp_path: Path, video: Path) -> None:
    with live(video, tmp_path), pytest.raises(UserError, match="another poedinok live"):
        Service(Options(address_of(str(video)), profile(), tmp_path), ToldRun())


def test_eyes_that_stop_are_a_lost_source_that_says_why(tmp_path: Path, video: Path) -> None:
    class Blind(ToldRun):
        def take(self, frame) -> None:
            raise ZeroDivisionError("no such thing")

    with live(video, tmp_path, run=Blind()) as (service, client):
        until(lambda: bool(service.engine.failure))
        answer = client.get("/healthz")
        assert answer.status_code == 503 and "ZeroDivisionError: no such thing" in answer.json()["reason"]
        assert client.get("/api/shots").status_code == 200


def test_a_stroke_that_cannot_be_worked_out_is_told_as_eyes_that_stopped(tmp_path: Path, video: Path) -> None:
    run = ToldRun()
    with live(video, tmp_path, run=run) as (service, client):
        until(lambda: run.frame is not None)
        run.jobs.append(lambda: 1 / 0)  # pyright: ignore[reportArgumentType]
        until(lambda: not service.engine.alive)
        answer = client.get("/healthz")
        assert answer.status_code == 503 and "ZeroDivisionError" in answer.json()["reason"]


def test_a_file_waits_for_a_game_and_its_calls_are_said_in_it(tmp_path: Path, video: Path) -> None:
    run, calls = ToldRun(), (TimedCall(0.3, "красный в угол", 1), TimedCall(0.6, "что-то непонятное", 4))
    with Service(Options(address_of(str(video)), profile(), tmp_path, wait=True, calls=calls), run) as service:
        until(lambda: run.frame is not None and run.frame.index > 10)
        health = service.health()
        assert (health.state, health.reason) == (SourceState.HEALTHY, "waiting for a game to begin")
        assert service.capture.held and service.desk.view.call is None
        first = run.frame.y.copy() if run.frame else None
        service.desk.start(("A", "B"))
        until(lambda: service.desk.view.call == "красный в угол")
        assert not service.capture.held and not np.array_equal(first, run.frame.y if run.frame else None)
        until(lambda: not service.engine.alive)
        assert service.desk.view.call == "красный в угол" and service.health().dropped == 0
        assert service.health().over and source_json(service)["over"] and source_json(service)["source"] == "lost"
    # the match goes on at the next start: nothing is waited for
    with Service(Options(address_of(str(video)), profile(), tmp_path, wait=True), ToldRun()) as service:
        assert not service.capture.held


def test_calls_of_a_file_and_a_late_picture_are_what_they_can_be(tmp_path: Path, video: Path) -> None:
    path = tmp_path / "p.toml"
    write_profile(profile(), path)
    with pytest.raises(UserError, match="--calls"):
        run_live("http://127.0.0.1:1/x", path, data=tmp_path / "data", calls=tmp_path / "c.srt")
    with pytest.raises(UserError, match=r"c\.srt"):
        run_live(str(video), path, data=tmp_path / "data", calls=tmp_path / "c.srt")
    with pytest.raises(UserError, match="--delay"):
        run_live(str(video), path, data=tmp_path / "data", delay=-1.0)


def test_a_call_is_set_against_pictures_that_are_late(tmp_path: Path, video: Path) -> None:
    run = ToldRun()
    options = Options(address_of(str(video)), profile(), tmp_path, loop=True, delay=3.0)
    with Service(options, run) as service:
        until(lambda: run.frame is not None)
        service.desk.seen(run.here)
        service.desk.start(("A", "B"))
        service.desk.call("красный в угол")  # said when the balls lay still, which the picture does not show yet
        run.play(POTTED)
        until(lambda: bool(service.desk.view.strokes))
        assert service.desk.view.strokes[0].ruled.call is None and service.desk.view.call == "красный в угол"


def test_a_page_that_is_not_there_is_a_page_and_json_for_programs(tmp_path: Path, video: Path) -> None:
    with Service(Options(address_of(str(video)), profile(), tmp_path, loop=True), ToldRun()) as service:
        app = FastAPI()
        app.include_router(register_pages(service, Access("127.0.0.1", None), "ru"))
        client, page = TestClient(app), {"accept": "text/html,application/xhtml+xml"}
        for path, status, said in (
            ("/replay/1", 404, "такой партии нет"), ("/replay/x", 422, "неверный адрес"), ("/games/7/report", 404, "такой партии нет"),
            ("/statistics", 404, "ещё нет ни одной партии с ударами"), ("/replay/1?lang=en", 404, "no such game"),
        ):  # fmt: skip
            answer = client.get(path, headers=page)
            assert answer.status_code == status and answer.headers["content-type"].startswith("text/html")
            assert said in answer.text and 'href="/console' in answer.text
            assert client.get(path).headers["content-type"] == "application/json"


def test_the_page_of_matches_folds_a_journal_only_when_it_has_grown(tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Service(Options(address_of(str(video)), profile(), tmp_path, loop=True), ToldRun()) as service:
        app = FastAPI()
        app.include_router(register_pages(service, Access("127.0.0.1", None), "ru"))
        client, read = TestClient(app), service.store.journal
        folds: list[int] = []
        monkeypatch.setattr(service.store, "journal", lambda game: (folds.append(game), read(game))[1])
        for names in (("A", "B"), ("C", "D")):
            service.desk.seen(MID)
            service.desk.start(names)
        assert [g["players"] for g in client.get("/api/games").json()] == [["C", "D"], ["A", "B"]] and folds == [2, 1]
        client.get("/")
        assert folds == [2, 1]
        service.desk.call("красный в угол")
        client.get("/api/games")
        assert folds == [2, 1, 2]
        service.desk.end()
        assert not client.get("/api/games").json()[0]["playing"]


def test_a_stroke_that_cannot_be_written_is_told_and_written_once_when_it_can(
    tmp_path: Path, video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ToldRun()
    with live(video, tmp_path, run=run) as (service, client):
        until(lambda: run.frame is not None)
        client.post("/api/game", json={"players": ["A", "B"]})
        write = service.store.append

        def full(*_: object) -> None:
            raise UserError("live.sqlite: database or disk is full")

        monkeypatch.setattr(service.store, "append", full)
        run.play(POTTED)
        until(lambda: bool(service.journal_failure))
        told = client.get("/api/state").json()
        assert "1 strokes are not written down yet" in told["journal_failure"] and client.get("/api/shots").json() == []
        assert client.post("/api/call", json={"call": "красный в угол"}).status_code == 409
        monkeypatch.setattr(service.store, "append", write)
        until(lambda: len(client.get("/api/shots").json()) == 1)
        assert service.journal_failure == "" and len(service.store.journal(1)) == 2
        time.sleep(0.3)
        assert len(client.get("/api/shots").json()) == 1


def test_a_database_without_room_keeps_the_entries_that_it_has(tmp_path: Path) -> None:
    store = Store(tmp_path / "live.sqlite")
    desk = Desk(store, table())
    desk.seen(MID)
    game = desk.start(("A", "B")).game
    assert game is not None
    with store._engine.connect() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.exec_driver_sql("PRAGMA max_page_count = 1")  # SQLite then says what it says of a full disk
    with pytest.raises(UserError, match="full"):
        for _ in range(2000):
            desk.call("красный в угол")
    held = desk.view.version, len(store.journal(game.id))
    again = Desk(Store(tmp_path / "live.sqlite"), table())
    assert again.view.game == game and len(store.journal(game.id)) == held[1]
    assert again.view.call in (None, "красный в угол")


def test_the_clock_set_back_breaks_nothing(tmp_path: Path) -> None:
    now = [2000.0]
    store = Store(tmp_path / "live.sqlite")
    desk = Desk(store, table(), clock=lambda: now[0])
    desk.seen(MID)
    desk.start(("A", "B"))
    now[0] = -5000.0
    desk.call("красный в угол")
    view = desk.end()
    assert view.status == "over" and desk.next_game().status == "playing"
    again = Desk(Store(tmp_path / "live.sqlite"), table(), clock=lambda: now[0])
    assert again.view.status == "playing" and [g.id for g in store.games()] == [2, 1]


def test_live_time_goes_on_when_the_clock_is_set_back(video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Capture(address_of(str(video)), SIZE, loop=True) as capture:
        times = []
        for arrived in capture.frames():
            if arrived is None:
                continue
            times.append(arrived.frame.seconds)
            if len(times) == 5:
                monkeypatch.setattr(time, "time", lambda: 1000.0)
            if len(times) == 15:
                break
        assert times == sorted(times) and times[-1] - times[0] < 3.0
        assert capture.health().state is SourceState.HEALTHY


def test_a_browser_that_is_closed_leaves_nothing_behind_and_finds_the_board_again(tmp_path: Path, video: Path) -> None:
    with live(video, tmp_path) as (service, client):
        client.post("/api/game", json={"players": ["A", "B"]})
        for _ in range(3):
            with client.websocket_connect("/api/events") as socket_:
                first = socket_.receive_json()
                assert first["type"] == "board" and first["players"] == ["A", "B"]
        until(lambda: not service._listeners)  # pyright: ignore[reportPrivateUsage]


def test_raw_pictures_are_encoded_for_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "raw.nut"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("rawvideo", rate=30)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuyv422"
        for n in range(30):
            frame = av.VideoFrame.from_ndarray(np.full((96, 160, 3), 40 + 5 * n, np.uint8), "rgb24").reformat(format="yuyv422")
            frame.pts, frame.time_base = n, Fraction(1, 30)
            container.mux(stream.encode(frame))
    recorder = Recorder(tmp_path / "rec")
    with Capture(address_of(str(path)), (160, 96), sink=recorder, start=10.0) as capture:
        seen = [a for a in capture.frames() if a is not None]
    kept = list(frames_between(tmp_path / "rec", 0.0, 1e6))
    assert recorder.state.state in ("recording", "low") and len(kept) == 30 and len(seen) >= 25
    assert abs(int(kept[10].y.mean()) - int(kept[0].y.mean()) - 43) < 6


def test_a_camera_without_mjpeg_is_asked_for_what_it_has(video: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, asked = av.open, []

    def camera(url: str, *args, options: dict[str, str], **kinds):
        asked.append(dict(options))
        if "input_format" in options:
            raise av.error.ArgumentError(22, "Invalid argument")
        return opened(url, *args, options={}, **{**kinds, "format": None})

    monkeypatch.setattr(av, "open", camera)
    address = Address("0", str(video), "v4l2", {"input_format": "mjpeg", "video_size": "480x270"})
    with Capture(address, SIZE) as capture:
        assert next(a for a in capture.frames() if a is not None)
    assert asked[:2] == [{"input_format": "mjpeg", "video_size": "480x270"}, {"video_size": "480x270"}]
