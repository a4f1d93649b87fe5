import { type FieldError, fieldError } from '../../../schema/errors.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { CompanyRecords } from '../deciding/command.ts'

/** Returns the ids of machine groups in the form of records, each once. */
export function toMachineGroupIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map(canonicalId))]
}

/** Returns an error of the field `machineGroupIds` for each group that the company does not have. */
export function findMachineGroupErrors(
  ids: readonly string[],
  { company, records }: CompanyRecords,
): readonly FieldError[] {
  return ids.flatMap((id, index) =>
    records.get('machineGroup', company.id, id) === null
      ? [fieldError(`machineGroupIds[${index}]`, 'InvalidDataItem', `Machine group '${id}' does not exist`)]
      : [],
  )
}
