"""One picture's marks in three forms: all say the same boxes."""

from hypothesis import given
from hypothesis import strategies as st

from models.labels import BALLS, CLASSES, Mark, MarkedPicture, coco, data_yaml, label_studio, label_studio_interface, yolo_text

sides = st.floats(4, 60)
marks = st.builds(
    Mark, st.sampled_from(CLASSES), st.floats(40, 600), st.floats(40, 400), sides, sides, st.floats(0, 1)
)  # fmt: skip


@given(st.lists(marks, max_size=5))
def test_yolo_coco_and_label_studio_tell_the_same_boxes(balls):
    picture = MarkedPicture("a b.jpg", "train", 640, 480, tuple(balls))
    rows = [line.split() for line in yolo_text(picture).splitlines()]
    document, task = coco([picture], ""), label_studio([picture], "set", "v")[0]
    regions = task["predictions"][0]["result"]
    assert len(rows) == len(document["annotations"]) == len(regions) == len(balls)
    # what CVAT's reader of COCO asks of each; a box without `segmentation` would be left out
    assert all({"id", "image_id", "category_id", "bbox", "iscrowd", "segmentation"} <= set(mark) for mark in document["annotations"])
    for ball, row, mark, region in zip(balls, rows, document["annotations"], regions, strict=True):
        assert CLASSES[int(row[0])] == document["categories"][mark["category_id"] - 1]["name"] == ball.colour
        assert region["value"]["rectanglelabels"] == [ball.colour]
        x, y, w, h = (float(v) * s for v, s in zip(row[1:], (640, 480, 640, 480), strict=True))
        percent = [region["value"][k] / 100 * s for k, s in (("x", 640), ("y", 480), ("width", 640), ("height", 480))]
        for one, two, three in zip((x - w / 2, y - h / 2, w, h), mark["bbox"], percent, strict=True):
            assert abs(one - two) < 0.02 and abs(one - three) < 0.02
    assert task["data"]["image"].endswith("d=set/images/train/a%20b.jpg")


def test_boxes_of_coco_end_at_the_edges_and_ids_are_those_of_the_document():
    corner, inner = Mark("red", 5, 476, 20, 20), Mark("hand", 300, 200, 40, 30)
    pictures = [MarkedPicture("a.jpg", "train", 640, 480, (corner,)), MarkedPicture("b.jpg", "train", 640, 480, (inner, corner))]
    document = coco(pictures, "")
    marks = document["annotations"]
    assert [m["id"] for m in marks] == [1, 2, 3] and [m["image_id"] for m in marks] == [1, 2, 2]
    assert marks[0]["bbox"] == [0, 466, 15, 14] and marks[1]["bbox"] == [280, 185, 40, 30]
    assert all(0 < m["area"] <= m["bbox"][2] * m["bbox"][3] for m in marks)
    assert {m["category_id"] for m in marks} <= {c["id"] for c in document["categories"]}
    assert yolo_text(pictures[0]).split()[3:] == ["0.031250", "0.041667"], "YOLO's text keeps the ball whole"


def test_the_class_list_is_one():
    from vision.detect import COLOURS

    assert COLOURS == BALLS == CLASSES[:5]
    assert [line.strip() for line in data_yaml().splitlines()[-7:]] == [f"{n}: {c}" for n, c in enumerate(CLASSES)]
    assert data_yaml(classes=BALLS).endswith("  4: other\n"), "an export labels balls alone"
    assert all(f'value="{c}"' in label_studio_interface() for c in CLASSES)
    assert "hand" not in label_studio_interface(BALLS)
