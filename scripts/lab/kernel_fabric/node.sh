# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The script that makes one namespace a switch or a host of the lab: addresses, neighbours, queues and
# settings of the kernel.

# Whether anything in the lab needs IPv6.
has_ipv6() { grep -q ':' "$WEFT_LAB/ends" || grep -q $'\t-\t' "$WEFT_LAB/ends"; }

# These three answer in `reply`: a process for each would take longer than the rest.
mac() {  # END
  printf -v reply '02:00:%02x:%02x:%02x:%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) \
    $(($1 >> 8 & 255)) $(($1 & 255))
}

link_local() { printf -v reply 'fe80::%x:%x' $(($1 >> 16)) $(($1 & 65535)); }  # END

# An address as `ip address` takes it. Without nodad an IPv6 one may be used only a moment later.
with_prefix() {  # ADDRESS IPV4-PREFIX IPV6-PREFIX DEVICE
  if [[ $1 == *:* ]]; then reply="$1/$3 dev $4 nodad"; else reply="$1/$2 dev $4"; fi
}

# Of the ends of all links, by node: what is said of its interfaces, and to them.
collect_interfaces() {
  local node interface address peer_address capacity end=0 peer_end prefix=127 reply
  while IFS=$'\t' read -r _ node interface address _ _ peer_address capacity; do
    peer_end=$((++end % 2 ? end + 1 : end - 1))
    links[$node]+="link set dev $interface up"$'\n'
    if [[ $address == - ]]; then
      link_local "$peer_end" && peer_address=$reply
      link_local "$end" && address=$reply
      prefix=64
    fi
    with_prefix "$address" 31 "$prefix" "$interface"
    interfaces[$node]+="address replace $reply"$'\n'
    mac "$peer_end"
    interfaces[$node]+="neighbour replace $peer_address dev $interface lladdr $reply nud permanent"$'\n'
    gateways[$node]+=" nexthop via $peer_address dev $interface"
    ((capacity == 0)) || queues[$node]+="qdisc add dev $interface root $(queue "$capacity")"$'\n'
    prefix=127
  done <"$WEFT_LAB/ends"
}

write_setup() {
  local -A links=() interfaces=() queues=() gateways=()
  local node kind own default position=0 ipv6=0 reply
  has_ipv6 && ipv6=1
  collect_interfaces
  while IFS=$'\t' read -r node kind own; do
    if [[ $kind == host ]]; then
      [[ ${gateways[$node]-} == *via\ *:* ]] && default=::/0 || default=default
      echo "route replace $default${gateways[$node]-}" >"$WEFT_LAB/routes/$node"
    fi
    printf %s "${interfaces[$node]-}" >"$WEFT_LAB/interfaces/$node"
    {
      common_settings
      [[ $icmp_limits == on ]] || unlimited_icmp
      [[ $kind == host ]] || switch_settings "$((++position))"
      printf 'ip -batch - <<END\nlink set dev lo up\n'
      [[ $own == - ]] || { with_prefix "$own" 32 128 lo && echo "address add $reply"; }
      printf '%sEND\n' "${links[$node]-}"
      [[ -z ${queues[$node]-} ]] || printf 'tc -batch - <<END\n%sEND\n' "${queues[$node]}"
      echo "ip -batch $WEFT_LAB/interfaces/$node"
      ! is_per_packet "$node" || per_packet_settings
      [[ ! -f $WEFT_LAB/routes/$node ]] || echo "ip -batch $WEFT_LAB/routes/$node"
    } >"$WEFT_LAB/setup/$node"
  done <"$WEFT_LAB/nodes"
  warn_of_kernel
}

# A token bucket that holds 10 ms of the rate and at least five packets, before a queue of 200 ms at
# 20 Mbit/s: longer where the rate is lower (up to 400 ms), shorter where it is higher (down to 20).
queue() {  # CAPACITY-BPS
  local burst=$(($1 / 800)) latency=$((4000000000 / $1))
  ((burst >= 5 * mtu)) || burst=$((5 * mtu))
  ((latency <= 400)) || latency=400
  ((latency >= 20)) || latency=20
  echo "tbf rate ${1}bit burst $burst latency ${latency}ms"
}

setting() {  # NAME VALUE: only where this kernel has it
  [[ ! -w /proc/sys/net/$1 ]] || echo "echo $2 >/proc/sys/net/$1"
}

setting_everywhere() {  # FAMILY NAME VALUE: for interfaces that are there and that will be
  echo "for file in /proc/sys/net/$1/conf/*/$2; do [ ! -w \$file ] || echo $3 >\$file; done"
}

# Of IPv6 only what the lab gives it: no addresses of the kernel's own, nor a wait for whether
# somebody else has one.
common_settings() {
  setting_everywhere ipv4 rp_filter 0
  if ((!ipv6)); then
    setting_everywhere ipv6 disable_ipv6 1
    return
  fi
  setting_everywhere ipv6 addr_gen_mode 1
  setting_everywhere ipv6 accept_dad 0
  setting_everywhere ipv6 accept_ra 0
  setting_everywhere ipv6 router_solicitations 0
}

# The 5-tuple is hashed as policy 3 with fields 0x37 where the kernel has that: under policy 1 it takes
# a hash that the packet carries already, and a veth pair brings along the random one which the
# sender's kernel gives to every connected socket. With a hash seed per switch, the address of an
# ICMP answer would be that of the way back; a hop must answer from the interface on which the
# packet came in.
switch_settings() {  # POSITION, from 1
  local seed=1 family fields
  [[ $hash_seed == shared ]] ||
    seed=$(((hash_seed * 2654435761 + $1 * 40503 * 65537) % 4294967295 + 1))
  setting_everywhere ipv4 send_redirects 0
  setting ipv4/ip_forward 1
  ((!ipv6)) || setting ipv6/conf/all/forwarding 1
  for family in ipv4 ipv6; do
    fields=0x37
    [[ $family == ipv4 || $hash_flow_label == off ]] || fields=0x3f
    if [[ -w /proc/sys/net/$family/fib_multipath_hash_fields ]]; then
      setting "$family/fib_multipath_hash_fields" "$fields"
      setting "$family/fib_multipath_hash_policy" 3
    else
      setting "$family/fib_multipath_hash_policy" 1
    fi
  done
  setting ipv4/fib_multipath_hash_seed "$seed"
  setting ipv4/icmp_errors_use_inbound_ifaddr 1
  [[ $icmp_limits == off ]] || limited_icmp
}

unlimited_icmp() {
  setting ipv4/icmp_ratelimit 0
  setting ipv6/icmp/ratelimit 0
  setting ipv4/icmp_msgs_per_sec 100000
  setting ipv4/icmp_msgs_burst 100000
}

# A budget for the whole switch and both families, as the policer of a real one's TTL trap has; or,
# where the kernel has no such budget per namespace, one towards each host.
limited_icmp() {
  if [[ -w /proc/sys/net/ipv4/icmp_msgs_per_sec ]]; then
    setting ipv4/icmp_ratelimit 0
    setting ipv6/icmp/ratelimit 0
    setting ipv4/icmp_msgs_per_sec 100
    setting ipv4/icmp_msgs_burst 20
  else
    setting ipv4/icmp_ratelimit 10
    setting ipv6/icmp/ratelimit 10
  fi
}

warn_of_kernel() {
  [[ -w /proc/sys/net/ipv4/fib_multipath_hash_seed ]] || echo "kernel-fabric: this kernel has no\
 fib_multipath_hash_seed: all switches hash alike, and not as in another run" >&2
  [[ -w /proc/sys/net/ipv4/icmp_msgs_per_sec || $icmp_limits == off ]] || echo "kernel-fabric: this\
 kernel limits ICMP per destination: 100 answers a second to each host, not in all" >&2
}
