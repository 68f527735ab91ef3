// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::command {

// What every program's exit code means.
enum class ExitCode : int {
  kOk = 0,
  kFindings = 1,  // findings of severity error, or the check failed
  kUsage = 2,
  kInput = 3,    // input could not be read
  kPartial = 4,  // some hosts, packets or records are missing; what was there was used
};

// The worse of two: usage and input before findings before partial before ok.
ExitCode Worse(ExitCode a, ExitCode b);

}  // namespace weft::command
