import { asMachineRef } from '../../schema/refs.ts'
import { type Sample, omittedFields } from '../../schema/sample.ts'

/** Returns a valid sample of 1 January 2026, with the given fields. */
export function aSample(given: Partial<Sample>): Sample {
  return {
    machineRef: asMachineRef(11),
    atUs: 1_767_225_600_000_123,
    key: 'execution',
    type: 'EXECUTION',
    subtype: '',
    category: 'EVENT',
    value: 'ACTIVE',
    ...omittedFields,
    ...given,
  }
}
