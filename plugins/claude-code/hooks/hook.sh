#!/bin/sh
# Runs Wakeshift's hook for one event of Claude Code. Where Wakeshift isn't set up on this machine it leaves with 0 and
# nothing happens: a hook never breaks the program that calls it.
home=${WAKESHIFT_HOME:-}
if [ -z "$home" ]; then
  case $(uname -s) in
    Darwin) home="$HOME/Library/Application Support/Wakeshift" ;;
    MINGW* | MSYS* | CYGWIN*) home="$LOCALAPPDATA/Wakeshift" ;;
    *) home="${XDG_STATE_HOME:-$HOME/.local/state}/wakeshift" ;;
  esac
fi
launcher="$home/bin/wakeshift"
[ -f "$launcher" ] || launcher="$launcher.cmd"
[ -f "$launcher" ] || exit 0
# One file for each conversation with something subscribed or pending: without any, these events need no process.
[ "${2:-}" != if-anything-lives ] || [ -n "$(ls -A "$home/live" 2>/dev/null)" ] || exit 0
exec "$launcher" hook claude-code "$1"
