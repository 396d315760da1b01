"""What others' programs read: MOTChallenge, COCO, YOLO, SoccerNet, subtitles, chapters, clips. All are made from an analysis's folder."""
