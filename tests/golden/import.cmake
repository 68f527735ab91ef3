# SPDX-License-Identifier: Apache-2.0
# weft-topo import. inputs/import: two traces and a graph of a 2 x 2 fabric as scamper writes them (odd:
# two responders to one flow, an address twice in a row, a loop; damaged: a trace without a
# destination, a hop without an address, a cut line) and two flows as dublin-traceroute writes them.
set(import inputs/import)
weft_golden(topo-import-help EXIT 0 COMMAND weft-topo import --help)
weft_golden(topo-import-scamper EXIT 0 COMMAND weft-topo import --from scamper
            ${import}/scamper.jsonl)
weft_golden(topo-import-odd EXIT 1 COMMAND weft-topo import --from scamper
            ${import}/scamper-odd.jsonl)
weft_golden(topo-import-damaged EXIT 4 COMMAND weft-topo import --from scamper
            ${import}/scamper-damaged.jsonl)
weft_golden(topo-import-dublin EXIT 0 COMMAND weft-topo import --from dublin-traceroute
            ${import}/dublin.json)
weft_golden(topo-import-two-files EXIT 4 COMMAND weft-topo import --from scamper
            ${import}/scamper.jsonl ${import}/scamper-damaged.jsonl -o /dev/null)
weft_golden(topo-import-other-format EXIT 3 COMMAND weft-topo import --from scamper
            ${import}/dublin.json)
weft_golden(topo-import-other-document EXIT 3 COMMAND weft-topo import --from dublin-traceroute
            ${import}/scamper.jsonl)
weft_golden(topo-import-no-file EXIT 3 COMMAND weft-topo import --from scamper nothing.jsonl)
weft_golden(topo-import-empty-stdin EXIT 3 COMMAND weft-topo import --from scamper -)
weft_golden(topo-import-unknown-kind EXIT 2 COMMAND weft-topo import --from mtr
            ${import}/scamper.jsonl)
weft_golden(topo-import-no-kind EXIT 2 COMMAND weft-topo import ${import}/scamper.jsonl)
weft_golden(topo-import-no-folder EXIT 3 COMMAND weft-topo import --from scamper
            ${import}/scamper.jsonl -o nowhere/tables.jsonl)

# inputs/lldp: what lldpctl printed on three switches: leaf1 (-f json, a list; two ports of spine-2 with
# one MAC, told apart by their descriptions; a host; a NIC whose firmware answers), spine-1 (-f json, one
# interface alone), leaf2 (-f json0; the same MAC, without descriptions). lldp-odd: text instead of JSON,
# no neighbours, an entry without port and chassis.
set(lldp inputs/lldp)
weft_golden(topo-import-lldp EXIT 0 COMMAND weft-topo import --from lldp ${lldp}/leaf1.json
            ${lldp}/leaf2.json ${lldp}/spine-1.json)
weft_golden(topo-import-lldp-named EXIT 0 COMMAND weft-topo import --from lldp
            ${lldp}/spine-1.json --node spine-1.dc1)
weft_golden(topo-import-lldp-none EXIT 0 COMMAND weft-topo import --from lldp
            inputs/lldp-odd/host9.json)
weft_golden(topo-import-lldp-damaged EXIT 4 COMMAND weft-topo import --from lldp
            inputs/lldp-odd/damaged.json)
weft_golden(topo-import-lldp-text EXIT 3 COMMAND weft-topo import --from lldp
            inputs/lldp-odd/text.json)
weft_golden(topo-import-lldp-other EXIT 3 COMMAND weft-topo import --from lldp
            ${import}/dublin.json)
weft_golden(topo-import-lldp-nodes EXIT 2 COMMAND weft-topo import --from lldp
            ${lldp}/leaf1.json ${lldp}/leaf2.json --node leaf1)
weft_golden(topo-import-node-of-scamper EXIT 2 COMMAND weft-topo import --from scamper
            ${import}/scamper.jsonl --node leaf1)
