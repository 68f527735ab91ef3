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
