#!/bin/sh
# From a bundle that was just built to what is handed out: signed, notarised where there are credentials, in a disk image.
#
#     finish.sh [--dry-run] dist/Espalier.app dist/Espalier.dmg
#
# The environment is that of sign.sh and notarise.sh beside it.
set -eu
here=$(dirname "$0")
. "$here/common.sh"
option=
[ "${1:-}" = --dry-run ] && { option=--dry-run; shift; }
[ $# = 2 ] || stop "usage: finish.sh [--dry-run] Espalier.app Espalier.dmg"

notarise() {
    if is_adhoc || [ -z "${ESPALIER_NOTARY_PROFILE:-}${ESPALIER_NOTARY_KEY:-}" ]; then
        echo "$1 is not notarised: on another Mac, the person has to allow it once in System Settings."
    else
        sh "$here/notarise.sh" ${option:+"$option"} "$1"
    fi
}

sh "$here/sign.sh" ${option:+"$option"} "$1"
notarise "$1"
sh "$here/make_dmg.sh" ${option:+"$option"} "$1" "$2"
notarise "$2"
