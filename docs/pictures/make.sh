#!/bin/sh
# Makes the pictures of docs/src/images: docs/pictures/make.sh [NAME…]
# Takes $REBUT and $MOCK, or the dev builds. Needs Chromium, npm and PyPI's pillow; exits with 77 where they are not to be had.
# Finished debates are rehearsals, and the model of running ones is `scripted`: both show it.
set -eu
cd "$(dirname "$0")/../.."
. tests/report/browser.sh
export REBUT="${REBUT:-target/debug/rebut}" MOCK="${MOCK:-target/debug/mock-ollama}"
[ -x "$REBUT" ] && [ -x "$MOCK" ] || skip "no $REBUT or no $MOCK (cargo build --workspace)"
python=target/look/python/bin/python
[ -x "$python" ] || python3 -m venv target/look/python
"$python" -m pip install --quiet pillow==12.0.0 || skip 'no pillow'
rm -rf target/look/pictures
node docs/pictures/make.mjs target/look/pictures "$@"
"$python" docs/pictures/palette.py target/look/pictures/*.png
cp target/look/pictures/*.png docs/src/images/
