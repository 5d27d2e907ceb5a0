"""Reads images with native c2pa-rs: JSON of {roots, purposes, images: [{path, type}]} in, a JSON list of their states out."""

import json
import sys

import c2pa

job = json.load(sys.stdin)
settings = c2pa.Settings.from_dict(
    {"trust": {"trust_anchors": job["roots"], "trust_config": job["purposes"]}, "verify": {"remote_manifest_fetch": False}}
)
context = c2pa.Context(settings)


def read(image: dict[str, str]) -> str:
    try:
        with open(image["path"], "rb") as file, c2pa.Reader(image["type"], file, context=context) as reader:
            report = json.loads(reader.json())
            results = report["validation_results"]["activeManifest"]
            return " ".join([report["validation_state"], *(status["code"] for status in results["failure"])])
    except c2pa.C2paError as error:
        return str(error)


json.dump([read(image) for image in job["images"]], sys.stdout)
