# Read by the scripts beside it. `run COMMAND...` runs it, or with --dry-run prints it so that it could be pasted.

dry_run=
identity=${ESPALIER_SIGN_IDENTITY:--}

say_command() {
    line=
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./:=@%+,-]*) word="'$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'" ;;
        esac
        line="$line${line:+ }$word"
    done
    printf '%s\n' "$line"
}

run() {
    if [ -n "$dry_run" ]; then
        say_command "$@"
    else
        "$@"
    fi
}

stop() {
    echo "$*" >&2
    exit 1
}

is_adhoc() {
    [ "$identity" = - ]
}
