# shellcheck shell=bash
# A headless Chromium, controlled by the DevTools protocol over a pipe: JSON messages that end with
# a zero byte. To be sourced under `set -u`; needs jq. The caller has a folder `work`.

browser_pid=
browser_last=0
browser_session=

# browser_start PROGRAM: starts a new browser
browser_start() {
    # shellcheck disable=SC2154 # of the caller
    mkfifo "$work/to-browser" "$work/from-browser"
    "$1" --headless=shell --no-sandbox --no-zygote --disable-gpu --no-first-run --disable-dev-shm-usage \
        --disable-background-networking --disable-component-update --hide-scrollbars \
        --user-data-dir="$work/browser" --remote-debugging-pipe \
        3<"$work/to-browser" 4>"$work/from-browser" >"$work/browser.log" 2>&1 &
    browser_pid=$!
    exec {browser_in}>"$work/to-browser" {browser_out}<"$work/from-browser"
}

browser_stop() {
    [ -n "$browser_pid" ] || return 0
    exec {browser_in}>&- {browser_out}<&-
    kill "$browser_pid" 2>/dev/null
    wait "$browser_pid" 2>/dev/null
    browser_pid=
}

# browser_call METHOD [PARAMETERS]: prints the result, a line of JSON. Events on the way are kept in
# $work/events, a line each. Fails, with the answer, if it is an error or does not come.
browser_call() {
    local answer parameters=${2:-'{}'}
    browser_last=$((browser_last + 1))
    printf '{"id":%d,"method":"%s","params":%s%s}\0' "$browser_last" "$1" "$parameters" \
        "${browser_session:+,\"sessionId\":\"$browser_session\"}" >&"$browser_in"
    while IFS= read -r -t 60 -d '' -u "$browser_out" answer; do
        case $answer in
        "{\"id\":$browser_last,"*)
            jq -ce 'if .error then error(.error.message) else .result end' <<<"$answer"
            return
            ;;
        *) printf '%s\n' "$answer" >>"$work/events" ;;
        esac
    done
    echo "no answer to $1" >&2
    return 1
}

# browser_open URL: opens a new page, to which the following calls apply
browser_open() {
    local target
    browser_session=
    : >"$work/events"
    target=$(browser_call Target.createTarget '{"url":"about:blank"}' | jq -r .targetId) || return 1
    browser_session=$(browser_call Target.attachToTarget "{\"targetId\":\"$target\",\"flatten\":true}" |
        jq -r .sessionId) || return 1
    browser_call Runtime.enable >/dev/null && browser_call Log.enable >/dev/null &&
        browser_call Page.enable >/dev/null && browser_call Page.navigate "{\"url\":\"$1\"}" >/dev/null
}

# browser_value EXPRESSION: prints its value as text; waits for promises
browser_value() {
    local parameters
    parameters=$(jq -cn --arg text "$1" '{expression: $text, returnByValue: true, awaitPromise: true}')
    browser_call Runtime.evaluate "$parameters" |
        jq -r 'if .exceptionDetails then "exception: " + .exceptionDetails.exception.description
               else .result.value end'
}

# browser_wait EXPRESSION: waits until it is true; fails after a minute. Errors count as false: for a while
# after browser_open() the page is still the empty one, and its promises are lost.
browser_wait() {
    local end=$((SECONDS + 60))
    until [ "$(browser_value "(() => { try { return Boolean($1); } catch { return false; } })()" 2>/dev/null)" = true ]; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# browser_dark YES: sets the colour scheme that the user prefers
browser_dark() {
    browser_call Emulation.setEmulatedMedia "{\"features\":[{\"name\":\"prefers-color-scheme\",
        \"value\":\"$([ "$1" = yes ] && echo dark || echo light)\"}]}" >/dev/null
}

# browser_screenshot FILE WIDTH HEIGHT: writes a PNG of the page from its top
browser_screenshot() {
    browser_call Emulation.setDeviceMetricsOverride \
        "{\"width\":$2,\"height\":$3,\"deviceScaleFactor\":1,\"mobile\":false}" >/dev/null &&
        browser_call Page.captureScreenshot '{"format":"png"}' | jq -r .data | base64 -d >"$1"
}

# browser_complaints: prints console messages and exceptions of the page
browser_complaints() {
    jq -r 'select(.method == "Runtime.exceptionThrown" or .method == "Log.entryAdded" or
                  .method == "Runtime.consoleAPICalled") | .params | tostring' "$work/events"
}

# browser_key NAME: presses and releases a key
browser_key() {
    local type
    for type in keyDown keyUp; do
        browser_call Input.dispatchKeyEvent \
            "{\"type\":\"$type\",\"key\":\"$1\",\"code\":\"$1\",\"windowsVirtualKeyCode\":9}" >/dev/null
    done
}
