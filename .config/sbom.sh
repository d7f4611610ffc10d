#!/bin/sh
# Prints what the program needs at run time as a CycloneDX bill of materials. `npm sbom --omit=dev` leaves out
# packages that development needs too, so this removes development first.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cp package.json package-lock.json "$directory"
cd "$directory"
npm pkg delete devDependencies
npm install --package-lock-only --ignore-scripts --silent
npm sbom --package-lock-only --sbom-format=cyclonedx
