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


def test_the_class_list_is_one():
    from vision.detect import COLOURS

    assert COLOURS == BALLS == CLASSES[:5]
    assert [line.strip() for line in data_yaml().splitlines()[-7:]] == [f"{n}: {c}" for n, c in enumerate(CLASSES)]
    assert data_yaml(classes=BALLS).endswith("  4: other\n"), "an export labels balls alone"
    assert all(f'value="{c}"' in label_studio_interface() for c in CLASSES)
    assert "hand" not in label_studio_interface(BALLS)
