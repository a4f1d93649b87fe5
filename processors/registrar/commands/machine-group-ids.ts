import { canonicalId } from '../../records/record-ids.ts'

/** Returns the ids of machine groups in the form of records, each once. */
export function toMachineGroupIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map(canonicalId))]
}
