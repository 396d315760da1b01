"""The certificate of a table's set-up: a video or camera is watched for the protocol, and the page is drawn."""
