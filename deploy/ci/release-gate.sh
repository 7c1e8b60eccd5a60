#!/bin/sh
# The release gate: puts a service under more load than it can take, and lets a
# build pass that holds.
#
#	CAPACITY=460 release-gate.sh URL [FLAG...]
#
# It plays half of the capacity, TIMES the capacity, and half of it again. It ends
# with 0 where the thresholds hold; with 99 where one is missed; with 3 where this
# machine was too busy to say, twice; with 2 where what it was given is wrong.
#
# Flags are those of plimsoll load: the classes of the service and what they have
# to hold. Without any they are those below.
#
#	CAPACITY  requests a second that the service is known to take, as plimsoll load
#	          --find-knee has said once. Do not measure it of the build on trial: one
#	          that takes half as much would pass.
#	TIMES     how much of it is the overload (2)
#	BEFORE, DURING, AFTER   how long the three are played (10s, 20s, 10s), in seconds
#	REPORTS   the folder for release-gate.json and release-gate.html (.)
#	PLIMSOLL  the program (plimsoll)
set -eu

usage() {
	echo "release-gate.sh: want $1" >&2
	exit 2
}
[ $# -ge 1 ] || usage 'the URL of the service'
[ -n "${CAPACITY:-}" ] || usage 'CAPACITY, in requests a second; plimsoll load --find-knee says it'
url=$1
shift
BEFORE=${BEFORE:-10s} DURING=${DURING:-20s} AFTER=${AFTER:-10s} TIMES=${TIMES:-2} REPORTS=${REPORTS:-.}

if [ $# -eq 0 ]; then
	set -- \
		--class 'critical:0.3,deadline=500ms' \
		--class 'sheddable:0.7,deadline=500ms' \
		--threshold 'goodput{class=CRITICAL} >= 0.95' \
		--threshold 'p(99){class=CRITICAL} < 500ms' \
		--threshold 'recovery < 2s'
fi

rate() { awk -v a="$CAPACITY" -v b="$1" 'BEGIN { if (a + 0 <= 0 || b + 0 <= 0) exit 1; printf "%.6g", a * b }'; }
half=$(rate 0.5) || usage "a number above 0 as CAPACITY, have $CAPACITY"
peak=$(rate "$TIMES") || usage "a number above 0 as TIMES, have $TIMES"

play() {
	status=0
	"${PLIMSOLL:-plimsoll}" load "$url" \
		--rate "step $half/s:$BEFORE, $peak/s:$DURING, $half/s:$AFTER" \
		--json "$REPORTS/release-gate.json" --html "$REPORTS/release-gate.html" "$@" || status=$?
}

play "$@"
if [ "$status" -eq 3 ]; then
	echo 'release-gate.sh: once more, for this machine was too busy' >&2
	play "$@"
fi
exit "$status"
