import type { AlertPauseRecord } from '../../../schema/records/alert-pause.ts'
import { toInstant } from '../../../shared/time/instant.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'
import { throwIfInvalid } from '../deciding/command-rejection.ts'
import { findSubjectErrors, toSubject } from './alert-subject.ts'
import { problem } from './connector-mapping.ts'

/** Limit of the pauses of a company. */
const maxPauses = 1_000
const subjectLists = ['machineIds', 'machineGroupIds', 'connectorIds', 'ruleIds'] as const

/** Creates or replaces a pause of alerts. Returns the record. */
const putPause: CommandSpec = companyCommand('alertPause.put', (payload, context) => {
  const { company, records } = context
  const id = canonicalId(payload.id)
  const before = records.get('alertPause', company.id, id)
  const after: AlertPauseRecord = {
    id,
    companyId: company.id,
    subject: toSubject(subjectLists, payload.subject),
    startAt: toInstant(payload.startAt),
    endAt: toInstant(payload.endAt),
    note: payload.note ?? '',
  }
  throwIfInvalid([
    ...(before === null && records.list('alertPause', company.id).length >= maxPauses
      ? [problem('id', `cannot be added: a company has at most ${maxPauses} pauses of alerts`, 'OutOfRange')]
      : []),
    ...(after.endAt > after.startAt ? [] : [problem('endAt', 'must be after startAt')]),
    ...findSubjectErrors(after.subject, context),
  ])
  return put('alertPause', id, before, after)
})

/** Deletes a pause of alerts. Returns null. */
const deletePause: CommandSpec = companyCommand('alertPause.delete', (payload, context) =>
  remove('alertPause', payload.id, context),
)

export const alertPauseCommands = [putPause, deletePause]
