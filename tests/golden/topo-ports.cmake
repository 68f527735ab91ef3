# SPDX-License-Identifier: Apache-2.0
# weft-topo ports: by a given hash, and by one that is learnt from path tables (the tables of
# inputs/analyze-pods were measured on switches that mix, each with a seed of its own from 1000 on).
weft_golden(topo-ports-help EXIT 0 COMMAND weft-topo ports --help)
weft_golden(topo-ports EXIT 0 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2
            --hash crc32 --hash-seed 7 --count 4 --format text)
weft_golden(topo-ports-json EXIT 0 COMMAND weft-topo ports data/fabric.jsonl host1-1 10.0.0.7
            --hash crc32 --hash-seed 7 --count 4)
weft_golden(topo-ports-csv EXIT 0 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2
            --hash mixed --hash-choice modulo --path 2 --count 3 --format csv)
weft_golden(topo-ports-via EXIT 0 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2
            --hash mixed --via spine2 --count 3 --format text)
# Every tier hashes alike: some paths are never taken.
weft_golden(topo-ports-polarised EXIT 1 COMMAND weft-topo ports data/three-tier.jsonl host1-1
            host4-2 --hash crc32 --count 3 --format text)
weft_golden(topo-ports-single EXIT 0 COMMAND weft-topo ports data/fabric.jsonl host1-1 host1-2
            --hash crc32 --count 2 --format text)
set(pods inputs/analyze-pods)
weft_golden(topo-ports-fitted EXIT 0 COMMAND weft-topo ports ${pods}/blueprint.jsonl host1-1 host3-1
            --paths ${pods}/paths.jsonl --fit-seeds 1100 --count 4 --format text)
weft_golden(topo-ports-fitted-json EXIT 0 COMMAND weft-topo ports ${pods}/blueprint.jsonl host1-1
            host3-1 --paths ${pods}/paths.jsonl --fit-seeds 1100 --count 4 --path 3)
weft_golden(topo-ports-unknown-model EXIT 1 COMMAND weft-topo ports ${pods}/blueprint.jsonl host1-1
            host3-1 --paths ${pods}/paths.jsonl)
weft_golden(topo-ports-not-measured EXIT 1 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2
            --paths inputs/analyze-fabric/paths-none.jsonl)
weft_golden(topo-ports-not-hashed EXIT 1 COMMAND weft-topo ports ${pods}/blueprint.jsonl host1-1
            host3-1 --paths ${pods}/paths-per-packet.jsonl --hash crc32)
weft_golden(topo-ports-no-model EXIT 2 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2)
weft_golden(topo-ports-no-such-path EXIT 1 COMMAND weft-topo ports data/fabric.jsonl host1-1 host2-2
            --hash crc32 --path 3)
weft_golden(topo-ports-unknown-host EXIT 2 COMMAND weft-topo ports data/fabric.jsonl host1-1 host9
            --hash crc32)
