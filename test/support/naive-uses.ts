import type { Records } from '../../processors/records/records.ts'
import type { Registrar } from '../../processors/registrar/registrar.ts'
import { StoredUses, UsesNotRead } from '../../processors/registrar/deciding/stored-uses.ts'
import { maxFirstUses, type Use, type UsedRecord, type Uses } from '../../schema/commands/uses.ts'
import { runSync } from '../../shared/async/steps.ts'

/** Finds which records refer to a record by a search of all records. */
export function naiveUses(records: Records, { kind, companyId, id }: UsedRecord): Uses {
  const list = (): readonly Use[] => {
    switch (kind) {
      case 'downtimeReason':
        return records
          .list('annotation', companyId)
          .filter(each => each.reasonId === id)
          .map(startOf)
      case 'operator':
        return records
          .list('operatorRun', companyId)
          .filter(each => each.operatorId === id)
          .map(startOf)
      case 'partAdjustmentType':
        return records
          .list('partAdjustment', companyId)
          .filter(({ categoryId }) => categoryId === id)
          .map(each => startOf({ ...each, startAt: each.adjustmentTime }))
      case 'jobOperation':
        return records
          .list('jobRun', companyId)
          .filter(each => each.jobOperationId === id)
          .toSorted((a, b) => a.ref - b.ref)
          .map(each => startOf({ id: each.id, machineId: '', startAt: each.startAt }))
    }
  }
  const all =
    kind === 'jobOperation' ? list() : list().toSorted((a, b) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1))
  return { count: all.length, first: all.slice(0, maxFirstUses) }
}

function startOf({ id, machineId, startAt }: Omit<Use, 'startMs'> & { readonly startAt: string }): Use {
  return { id, machineId, startMs: Date.parse(startAt) }
}

/** Decides a command as the registrar's process does, with a store that contains the records of the registrar. */
export function decideSync(registrar: Registrar, ...[command, appendedAtMs]: Parameters<Registrar['decide']>) {
  const uses = new StoredUses()
  for (;;)
    try {
      return runSync(registrar.decide(command, appendedAtMs, uses))
    } catch (error) {
      if (!(error instanceof UsesNotRead)) throw error
      uses.add(error.used, naiveUses(registrar.records, error.used))
    }
}
