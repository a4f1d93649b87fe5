import type { MachineRef } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { StateSamplesMessage } from '../../../schema/topics.ts'

/** Returns samples of a machine. */
export function of(machineRef: MachineRef, samples: readonly Sample[]): readonly Sample[] {
  return samples.map(sample => ({ ...sample, machineRef }))
}

/** Returns a message with these samples and their activity. */
export function message(samples: readonly Sample[]): StateSamplesMessage {
  const seen = samples.map(
    ({ machineRef, atUs }) => [machineRef, Math.floor(atUs / 1000), Math.floor(atUs / 1000)] as const,
  )
  return { samples, seen }
}
