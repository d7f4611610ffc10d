#!/bin/sh
# Writes package.json and package-lock.json of what the program needs at run time to a directory: its dependencies,
# and the libraries in its bundle that are dependencies of development. `npm --omit=dev` would leave out packages
# that development needs too.
set -eu
cp package.json package-lock.json "$1"
cd "$1"
for name in bullmq ioredis; do
  npm pkg set "dependencies.$name=$(npm pkg get "devDependencies.$name" | tr -d '"')"
done
npm pkg delete devDependencies
npm install --package-lock-only --ignore-scripts --silent
