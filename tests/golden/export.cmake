# SPDX-License-Identifier: Apache-2.0
# weft-topo export. inputs/export: ib.jsonl (two InfiniBand parts: leaf1, leaf2 and spine1 with two
# HCAs of gpu1, one of gpu2 at 1x, and an aggregation node; alone1 with gpu9), rails.jsonl (a machine
# on two rails, a storage host on the spine) and awkward.jsonl (names that formats cannot hold).
set(export inputs/export)
weft_golden(topo-export-help EXIT 0 COMMAND weft-topo export --help)
weft_golden(topo-export-records EXIT 0 COMMAND weft-topo export data/fabric.jsonl --to records)
weft_golden(topo-export-dot EXIT 0 COMMAND weft-topo export data/fabric.jsonl --to dot)
weft_golden(topo-export-dot-pods EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to dot --detail pods)
weft_golden(topo-export-dot-shape EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to dot --detail shape)
weft_golden(topo-export-dot-parallel EXIT 0
  COMMAND weft-topo export data/one-or-more.jsonl --to dot --detail switches)
weft_golden(topo-export-dot-ib EXIT 0 COMMAND weft-topo export ${export}/ib.jsonl --to dot)
weft_golden(topo-export-dot-awkward EXIT 0
  COMMAND weft-topo export ${export}/awkward.jsonl --to dot --detail all)
weft_golden(topo-export-ibnetdiscover EXIT 0
  COMMAND weft-topo export ${export}/ib.jsonl --to ibnetdiscover)
weft_golden(topo-export-ibnetdiscover-made-up EXIT 0
  COMMAND weft-topo export data/fabric.jsonl --to ibnetdiscover)
weft_golden(topo-export-slurm-conf EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to slurm-conf)
weft_golden(topo-export-slurm-conf-parts EXIT 0
  COMMAND weft-topo export ${export}/ib.jsonl --to slurm-conf)
weft_golden(topo-export-slurm-conf-rails EXIT 0
  COMMAND weft-topo export ${export}/rails.jsonl --to slurm-conf)
weft_golden(topo-export-slurm-conf-awkward EXIT 0
  COMMAND weft-topo export ${export}/awkward.jsonl --to slurm-conf)
weft_golden(topo-export-slurm-yaml EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to slurm-yaml)
weft_golden(topo-export-slurm-blocks EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to slurm-yaml --block-size 2,4)
weft_golden(topo-export-slurm-blocks-small EXIT 0
  COMMAND weft-topo export data/three-tier.jsonl --to slurm-conf --block-size 4)
weft_golden(topo-export-slurm-blocks-odd EXIT 2
  COMMAND weft-topo export data/three-tier.jsonl --to slurm-conf --block-size 4,6)
weft_golden(topo-export-paths EXIT 0
  COMMAND weft-topo export data/fabric.jsonl --to paths --pairs 4 --limit 1)
weft_golden(topo-export-cabling EXIT 0 COMMAND weft-topo export ${export}/ib.jsonl --to cabling)
weft_golden(topo-export-cabling-sonic EXIT 0
  COMMAND weft-topo export data/fabric.jsonl --to cabling-sonic)
weft_golden(topo-export-devices EXIT 0 COMMAND weft-topo export data/three-tier.jsonl --to devices)
weft_golden(topo-export-cut EXIT 4 COMMAND weft-topo export data/cut.jsonl --to devices)
weft_golden(topo-export-no-kind EXIT 2 COMMAND weft-topo export data/fabric.jsonl)
weft_golden(topo-export-unknown-kind EXIT 2 COMMAND weft-topo export data/fabric.jsonl --to visio)
weft_golden(topo-export-other-option EXIT 2
  COMMAND weft-topo export data/fabric.jsonl --to dot --block-size 4)
weft_golden(topo-export-too-many-paths EXIT 2
  COMMAND weft-topo export data/fabric.jsonl --to paths --pairs 1000000 --limit 1000)
weft_golden(topo-export-no-file EXIT 3 COMMAND weft-topo export nothing.jsonl --to dot)
weft_golden(topo-export-no-folder EXIT 3
  COMMAND weft-topo export data/fabric.jsonl --to dot -o nowhere/f.dot)

# Pictures depend on Graphviz's version, so no golden: that there is one, and what is said where
# there cannot be.
add_test(NAME golden.topo-export-svg
         COMMAND weft-topo export data/three-tier.jsonl --to svg
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/golden)
set_tests_properties(golden.topo-export-svg PROPERTIES LABELS golden TIMEOUT 60
                     PASS_REGULAR_EXPRESSION ">core1</text>.*</svg>"
                     SKIP_REGULAR_EXPRESSION "install Graphviz")
add_test(NAME golden.topo-export-svg-no-graphviz
         COMMAND ${CMAKE_COMMAND} -E env PATH=/nonexistent $<TARGET_FILE:weft-topo> export
                 data/fabric.jsonl --to svg
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/golden)
set_tests_properties(golden.topo-export-svg-no-graphviz PROPERTIES LABELS golden TIMEOUT 60
                     PASS_REGULAR_EXPRESSION "no program .dot. in PATH: install Graphviz")
add_test(NAME golden.topo-export-svg-time-limit
         COMMAND weft-topo export data/three-tier.jsonl --to svg --time-limit 1us
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/golden)
set_tests_properties(golden.topo-export-svg-time-limit PROPERTIES LABELS golden TIMEOUT 60
                     PASS_REGULAR_EXPRESSION "dot took longer than"
                     SKIP_REGULAR_EXPRESSION "install Graphviz")

# What show says of InfiniBand, machines and rails.
weft_golden(topo-show-infiniband EXIT 0 COMMAND weft-topo show ${export}/ib.jsonl --format text)
weft_golden(topo-show-infiniband-json EXIT 0 COMMAND weft-topo show ${export}/ib.jsonl)
weft_golden(topo-show-rails-csv EXIT 0 COMMAND weft-topo show ${export}/rails.jsonl --format csv)
