# For scripts that drive a browser: `browser FOLDER` sets CHROMIUM, and NODE_MODULES to a folder that has the packages
# playwright-core and axe-core: the one that it names already, or one that npm fills below FOLDER. Where something cannot
# be had, it fails, and MISSING says what.
browser() {
    CHROMIUM="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
    export CHROMIUM NODE_MODULES="${NODE_MODULES:-$1/node_modules}"
    MISSING=
    if [ -z "$CHROMIUM" ]; then
        MISSING="Chromium is not installed"
    elif ! command -v node >/dev/null; then
        MISSING="node is not installed"
    elif [ ! -e "$NODE_MODULES/playwright-core" ] || [ ! -e "$NODE_MODULES/axe-core" ]; then
        NODE_MODULES="$1/node_modules"
        npm install --silent --no-audit --no-fund --prefix "$1" playwright-core axe-core >/dev/null 2>&1 ||
            MISSING="npm did not install playwright-core and axe-core"
    fi
    [ -z "$MISSING" ]
}
