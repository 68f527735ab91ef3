# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# What goes wrong in a lab, and how it is put right. WEFT_LAB/faults is the whole truth: a line
# "silent|loud TARGET" for each fault, a link by its end that the fabric file names first. settle()
# makes the lab so; `down` and `silent` hold what was done, as lines "NODE INTERFACE", the interface
# of a node that swallows everything being "*". Columns are separated by tabs.

node_kind() { awk -F'\t' -v node="$1" '$1 == node { print $2 }' "$WEFT_LAB/nodes"; }

require_node() {  # NODE
  [[ -n $(node_kind "$1") ]] ||
    die 2 "node \"$1\": not in this lab, which has $(cut -f 1 "$WEFT_LAB/nodes" | paste -sd ' ')"
}

# Prints what a person names as faults has it: the node, or the link by its first end.
canonical_target() {  # NODE|NODE:INTERFACE
  local node=${1%%:*} target=$1
  require_node "$node"
  if [[ $1 == *:* ]]; then
    target=$(awk -F'\t' -v node="$node" -v interface="${1#*:}" '
      { first = NR % 2 ? $2 ":" $3 : $5 ":" $6 }
      $2 == node && $3 == interface { print first }' "$WEFT_LAB/ends")
    [[ -n $target ]] || die 2 "interface \"${1#*:}\": not one of $node, which has $(
      awk -F'\t' -v node="$node" '$2 == node { print $3 }' "$WEFT_LAB/ends" | paste -sd ' ')"
  fi
  echo "$target"
}

# One change at a time: commands of a lab may run side by side.
lock_lab() {
  exec 8>"$WEFT_LAB/lock"
  flock 8
}

forget_fault() {  # CANONICAL-TARGET
  awk -F'\t' -v target="$1" '$2 != target' "$WEFT_LAB/faults" >"$WEFT_LAB/faults.next"
  mv "$WEFT_LAB/faults.next" "$WEFT_LAB/faults"
}

lab_fail() {  # silent|loud TARGET
  (($# == 2)) || usage_error 'fail: expected silent or loud, then NODE or NODE:INTERFACE'
  [[ $1 == silent || $1 == loud ]] || usage_error "fail \"$1\": expected silent or loud"
  local target
  target=$(canonical_target "$2")
  lock_lab
  forget_fault "$target"
  printf '%s\t%s\n' "$1" "$target" >>"$WEFT_LAB/faults"
  settle
}

lab_repair() {  # TARGET|all
  (($# == 1)) || usage_error 'repair: expected NODE, NODE:INTERFACE or all'
  local target
  if [[ $1 == all ]]; then
    lock_lab
    : >"$WEFT_LAB/faults"
  else
    target=$(canonical_target "$1")
    lock_lab
    cut -f 2 "$WEFT_LAB/faults" | grep -qxF -- "$target" || die 1 "$1 has no fault; these have: $(
      cut -f 2 "$WEFT_LAB/faults" | paste -sd ' ')"
    forget_fault "$target"
  fi
  settle
}

# Prints the ends of the links that are to be down, sorted.
loud_places() {
  awk -F'\t' -v OFS='\t' '
    FILENAME ~ /faults$/ { if ($1 == "loud") failed[$2] = 1; next }
    $2 in failed || $5 in failed || ($2 ":" $3) in failed || ($5 ":" $6) in failed { print $2, $3 }' \
    "$WEFT_LAB/faults" "$WEFT_LAB/ends" | LC_ALL=C sort -u
}

# Prints where packets are to be swallowed, sorted: a node that does does so at all its interfaces, a
# link at both ends.
silent_places() {
  awk -F'\t' -v OFS='\t' '
    FILENAME ~ /faults$/ { if ($1 == "silent") failed[$2] = 1; next }
    FILENAME ~ /nodes$/ { if ($1 in failed) print $1, "*"; next }
    ($2 ":" $3) in failed || ($5 ":" $6) in failed { print $2, $3 }' \
    "$WEFT_LAB/faults" "$WEFT_LAB/nodes" "$WEFT_LAB/ends" | LC_ALL=C sort -u
}

settle() {
  local node
  loud_places >"$WEFT_LAB/down.next"
  silent_places >"$WEFT_LAB/silent.next"
  LC_ALL=C comm -3 "$WEFT_LAB/silent" "$WEFT_LAB/silent.next" | awk '{ print $1 }' | sort -u |
    while read -r node; do swallow "$node"; done
  mv "$WEFT_LAB/silent.next" "$WEFT_LAB/silent"
  if ! cmp -s "$WEFT_LAB/down" "$WEFT_LAB/down.next"; then
    change_links
    mv "$WEFT_LAB/down.next" "$WEFT_LAB/down"
    reroute
  fi
}

# Takes a node to where silent.next has it. Packets are dropped as they come in, at both ends of a
# silent link: senders count them as sent. A switch that swallows everything stops forwarding, which
# sends no ICMP.
swallow() {  # NODE
  local node=$1 places is_host=0 all=0 forward6=/proc/sys/net/ipv6/conf/all/forwarding
  [[ $(node_kind "$node") != host ]] || is_host=1
  mapfile -t places < <(awk -F'\t' -v node="$node" '$1 == node { print $2 }' \
    "$WEFT_LAB/silent.next")
  if [[ ${places[0]-} == '*' ]]; then
    all=1
    places=("${places[@]:1}")
  fi
  swallow_rules | ip netns exec "$node" nft -f -
  ((is_host)) || ip netns exec "$node" sh -c "echo $((1 - all)) >/proc/sys/net/ipv4/ip_forward
    [ ! -w $forward6 ] || echo $((1 - all)) >$forward6"
}

# Declared before it is deleted, so that it need not be there.
swallow_rules() {
  local incoming=accept
  printf 'table inet weft_lab\ndelete table inet weft_lab\n'
  ((all || ${#places[@]})) || return 0
  echo 'add table inet weft_lab'
  if ((all && is_host)); then
    incoming=drop
    echo 'add chain inet weft_lab out { type filter hook output priority -300; policy drop; }'
  fi
  echo "add chain inet weft_lab in { type filter hook prerouting priority -300; policy $incoming; }"
  ((${#places[@]} == 0)) || printf 'add rule inet weft_lab in iifname "%s" drop\n' "${places[@]}"
}

# ---- Loud faults

change_links() {
  LC_ALL=C comm -13 "$WEFT_LAB/down" "$WEFT_LAB/down.next" | set_links down
  LC_ALL=C comm -23 "$WEFT_LAB/down" "$WEFT_LAB/down.next" | set_links up
}

# An interface that goes down forgets its neighbours, and its IPv6 addresses.
set_links() {  # up|down
  local node interface
  while IFS=$'\t' read -r node interface; do
    ip -n "$node" link set dev "$interface" "$1" </dev/null
    [[ $1 == down ]] || grep -E " dev $interface( |\$)" "$WEFT_LAB/interfaces/$node" |
      ip -n "$node" -batch -
  done
}

# Replaces the routes of all switches as a routing protocol would, and puts those of hosts back that
# went away with their link.
reroute() {
  local node kind old=$WEFT_LAB/routes.old
  rm -rf -- "$old"
  cp -r "$WEFT_LAB/routes" "$old"
  ask_next_hops "$(awk -F'\t' '$1 == "loud" { print $2 }' "$WEFT_LAB/faults")"
  write_routes
  while IFS=$'\t' read -r node kind _; do
    if [[ $kind == host ]]; then
      cut -f 1 "$WEFT_LAB/down" | grep -qxF -- "$node" && continue
    else
      # Those the kernel has removed itself, with the last link they had, are gone already.
      awk 'FNR == NR { kept[$3, $5] = 1; next }
           !(($3, $5) in kept) { print "route del", $3, $4, $5 }' \
        "$WEFT_LAB/routes/$node" "$old/$node" | ip -n "$node" -force -batch - 2>/dev/null || true
    fi
    ip -n "$node" -batch "$WEFT_LAB/routes/$node" </dev/null
  done <"$WEFT_LAB/nodes"
}

# ---- Counters

lab_links() {
  (($# == 0)) || usage_error "links: unexpected \"$1\""
  local node kind
  echo 'from,from_interface,to,to_interface,sent_bytes,sent_packets,dropped_packets'
  # shellcheck disable=SC2094
  while IFS=$'\t' read -r node kind _; do
    [[ $kind == host ]] || { echo "\"$node\"" && tc -n "$node" -s -j qdisc show; }
  done <"$WEFT_LAB/nodes" |
    jq -r 'if type == "string" then . else .[] | select(.kind == "tbf" and .root)
           | [.dev, .bytes, .packets, .drops] | @tsv end' |
    awk -F'\t' -v OFS=, '
      FILENAME ~ /nodes$/ { if ($2 != "host") is_switch[$1] = 1; next }
      FILENAME == "-" { if (NF == 1) node = $1; else counts[node, $1] = $2 OFS $3 OFS $4; next }
      ($2 in is_switch) && ($5 in is_switch) {
        print $2, $3, $5, $6, ($2, $3) in counts ? counts[$2, $3] : OFS OFS }' \
      "$WEFT_LAB/nodes" - "$WEFT_LAB/ends"
}
