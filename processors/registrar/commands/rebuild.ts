import type { RebuildRecord } from '../../../schema/records/rebuild.ts'
import { type CommandSpec, installationCommand, put } from '../deciding/command.ts'
import { notFound } from '../deciding/command-rejection.ts'

/**
 * Requests the recomputation of all documents from samples and records. Returns the record; that of the rebuild in
 * progress, if there is one for the company.
 */
const startRebuild: CommandSpec = installationCommand(
  'rebuild.start',
  (payload, { company, records, now, freshId }) => {
    const companyId = company?.id ?? payload.companyId ?? ''
    if (companyId !== '' && !records.company(companyId)) throw notFound('The company does not exist')
    const inProgress = records.rebuilds().find(each => each.companyId === companyId && each.finishedAt === null)
    if (inProgress) return { changes: [], result: inProgress }
    const after: RebuildRecord = { id: freshId(), companyId, requestedAt: now, doneHours: {}, finishedAt: null }
    return put('rebuild', after.id, null, after)
  },
)

/**
 * Records that a partition of state samples has recomputed all its hours; the last partition finishes the rebuild.
 * Returns the record.
 */
const partitionDone: CommandSpec = installationCommand(
  'rebuild.partitionDone',
  ({ id, partition, partitions, hours }, { records, now }) => {
    const before = records.rebuilds().find(each => each.id === id)
    if (!before) throw notFound()
    if (before.finishedAt !== null) return { changes: [], result: before }
    const doneHours = { ...before.doneHours, [partition]: hours }
    const isFinished = Object.keys(doneHours).length >= partitions
    return put('rebuild', id, before, { ...before, doneHours, finishedAt: isFinished ? now : null })
  },
)

export const rebuildCommands = [startRebuild, partitionDone]
