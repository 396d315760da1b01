.PHONY: demo test lint footage test-train
