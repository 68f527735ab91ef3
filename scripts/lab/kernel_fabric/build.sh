# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Builds the lab, as process 1 of its namespaces. In WEFT_LAB it leaves
#   fabric         the fabric file
#   nodes          name, kind, the node's own address: one line a node, in the file's order
#   ends           one line a link end: link number, node, interface, address, the peer's node,
#                  interface and address, capacity in bit/s (0: unlimited)
#   setup/NODE     the shell script that configures a node
#   interfaces/NODE  the addresses of its interfaces and the MAC addresses of its neighbours, as
#                  `ip -batch` reads them: an interface that went down has lost them
#   routes/NODE    its routes at present, as `ip -batch` reads them
#   per-packet     the switches that spread packet by packet, separated by commas
# Columns are separated by tabs, "-" stands for no address.
#
# A link whose ends have no address is unnumbered: each end then has a link-local IPv6 address, made
# of its line in `ends`, and is a next hop by that, for routes of either family (RFC 5549). What a
# switch says of packets that came in there, it says from its own address, on its loopback.

readonly read_fabric='
  def fail($what): "fabric: " + $what | error;
  def check_name($what; $most):
    if test("^[A-Za-z0-9_.-]+$") and length <= $most then .
    else fail("\($what) \"\(.)\": expected at most \($most) letters, digits, _, . or -") end;
  if .[0].kind != "fabric" then fail("kind \"\(.[0].kind)\": expected \"fabric\"")
  elif .[0].version != 1 then fail("version \(.[0].version): expected 1") else . end
  | (map(.node // empty | .name |= check_name("node name"; 60))) as $nodes
  | ($nodes | map({key: .name, value: {addresses: (.addresses // []), kind,
                                       interfaces: (.interfaces // []
                                         | map({key: .name, value: .address}) | from_entries)}})
     | from_entries) as $node
  | def link_end($port):
      [$port.node, ($port.interface | check_name("interface name of \($port.node)"; 15)),
       ($node[$port.node].interfaces[$port.interface] // "" | if . == "" then "-" else . end)];
    def check_numbers($own; $peer):
      if $own[2] != "-" then .
      elif $peer[2] != "-" or $node[$own[0]].kind == "host"
      then fail("\($own[0]):\($own[1]): expected an address")
      elif $node[$own[0]].addresses == [] and $node[$peer[0]].kind != "host"
      then fail("\($own[0]): expected an address of its own, as \($own[1]) has none") else . end;
  ($nodes[] | ["node", .name, .kind // "unknown", (.addresses // [])[0] // "-"]),
  ([.[] | .link // empty] | to_entries[] | .key as $key | .value as $link
   | ($link.capacity_bps // 0 | floor) as $capacity
   | link_end($link.a) as $a | link_end($link.b) as $b
   | check_numbers($a; $b) | check_numbers($b; $a)
   | (["end", $key] + $a + $b + [$capacity]), (["end", $key] + $b + $a + [$capacity]))
  | @tsv'

build_lab() {
  local started=$EPOCHREALTIME
  cat <&9 >"$WEFT_LAB/fabric"
  exec 9<&-
  mkdir "$WEFT_LAB/setup" "$WEFT_LAB/routes" "$WEFT_LAB/interfaces"
  touch "$WEFT_LAB/faults" "$WEFT_LAB/down" "$WEFT_LAB/silent"
  echo "$per_packet" >"$WEFT_LAB/per-packet"
  ask_next_hops ''
  jq -rs "$read_fabric" "$WEFT_LAB/fabric" >"$WEFT_LAB/plan" 2>"$WEFT_LAB/problem" ||
    die 3 "$(sed 's/^jq: error ([^)]*): //' "$WEFT_LAB/problem")"
  sed -n 's/^node\t//p' "$WEFT_LAB/plan" >"$WEFT_LAB/nodes"
  sed -n 's/^end\t//p' "$WEFT_LAB/plan" >"$WEFT_LAB/ends"
  check_per_packet
  write_routes
  write_setup
  create_links
  cut -f 1 "$WEFT_LAB/nodes" | xargs -P "$(nproc)" -I{} \
    nsenter --net=/run/netns/{} sh -e "$WEFT_LAB/setup/{}" || die 1 'the lab could not be built'
  report_build "$started"
}

report_build() {  # STARTED
  local elapsed_ms=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 1000))
  printf 'kernel-fabric: %d nodes, %d links in %d.%d s (hash seed %s, ICMP limits %s, MTU %d%s)\n' \
    "$(wc -l <"$WEFT_LAB/nodes")" "$(($(wc -l <"$WEFT_LAB/ends") / 2))" \
    $((elapsed_ms / 1000)) $((elapsed_ms % 1000 / 100)) "$hash_seed" "$icmp_limits" "$mtu" \
    "${per_packet:+, per packet at $per_packet}" >&2
}

# Both ends are made where they belong: interface names are a node's own. An end's MAC address is its
# line in `ends`, so that neighbours are known without ARP, which a full queue would drop.
create_links() {
  {
    sed 's/^\([^\t]*\).*/netns add \1/' "$WEFT_LAB/nodes"
    awk -F'\t' -v mtu="$mtu" '
      function mac(end) { return sprintf("02:00:%02x:%02x:%02x:%02x", end / 16777216 % 256,
                                         end / 65536 % 256, end / 256 % 256, end % 256) }
      NR % 2 { printf "link add name %s netns %s mtu %d address %s type veth peer name %s netns %s" \
                      " mtu %d address %s\n", $3, $2, mtu, mac(NR), $6, $5, mtu, mac(NR + 1) }
      ' "$WEFT_LAB/ends"
  } | ip -batch - || die 1 'namespaces and links could not be made'
}
