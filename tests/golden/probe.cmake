# SPDX-License-Identifier: Apache-2.0
# What weft-probe says without a network: help, and bad input by one clear message.
weft_golden(probe-help EXIT 0 COMMAND weft-probe --help)
weft_golden(probe-unknown-subcommand EXIT 2 COMMAND weft-probe sniff)
foreach(subcommand respond ping trace check send)
  weft_golden(probe-${subcommand}-help EXIT 0 COMMAND weft-probe ${subcommand} --help)
endforeach()
weft_golden(probe-ping-unknown-name EXIT 3
  COMMAND weft-probe ping host9-9 --targets data/target.jsonl)
weft_golden(probe-trace-no-destination EXIT 2 COMMAND weft-probe trace)
weft_golden(probe-trace-confidence EXIT 2
  COMMAND weft-probe trace 127.0.0.1 --confidence 1 --targets data/target.jsonl)
weft_golden(probe-trace-link-local EXIT 3 COMMAND weft-probe trace fe80::1)
weft_golden(probe-trace-link-local-scope EXIT 3 COMMAND weft-probe trace fe80::1%eth0)
weft_golden(probe-check-other-kind EXIT 3
  COMMAND weft-probe check --paths data/fabric.jsonl --name host1-1 --targets data/target.jsonl)
weft_golden(probe-send-malformed EXIT 3
  COMMAND weft-probe send data/malformed-flows.jsonl --name host1-1 --targets data/target.jsonl)
