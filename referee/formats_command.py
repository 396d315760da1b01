"""`poedinok export` and `poedinok clips`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from calibration.errors import UserError
from calibration.profile import write_atomic
from referee.formats.clips import Choice, chosen, cited_rules
from referee.formats.cut import Chapter, check_container, write_chapters, write_clip
from referee.formats.folder import Analysis, analyses, open_analysis
from referee.formats.subtitles import captions, srt, title, webvtt
from referee.output import staged, staged_file
from referee.words import Text

FORMATS = ("mot", "coco", "yolo", "soccernet", "srt", "vtt", "chapters")
_BEFORE, _AFTER = 2.0, 1.5  # s of a clip before the strike and after the last ball rests


def run_export(
    folder: Path, form: str, out: Path, *, lang: str = "ru", profile: Path | None = None, videos: Sequence[Path] = (), step: float = 1.0,
    pictures: bool = True,
) -> str:  # fmt: skip
    """Writes an analysis in another program's format; returns a line that says what was written.

    Raises:
        UserError: no analysis there, an unknown format, the video or the profile is missing, `out` cannot be written.
    """
    if form not in FORMATS:
        raise UserError(f"--format {form}: expected one of {', '.join(FORMATS)}")
    if not 0 < step < 1e6:
        raise UserError(f"--step {step:g}: expected seconds between pictures")
    analysis = open_analysis(folder)
    if form in ("coco", "yolo"):
        return _data_set(analysis, form, out, profile, analysis.video(videos) if pictures else None, step)
    if form == "chapters":
        check_container(out)
        video = analysis.video(videos)
        if out.exists() and out.samefile(video):
            raise UserError(f"{out}: is the video itself, expected another file")
        marks = chapters(analysis, lang)
        with staged_file(out) as part:
            write_chapters(video, marks, part)
        return f"{len(marks)} chapters in a copy of the video: {out}"
    text = _text(analysis, form, lang, profile)
    _checked(out)
    write_atomic(out, text.encode("utf-8"))
    return f"written {out}"


def _data_set(analysis: Analysis, form: str, out: Path, profile: Path | None, video: Path | None, step: float) -> str:
    from referee.formats.pictures import write_coco, write_yolo

    camera = analysis.profile(profile)
    if out.is_dir() and any(out.iterdir()):  # old pictures among new labels would be a wrong data set
        raise UserError(f"--out {out}: expected a folder that is empty or not there yet")
    with staged(out) as part:
        write = write_coco if form == "coco" else write_yolo
        count = write(analysis, camera, part, step=step, video=video)
    return f"{count} pictures labelled: {out}"


def _text(analysis: Analysis, form: str, lang: str, profile: Path | None) -> str:
    if form == "mot":
        from referee.formats.mot import mot_lines

        return "".join(line + "\n" for line in mot_lines(analysis, analysis.profile(profile)))
    if form == "soccernet":
        from referee.formats.soccernet import soccernet

        return json.dumps(soccernet(analysis), ensure_ascii=False, indent=1) + "\n"
    writers: dict[str, Callable] = {"srt": srt, "vtt": webvtt}
    return writers[form](captions(analysis, lang))


def chapters(analysis: Analysis, lang: str = "ru") -> list[Chapter]:
    """One chapter a stroke, from two seconds before the strike, for the aim, to the next one's; and one for what comes before.

    MP4 knows no gaps between chapters: its first one always begins with the video.
    """
    shots = analysis.document["shots"]
    if not shots:
        return []
    players = analysis.document.get("players") or ["A", "B"]
    starts = [max(0.0, shot["start_t"] - _BEFORE) for shot in shots]
    starts = [max(start, shots[n - 1]["start_t"]) if n else start for n, start in enumerate(starts)]
    ends = [*starts[1:], max([analysis.document["video"].get("duration") or 0.0, shots[-1]["end_t"] + _AFTER])]
    before = [Chapter(0.0, starts[0], Text("До игры", "Before play")(lang))] if starts[0] > 0 else []
    return before + [Chapter(start, end, title(shot, players, lang)) for shot, start, end in zip(shots, starts, ends, strict=True)]


def run_clips(
    folders: Sequence[Path], out: Path, choice: Choice, *, videos: Sequence[Path] = (), lang: str = "ru", before: float = _BEFORE,
    after: float = _AFTER, on_clip: Callable[[str], None] | None = None,
) -> int:  # fmt: skip
    """Cuts the strokes that a choice takes, with clips.csv that says what each shows; returns how many.

    Raises:
        UserError: no analysis there, nothing chosen, a video is missing, `out` cannot be written.
    """
    if not (0 <= before <= 600 and 0 <= after <= 600):
        raise UserError("--before, --after: expected seconds from 0 to 600")
    matches = analyses(folders)
    found = [(match, shot) for match in matches for shot in chosen(match, choice)]
    if not found:
        raise UserError(f"no stroke of {len(matches)} {'match' if len(matches) == 1 else 'matches'} is what was asked for")
    sources = {match.folder: match.video(videos) for match, _ in found}
    rows = []
    with staged(out) as part:
        names: set[str] = set()
        for match, shot in found:
            name = _clip_name(match, shot, names)
            write_clip(sources[match.folder], max(0.0, shot["start_t"] - before), shot["end_t"] + after, part / name)
            rows.append(_row(name, match, shot, lang))
            if on_clip:
                on_clip(name)
        (part / "clips.csv").write_text(_table(rows), "utf-8-sig")  # the mark lets spreadsheets read Cyrillic
    return len(rows)


def _clip_name(match: Analysis, shot: dict, taken: set[str]) -> str:
    stem = "_".join([match.name, f"{shot['index']:03d}", *cited_rules(shot)][:5])
    name, n = f"{stem}.mp4", 1
    while name in taken:
        n += 1
        name = f"{stem}_{n}.mp4"
    taken.add(name)
    return name


def _row(name: str, match: Analysis, shot: dict, lang: str) -> dict[str, object]:
    players = match.document.get("players") or ["A", "B"]
    ruling = shot["ruling"] or {"points": "", "outcome": "", "explanation": {lang: ""}}
    return {
        "clip": name, "video": match.document["video"]["file"], "stroke": shot["index"], "start_t": shot["start_t"], "end_t": shot["end_t"],
        "player": players[shot["player"]] if shot.get("player") in (0, 1) else "", "call": shot.get("call") or "",
        "rules": " ".join(cited_rules(shot)), "outcome": ruling["outcome"], "points": ruling["points"],
        "ruling": ruling["explanation"][lang], "to_check": "; ".join(doubt["reason"] for doubt in shot["review"]),
    }  # fmt: skip


def _table(rows: Sequence[dict[str, object]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def _plain(value: object) -> object:
    """A text that no spreadsheet takes for a formula: names and calls come from others."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _checked(out: Path) -> None:
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise UserError(f"--out {out}: expected a file in a folder that exists")
