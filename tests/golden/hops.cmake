# SPDX-License-Identifier: Apache-2.0
# What weft-probe hops says without a network: help, and bad input by one clear message.
weft_golden(hops-help EXIT 0 COMMAND weft-probe hops --help)
weft_golden(hops-no-destination EXIT 2 COMMAND weft-probe hops)
weft_golden(hops-also-with-two-destinations EXIT 2
  COMMAND weft-probe hops 127.0.0.1 127.0.0.2 --also 127.0.0.3)
weft_golden(hops-bad-source EXIT 2 COMMAND weft-probe hops 127.0.0.1 --source leaf1)
weft_golden(hops-management-qpn EXIT 2 COMMAND weft-probe hops 127.0.0.1 --live-qpn 1)
weft_golden(hops-unknown-name EXIT 3
  COMMAND weft-probe hops host9-9 --targets data/target.jsonl)
