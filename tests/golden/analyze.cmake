# SPDX-License-Identifier: Apache-2.0
# weft-analyze. inputs/analyze-fabric: a 3 x 2 fabric with a host a leaf, 20 Mbit/s uplinks, and path
# tables of all its pairs (silent: spine2 does not answer; dead: spine2 forwards nothing; missing:
# without the cable between leaf1 and spine1; one-pair: two hosts only; cut: the last 40 bytes are
# missing; newer: a later version; none: a header only). inputs/analyze-before and -after: a round each.
set(analyze inputs/analyze-fabric)
weft_golden(analyze-help EXIT 0 COMMAND weft-analyze --help)
weft_golden(analyze-unknown-subcommand EXIT 2 COMMAND weft-analyze guess)
foreach(subcommand topology collisions paths hashing compare)
  weft_golden(analyze-${subcommand}-help EXIT 0 COMMAND weft-analyze ${subcommand} --help)
endforeach()

weft_golden(analyze-topology EXIT 0 COMMAND weft-analyze topology ${analyze}/paths.jsonl
            --blueprint ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-topology-json EXIT 0 COMMAND weft-analyze topology ${analyze}/paths.jsonl
            --blueprint ${analyze}/blueprint.jsonl)
weft_golden(analyze-topology-records EXIT 0 COMMAND weft-analyze topology ${analyze}/paths.jsonl
            --blueprint ${analyze}/blueprint.jsonl -o -)
weft_golden(analyze-topology-no-blueprint EXIT 0 COMMAND weft-analyze topology
            ${analyze}/paths.jsonl --format text)
weft_golden(analyze-topology-silent EXIT 4 COMMAND weft-analyze topology
            ${analyze}/paths-silent.jsonl --blueprint ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-topology-one-pair EXIT 4 COMMAND weft-analyze topology
            ${analyze}/paths-one-pair.jsonl --blueprint ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-topology-different EXIT 1 COMMAND weft-analyze topology
            ${analyze}/paths-missing.jsonl --blueprint ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-topology-cut EXIT 4 COMMAND weft-analyze topology ${analyze}/paths-cut.jsonl
            --format csv)
weft_golden(analyze-topology-malformed EXIT 3 COMMAND weft-analyze topology
            ${analyze}/paths-malformed.jsonl)
weft_golden(analyze-topology-newer EXIT 3 COMMAND weft-analyze topology
            ${analyze}/paths-newer.jsonl)
weft_golden(analyze-topology-none EXIT 3 COMMAND weft-analyze topology ${analyze}/paths-none.jsonl)
weft_golden(analyze-topology-other-kind EXIT 3 COMMAND weft-analyze topology
            ${analyze}/flows.jsonl)
weft_golden(analyze-topology-other-blueprint EXIT 3 COMMAND weft-analyze topology
            ${analyze}/paths.jsonl --blueprint ${analyze}/flows.jsonl)
weft_golden(analyze-topology-no-file EXIT 3 COMMAND weft-analyze topology nothing.jsonl)
weft_golden(analyze-topology-no-argument EXIT 2 COMMAND weft-analyze topology)
weft_golden(analyze-topology-no-folder EXIT 3 COMMAND weft-analyze topology ${analyze}/paths.jsonl
            -o nowhere/fabric.jsonl)

weft_golden(analyze-collisions EXIT 1 COMMAND weft-analyze collisions ${analyze}/flows.jsonl
            --paths ${analyze}/paths.jsonl --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-collisions-json EXIT 1 COMMAND weft-analyze collisions ${analyze}/flows.jsonl
            --paths ${analyze}/paths.jsonl --fabric ${analyze}/blueprint.jsonl)
weft_golden(analyze-collisions-planned EXIT 0 COMMAND weft-analyze collisions
            ${analyze}/flows-planned.jsonl --paths ${analyze}/paths.jsonl
            --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-collisions-records EXIT 0 COMMAND weft-analyze collisions
            ${analyze}/flows-planned.jsonl --paths ${analyze}/paths.jsonl
            --fabric ${analyze}/blueprint.jsonl -o -)
weft_golden(analyze-collisions-no-fabric EXIT 0 COMMAND weft-analyze collisions
            ${analyze}/flows.jsonl --paths ${analyze}/paths.jsonl --format text)
weft_golden(analyze-collisions-dead EXIT 1 COMMAND weft-analyze collisions ${analyze}/flows.jsonl
            --paths ${analyze}/paths-dead.jsonl --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-collisions-unmeasured EXIT 4 COMMAND weft-analyze collisions
            ${analyze}/flows-unmeasured.jsonl --paths ${analyze}/paths.jsonl
            --fabric ${analyze}/blueprint.jsonl --format csv)
weft_golden(analyze-collisions-no-paths EXIT 2 COMMAND weft-analyze collisions
            ${analyze}/flows.jsonl)
weft_golden(analyze-collisions-other-kind EXIT 3 COMMAND weft-analyze collisions
            ${analyze}/paths.jsonl --paths ${analyze}/paths.jsonl)

weft_golden(analyze-paths-healthy EXIT 0 COMMAND weft-analyze paths ${analyze}/paths.jsonl
            --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-paths-dead EXIT 1 COMMAND weft-analyze paths ${analyze}/paths-dead.jsonl
            --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-paths-dead-json EXIT 1 COMMAND weft-analyze paths ${analyze}/paths-dead.jsonl)
weft_golden(analyze-paths-dead-csv EXIT 1 COMMAND weft-analyze paths ${analyze}/paths-dead.jsonl
            --fabric ${analyze}/blueprint.jsonl --format csv)
weft_golden(analyze-paths-other-kind EXIT 3 COMMAND weft-analyze paths ${analyze}/flows.jsonl)

weft_golden(analyze-compare EXIT 0 COMMAND weft-analyze compare inputs/analyze-before
            inputs/analyze-after --fabric ${analyze}/blueprint.jsonl --format text)
weft_golden(analyze-compare-json EXIT 0 COMMAND weft-analyze compare inputs/analyze-before
            inputs/analyze-after --fabric ${analyze}/blueprint.jsonl)
weft_golden(analyze-compare-csv EXIT 0 COMMAND weft-analyze compare inputs/analyze-before
            inputs/analyze-after --format csv)
weft_golden(analyze-compare-no-reports EXIT 3 COMMAND weft-analyze compare ${analyze})
weft_golden(analyze-compare-no-folder EXIT 3 COMMAND weft-analyze compare inputs/nowhere)

# inputs/analyze-pods: two pods of 2 leaves, 2 spines and a host a leaf, 4 cores, links without
# addresses; six pairs traced (polarised: all switches have one hash seed; hidden: by an overlay; isp:
# two paths over routers of the internet, with names, a given fabric and IP IDs that join two of them).
set(pods inputs/analyze-pods)
weft_golden(analyze-topology-pods EXIT 0 COMMAND weft-analyze topology ${pods}/paths.jsonl
            --blueprint ${pods}/blueprint.jsonl --format text)
weft_golden(analyze-topology-pods-no-blueprint EXIT 0 COMMAND weft-analyze topology
            ${pods}/paths.jsonl --format text)
weft_golden(analyze-topology-pods-records EXIT 0 COMMAND weft-analyze topology ${pods}/paths.jsonl
            -o -)
weft_golden(analyze-topology-hidden EXIT 0 COMMAND weft-analyze topology
            ${pods}/paths-hidden.jsonl --format text)
weft_golden(analyze-topology-isp EXIT 0 COMMAND weft-analyze topology ${pods}/paths-isp.jsonl
            --format text)
weft_golden(analyze-topology-names EXIT 0 COMMAND weft-analyze topology ${pods}/paths-isp.jsonl
            --names ${pods}/names.txt --format text)
weft_golden(analyze-topology-known EXIT 0 COMMAND weft-analyze topology ${pods}/paths-isp.jsonl
            --known ${pods}/known.jsonl)
weft_golden(analyze-topology-ip-ids EXIT 0 COMMAND weft-analyze topology ${pods}/paths-isp.jsonl
            --ip-ids ${pods}/ip-ids.jsonl)
weft_golden(analyze-topology-contradicted EXIT 0 COMMAND weft-analyze topology
            ${pods}/paths-isp.jsonl --names ${pods}/names-contradicting.txt
            --known ${pods}/known.jsonl --format text)
weft_golden(analyze-topology-names-malformed EXIT 3 COMMAND weft-analyze topology
            ${pods}/paths-isp.jsonl --names ${pods}/names-malformed.txt)
weft_golden(analyze-topology-names-twice EXIT 3 COMMAND weft-analyze topology
            ${pods}/paths-isp.jsonl --names ${pods}/names-twice.txt)
weft_golden(analyze-topology-no-names EXIT 3 COMMAND weft-analyze topology ${pods}/paths-isp.jsonl
            --names nothing.txt)
weft_golden(analyze-collisions-pods EXIT 0 COMMAND weft-analyze collisions ${pods}/flows.jsonl
            --paths ${pods}/paths.jsonl --format text)

weft_golden(analyze-hashing EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --format text)
weft_golden(analyze-hashing-polarised EXIT 0 COMMAND weft-analyze hashing
            ${pods}/paths-polarised.jsonl --fabric ${pods}/blueprint.jsonl --format text)
weft_golden(analyze-hashing-polarised-json EXIT 0 COMMAND weft-analyze hashing
            ${pods}/paths-polarised.jsonl --fabric ${pods}/blueprint.jsonl)
weft_golden(analyze-hashing-csv EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --format csv)
weft_golden(analyze-hashing-flows EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --flows ${pods}/flows.jsonl --format text)
weft_golden(analyze-hashing-other-kind EXIT 3 COMMAND weft-analyze hashing
            ${pods}/blueprint.jsonl)
weft_golden(analyze-hashing-no-fabric EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --format text)
weft_golden(analyze-hashing-fit EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --fit --fit-seeds 1100 --format text)
weft_golden(analyze-hashing-fit-json EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --fit --fit-seeds 1100)
weft_golden(analyze-hashing-fit-unknown EXIT 0 COMMAND weft-analyze hashing ${pods}/paths.jsonl
            --fabric ${pods}/blueprint.jsonl --fit --format text)
