import type { OperatorRecord } from '../../../schema/records/operator.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'
import { rejectIfInUse, storedReferences } from '../deciding/command-rejection.ts'
import { momentName } from './moment-name.ts'

/** Creates or renames an operator. Returns the record. */
const putOperator: CommandSpec = companyCommand('operator.put', (payload, { company, records, nextRef }) => {
  const operatorId = canonicalId(payload.id)
  const before = records.get('operator', company.id, operatorId)
  const ref = before?.ref ?? nextRef('operator')
  const after: OperatorRecord = { id: operatorId, ref, companyId: company.id, name: payload.name }
  return put('operator', operatorId, before, after)
})

/** Deletes an operator; 409 if the operator has sign-ins. Returns null. */
const deleteOperator: CommandSpec = companyCommand('operator.delete', (payload, context) => {
  const decision = remove('operator', payload.id, context)
  const uses = context.stored.get('uses', {
    kind: 'operator',
    companyId: context.company.id,
    id: canonicalId(payload.id),
  })
  rejectIfInUse([storedReferences('sign-in', uses, use => momentName(use, context))])
  return decision
})

export const operatorCommands = [putOperator, deleteOperator]
