# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Shared by the lab tests. A test sources this file, defines a function test_NAME for each case and
# ends with `run_cases "$@"`: all cases, or those named. A case fails by any command that fails.
#   require_lab, require_program NAME     skip, or fail where WEFT_REQUIRE_LABS=1
#   make_fabric OPTION...                 writes $fabric, as weft-topo generate leaf-spine does
#   make_three_tier OPTION...             the same of generate three-tier
#   with_lab [OPTION...] FUNCTION ARG...  calls FUNCTION within a lab of $fabric
#   expect_equal, expect, expect_exit     say what was wrong, and fail
#   address_of, names_of                  what $fabric says
#   every_pair_answers                    within a lab: every host answers every host
#   hop HOST ADDRESS TTL                  who says that a packet's TTL ended there
#   send_from_every_port, count_datagrams, datagrams_counted  one datagram from each port, and where
#   after_case                            to be defined anew by a test that has to clean up
#   start_responder NODE                  within a lab: returns when it answers; ends with the lab
# $work is a folder that goes away when the test ends. Programs come from WEFT_BIN.
set -euo pipefail

tests=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
kernel_fabric=$(cd -- "$tests/../../scripts/lab" && pwd)/kernel-fabric
work=${work:-}
fabric=${fabric:-}
export WEFT_BIN=${WEFT_BIN:-$tests/../../build/release/bin} kernel_fabric work fabric
export PATH=$WEFT_BIN:$PATH

fail() {  # MESSAGE
  echo "FAILED: $1" >&2
  exit 1
}

skip() {  # REASON
  [[ ${WEFT_REQUIRE_LABS-} != 1 ]] || fail "cannot run here, and labs are required: $1"
  echo "SKIPPED: $1"
  exit 77
}

require_lab() {
  local reason
  reason=$("$kernel_fabric" check 2>&1) || skip "$reason"
}

require_program() {  # NAME
  type -P "$1" >/dev/null || skip "$1: not built in $WEFT_BIN"
}

expect_equal() {  # WHAT ACTUAL EXPECTED
  [[ $2 == "$3" ]] || fail "$1: \"$2\", expected \"$3\""
}

expect() {  # WHAT ARITHMETIC-EXPRESSION
  (($2)) || fail "$1: expected $2"
}

expect_exit() {  # CODE TEXT-IN-STDERR CMD...
  local status=0 said
  said=$("${@:3}" 2>&1 >/dev/null) || status=$?
  expect_equal "exit code of ${*:3}" "$status" "$1"
  [[ $said == *"$2"* ]] || fail "${*:3} said \"$said\", expected \"$2\" in it"
}

make_fabric() {  # OPTION-OF-GENERATE...
  fabric=$work/fabric
  weft-topo generate leaf-spine "$@" -o "$fabric"
}

make_three_tier() {  # OPTION-OF-GENERATE...
  fabric=$work/fabric
  weft-topo generate three-tier "$@" -o "$fabric"
}

with_lab() {  # [OPTION-OF-RUN...] FUNCTION ARG...
  local options=()
  while [[ $1 == --* ]]; do
    options+=("$1")
    shift
  done
  # shellcheck disable=SC2046
  export -f $(compgen -A function)
  # shellcheck disable=SC2016
  "$kernel_fabric" run "${options[@]}" "$fabric" -- bash -euo pipefail -c '"$@"' lab "$@"
}

address_of() {  # NODE:INTERFACE
  jq -r --arg node "${1%%:*}" --arg interface "${1#*:}" \
    'select(.node.name == $node) | .node.interfaces[] | select(.name == $interface) | .address' \
    "$fabric"
}

names_of() {  # JQ-CONDITION, as '.tier == 0'
  jq -r "select(.node) | .node | select($1) | .name" "$fabric"
}

answers() {  # HOST ADDRESS [PING-OPTION...]
  kernel-fabric exec "$1" ping -n -c 1 -W 1 "${@:3}" "$2" >/dev/null
}

every_pair_answers() {
  local from to hosts address
  mapfile -t hosts < <(names_of '.kind == "host"')
  for to in "${hosts[@]}"; do
    address=$(address_of "$to:eth0")
    for from in "${hosts[@]}"; do
      answers "$from" "$address" || fail "$to does not answer $from"
    done
  done
}

# Of either family: "Time to live exceeded", or "Time exceeded: Hop limit".
hop() {  # HOST ADDRESS TTL
  kernel-fabric exec "$1" ping -n -c 1 -W 1 -t "$3" "$2" |
    sed -n 's/^From \([0-9a-f.:]*\).*\(exceeded\|Hop limit\).*/\1/p' || true
}

readonly port_count=64 datagram_bytes=1000
export port_count datagram_bytes

# Sends a datagram from each port of 50000 to 50063 at once: the kernel hands out each one time.
send_from_every_port() {  # HOST ADDRESS
  # shellcheck disable=SC2016
  kernel-fabric exec "$1" bash -euc '
    echo "50000 $((50000 + $2 - 1))" >/proc/sys/net/ipv4/ip_local_port_range
    payload=$(printf "%*s" "$3" "")
    for ((port = 0; port < $2; port++)); do exec {socket}<>"/dev/udp/$1/4791"; done
    for ((port = 0; port < $2; port++)); do printf "%s" "$payload" >&"$((socket - port))"; done
  ' send "$2" "$port_count" "$datagram_bytes"
}

# From here on a node counts, from 0, the datagrams to port 4791 that it passes on, by interface.
count_datagrams() {  # NODE...
  local node
  for node in "$@"; do
    jq -rn --arg node "$node" '"table inet count", "delete table inet count",
      "table inet count {", "chain out {", "type filter hook postrouting priority 0;",
      (inputs | select(.node.name == $node) | .node.interfaces[]
       | "oifname \"\(.name)\" udp dport 4791 counter comment \"\(.name)\""), "}", "}"' \
      "$fabric" | kernel-fabric exec "$node" nft -f -
  done
}

# Lines "NODE INTERFACE COUNT" of the nodes that count.
datagrams_counted() {  # NODE...
  local node
  for node in "$@"; do
    kernel-fabric exec "$node" nft -j list table inet count |
      jq -r --arg node "$node" '.nftables[].rule // empty
        | [$node, .comment, (.expr[].counter // empty | .packets)] | map(tostring) | join(" ")'
  done
}

sum() { awk -v column="$1" '{ total += $column } END { print total + 0 }'; }

group_size() {  # NODE ADDRESS
  local family=-4
  [[ $2 != *:* ]] || family=-6
  kernel-fabric exec "$1" ip "$family" -j route show "$2" | jq '.[0] | (.nexthops // [.]) | length'
}

# It prints its target record once it listens.
start_responder() {  # NODE
  local tries
  kernel-fabric exec "$1" weft-probe respond --name "$1" >"$work/target-$1" 2>"$work/responder-$1" &
  for ((tries = 0; tries < 600; tries++)); do
    [[ ! -s $work/target-$1 ]] || return 0
    sleep 0.05
  done
  fail "no responder on $1: $(cat "$work/responder-$1")"
}

after_case() { :; }  # A test may say what it must clean up, however a case ends.

run_cases() {  # [CASE...]
  local name status=0
  (($#)) || set -- $(compgen -A function test_ | sed 's/^test_//')
  require_lab
  work=$(mktemp -d)
  trap 'rm -rf -- "$work"' EXIT
  chmod 755 "$work"
  for name in "$@"; do
    # Not in a condition, where bash would go on after a command that fails.
    set +e
    (
      set -e
      trap after_case EXIT
      "test_$name"
    )
    status=$?
    set -e
    ((status == 0)) || { echo "in case $name" >&2 && exit "$status"; }
    echo "ok $name"
  done
}
