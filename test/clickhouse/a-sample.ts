import { asMachineRef } from '../../schema/refs.ts'
import { type Sample, unsaid } from '../../schema/sample.ts'

/** Makes a sample that nothing is wrong with: of the first of January 2026 unless told otherwise. */
export function aSample(given: Partial<Sample>): Sample {
  return {
    machineRef: asMachineRef(11),
    atUs: 1_767_225_600_000_123,
    key: 'execution',
    type: 'EXECUTION',
    subtype: '',
    category: 'EVENT',
    value: 'ACTIVE',
    ...unsaid,
    ...given,
  }
}
