#!/bin/sh
# Prints what the program needs at run time as a CycloneDX bill of materials.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
sh .config/shipped.sh "$directory"
cd "$directory"
# The bundle leaves out what is optional (.config/bundle.js).
npm sbom --package-lock-only --omit=optional --sbom-format=cyclonedx
