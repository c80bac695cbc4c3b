#!/bin/sh
# Looks at pages in headless Chromium: see look.mjs. Without arguments: at the samples that
# `cargo test --test it -- s5_pages l1_the_page l2_every_link` writes. Exits with 77 where a browser or npm is not to be had.
set -eu
cd "$(dirname "$0")/../.."
skip() { echo "SKIPPED: $1" >&2; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip 'no node and npm'
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip 'no Chromium (apt-get install -y chromium)'
mkdir -p target/look
# Exact versions, so that what passes today passes tomorrow.
wanted='{"private":true,"dependencies":{"axe-core":"4.14.1","playwright-core":"1.64.1"}}'
if [ "$(cat target/look/installed 2>/dev/null)" != "$wanted" ]; then
    echo "$wanted" >target/look/package.json
    npm install --prefix target/look --no-audit --no-fund >&2 || skip 'npm installs nothing'
    echo "$wanted" >target/look/installed
fi
if [ $# -eq 0 ]; then
    set -- target/tmp/report/rich.html target/tmp/report/empty.html
    for page in target/tmp/pages/*.html; do
        [ ! -f "$page" ] || set -- "$@" "$page"
    done
fi
exec node tests/report/look.mjs "$@"
