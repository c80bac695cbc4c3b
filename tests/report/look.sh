#!/bin/sh
# Looks at pages in headless Chromium: see look.mjs. Without pages: at the samples that
# `cargo test --test it -- s5_pages l1_the_page l2_every_link c5_a_sheet` writes. Exits with 77 where a browser or npm is not to be had.
set -eu
cd "$(dirname "$0")/../.."
. tests/report/browser.sh
if [ $# -eq 0 ] || { [ $# -eq 2 ] && [ "$1" = --out ]; }; then
    set -- "$@" target/tmp/report/rich.html target/tmp/report/empty.html
    for page in target/tmp/pages/*.html; do
        [ ! -f "$page" ] || set -- "$@" "$page"
    done
fi
exec node tests/report/look.mjs "$@"
