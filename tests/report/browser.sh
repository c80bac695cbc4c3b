# Sourced by scripts that need a browser: installs playwright-core and axe-core in target/look, or exits with 77 and says why.
# The caller stands in the root of the repository.
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
