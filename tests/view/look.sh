#!/bin/sh
# Follows debates in the viewer in headless Chromium: see look.mjs. Takes $REBUT and $MOCK, or the dev builds that
# `cargo test --workspace` leaves. Exits with 77 where a browser, npm or these are not to be had.
set -eu
cd "$(dirname "$0")/../.."
. tests/report/browser.sh
export REBUT="${REBUT:-target/debug/rebut}" MOCK="${MOCK:-target/debug/mock-ollama}"
[ -x "$REBUT" ] && [ -x "$MOCK" ] || skip "no $REBUT or no $MOCK (cargo build --workspace)"
exec node tests/view/look.mjs "$@"
