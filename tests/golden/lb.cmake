# SPDX-License-Identifier: Apache-2.0
# weft-lb. inputs/lb-small: 2 leaves, 3 spines, 3 hosts a leaf, uplinks of 20 Mbit/s; flows.jsonl is what
# lb-flows prints; path tables of the flows' pairs with a few ports a path (spine3-dead; single: spine1
# alone lives; no-path: f01's pair has dead paths only, f02's table is void; cut: the last 40 bytes are
# missing), and fabrics and flows that are wrong in the way that their names say.
set(lb inputs/lb-small)
set(lb_inputs --paths ${lb}/paths.jsonl --fabric ${lb}/fabric.jsonl)
weft_golden(lb-help EXIT 0 COMMAND weft-lb --help)
weft_golden(lb-unknown-subcommand EXIT 2 COMMAND weft-lb guess)
foreach(subcommand flows plan)
  weft_golden(lb-${subcommand}-help EXIT 0 COMMAND weft-lb ${subcommand} --help)
endforeach()

weft_golden(lb-flows EXIT 0 COMMAND weft-lb flows ${lb}/fabric.jsonl)
weft_golden(lb-flows-two-a-host EXIT 0
  COMMAND weft-lb flows ${lb}/fabric.jsonl --flows-per-host 2 --rate 8M --seed 7)
weft_golden(lb-flows-two-parts EXIT 0 COMMAND weft-lb flows ${lb}/fabric-two-parts.jsonl)
weft_golden(lb-flows-one-leaf EXIT 3 COMMAND weft-lb flows ${lb}/fabric-one-leaf.jsonl)
weft_golden(lb-flows-name-twice EXIT 3 COMMAND weft-lb flows ${lb}/fabric-name-twice.jsonl)
weft_golden(lb-flows-other-kind EXIT 3 COMMAND weft-lb flows ${lb}/flows.jsonl)
weft_golden(lb-flows-no-fabric EXIT 2 COMMAND weft-lb flows)
weft_golden(lb-flows-unknown-pattern EXIT 2
  COMMAND weft-lb flows ${lb}/fabric.jsonl --pattern ring)
weft_golden(lb-flows-no-rate EXIT 2 COMMAND weft-lb flows ${lb}/fabric.jsonl --rate 0)
weft_golden(lb-flows-no-flows EXIT 2 COMMAND weft-lb flows ${lb}/fabric.jsonl --flows-per-host 0)
weft_golden(lb-flows-no-folder EXIT 3 COMMAND weft-lb flows ${lb}/fabric.jsonl -o nowhere/f.jsonl)

weft_golden(lb-plan EXIT 0 COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} --format text)
weft_golden(lb-plan-json EXIT 0 COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs})
weft_golden(lb-plan-records EXIT 0 COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} -o -)
weft_golden(lb-plan-port-map EXIT 0
  COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} --port-map -)
weft_golden(lb-plan-spine-dead EXIT 0
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths-spine3-dead.jsonl
          --fabric ${lb}/fabric.jsonl --format text)
weft_golden(lb-plan-single-path EXIT 0
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths-single.jsonl
          --fabric ${lb}/fabric.jsonl --format text)
weft_golden(lb-plan-no-path EXIT 4
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths-no-path.jsonl
          --fabric ${lb}/fabric.jsonl --format text)
weft_golden(lb-plan-no-path-records EXIT 4
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths-no-path.jsonl
          --fabric ${lb}/fabric.jsonl -o -)
weft_golden(lb-plan-unknown-host EXIT 4
  COMMAND weft-lb plan ${lb}/flows-unknown-host.jsonl ${lb_inputs} --format text)
weft_golden(lb-plan-two-parts EXIT 4
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths.jsonl
          --fabric ${lb}/fabric-two-parts.jsonl --format text)
weft_golden(lb-plan-cut EXIT 4
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths-cut.jsonl
          --fabric ${lb}/fabric.jsonl --format text)
weft_golden(lb-plan-id-twice EXIT 3 COMMAND weft-lb plan ${lb}/flows-id-twice.jsonl ${lb_inputs})
weft_golden(lb-plan-newer EXIT 3 COMMAND weft-lb plan ${lb}/flows-newer.jsonl ${lb_inputs})
weft_golden(lb-plan-malformed EXIT 3 COMMAND weft-lb plan ${lb}/flows-malformed.jsonl ${lb_inputs})
weft_golden(lb-plan-other-kind EXIT 3 COMMAND weft-lb plan ${lb}/fabric.jsonl ${lb_inputs})
weft_golden(lb-plan-no-file EXIT 3 COMMAND weft-lb plan ${lb}/nothing.jsonl ${lb_inputs})
weft_golden(lb-plan-no-capacity EXIT 3
  COMMAND weft-lb plan ${lb}/flows.jsonl --paths ${lb}/paths.jsonl
          --fabric ${lb}/fabric-no-capacity.jsonl)
weft_golden(lb-plan-no-paths EXIT 2
  COMMAND weft-lb plan ${lb}/flows.jsonl --fabric ${lb}/fabric.jsonl)
weft_golden(lb-plan-stdout-twice EXIT 2
  COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} -o - --port-map -)
weft_golden(lb-plan-records-and-text EXIT 2
  COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} -o - --format text)
weft_golden(lb-plan-csv EXIT 2 COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} --format csv)
weft_golden(lb-plan-no-folder EXIT 3
  COMMAND weft-lb plan ${lb}/flows.jsonl ${lb_inputs} -o nowhere/f.jsonl)

# inputs/lb-three-tier: 2 pods of 2 leaves and 2 spines, 4 cores (narrow: 2), 2 hosts a leaf, IPv6, links
# between switches without addresses; paths-odd: an overlay hides f01's paths, leaf3 sends every packet
# where it likes, and f03's ports are computed.
set(tree inputs/lb-three-tier)
weft_golden(lb-plan-three-tier EXIT 0
  COMMAND weft-lb plan ${tree}/flows.jsonl --paths ${tree}/paths.jsonl
          --fabric ${tree}/fabric.jsonl --format text)
weft_golden(lb-plan-three-tier-json EXIT 0
  COMMAND weft-lb plan ${tree}/flows.jsonl --paths ${tree}/paths.jsonl
          --fabric ${tree}/fabric.jsonl)
weft_golden(lb-plan-three-tier-narrow EXIT 0
  COMMAND weft-lb plan ${tree}/flows.jsonl --paths ${tree}/paths-narrow.jsonl
          --fabric ${tree}/fabric-narrow.jsonl --format text)
weft_golden(lb-plan-three-tier-odd EXIT 4
  COMMAND weft-lb plan ${tree}/flows.jsonl --paths ${tree}/paths-odd.jsonl
          --fabric ${tree}/fabric.jsonl --format text)
weft_golden(lb-plan-three-tier-odd-port-map EXIT 4
  COMMAND weft-lb plan ${tree}/flows.jsonl --paths ${tree}/paths-odd.jsonl
          --fabric ${tree}/fabric.jsonl --port-map -)
