# SPDX-License-Identifier: Apache-2.0
# data/captures holds the stories of tests/analyzer/capture/stories: what happened in each is told there.
weft_golden(capture-help EXIT 0 COMMAND weft-analyze capture --help)
weft_golden(connection-help EXIT 0 COMMAND weft-analyze connection --help)
function(capture_story name exit)
  weft_golden(capture-${name} EXIT ${exit}
    COMMAND weft-analyze capture data/captures/${name}.pcap --format text)
endfunction()
foreach(name cut-at-64 capture-lost congestion connected go-back-n healthy in-tunnels incast
             marks-without-cnps no-roce one-qpn-at-both-ends one-source-port one-way
             other-class-back pause-then-marks reads reordered slow-sender timeout)
  capture_story(${name} 0)
endforeach()
capture_story(receiver-not-ready 1)
capture_story(remote-access-error 1)
capture_story(torn 4)

weft_golden(capture-json EXIT 0
  COMMAND weft-analyze capture data/captures/go-back-n.pcap --format json)
weft_golden(capture-csv EXIT 0
  COMMAND weft-analyze capture data/captures/go-back-n.pcap --format csv)
weft_golden(capture-seconds-csv EXIT 1
  COMMAND weft-analyze capture data/captures/receiver-not-ready.pcap --format csv --per second)
weft_golden(capture-several EXIT 0
  COMMAND weft-analyze capture data/captures/healthy.pcap data/captures/cut-at-64.pcap
          --format text)
weft_golden(capture-flows EXIT 0
  COMMAND weft-analyze capture data/captures/healthy.pcap -o -)
weft_golden(capture-qp EXIT 0
  COMMAND weft-analyze capture data/captures/healthy.pcap --qp 0x201 --format text)
weft_golden(capture-host EXIT 0
  COMMAND weft-analyze capture data/captures/healthy.pcap --host 10.0.0.3 --format text)
weft_golden(capture-time EXIT 0
  COMMAND weft-analyze capture data/captures/healthy.pcap --time 100us..200us --format text)
weft_golden(capture-filter EXIT 0
  COMMAND weft-analyze capture data/captures/in-tunnels.pcap --filter "udp port 4791"
          --format text)
weft_golden(capture-roce EXIT 0
  COMMAND weft-analyze capture data/captures/in-tunnels.pcap --roce --format text)
weft_golden(capture-no-file EXIT 3 COMMAND weft-analyze capture data/captures/nowhere.pcap)
weft_golden(capture-no-capture EXIT 3 COMMAND weft-analyze capture data/fabric.jsonl)
weft_golden(capture-no-input EXIT 2 COMMAND weft-analyze capture)
weft_golden(capture-bad-qp EXIT 2 COMMAND weft-analyze capture data/captures/healthy.pcap --qp 0x1000000)
weft_golden(capture-bad-host EXIT 2 COMMAND weft-analyze capture data/captures/healthy.pcap --host leaf1)
weft_golden(capture-bad-time EXIT 2 COMMAND weft-analyze capture data/captures/healthy.pcap --time 3s)
weft_golden(capture-bad-filter EXIT 2
  COMMAND weft-analyze capture data/captures/healthy.pcap --filter "udp prt 4791")
weft_golden(capture-export-of-stdin EXIT 2
  COMMAND weft-analyze capture - --qp 1 --export nowhere/x.pcapng)

foreach(name go-back-n receiver-not-ready reads)
  weft_golden(connection-${name} EXIT 0
    COMMAND weft-analyze connection data/captures/${name}.pcap --format text)
endforeach()
weft_golden(connection-csv EXIT 0
  COMMAND weft-analyze connection data/captures/go-back-n.pcap --format csv)
weft_golden(connection-json EXIT 0
  COMMAND weft-analyze connection data/captures/receiver-not-ready.pcap --format json)
weft_golden(connection-several EXIT 3 COMMAND weft-analyze connection data/captures/healthy.pcap)
weft_golden(connection-none EXIT 3
  COMMAND weft-analyze connection data/captures/healthy.pcap --qp 9)
