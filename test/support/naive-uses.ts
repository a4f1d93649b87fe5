import type { Records } from '../../processors/records/records.ts'
import type { DecidedCommand, Registrar } from '../../processors/registrar/registrar.ts'
import { NotRead, type StoredDataSource, StoredReads } from '../../processors/registrar/deciding/stored-reads.ts'
import type { RegistrarHistory } from '../../processors/registrar/options.ts'
import { startAtOf, type TimedRecord } from '../../processors/records/machine-histories.ts'
import type { Command } from '../../schema/commands/command-log.ts'
import type { JobNames } from '../../schema/records/job-names.ts'
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
      case 'machineGroup':
        return records
          .list('jobOperation', companyId)
          .filter(({ workCenters }) => workCenters.some(({ machineGroupId }) => machineGroupId === id))
          .toSorted((a, b) => a.ref - b.ref)
          .map(({ jobName, lotName, operationName, partName }) => ({
            id: [jobName, lotName, operationName, partName].filter(name => name !== '').join(' / '),
            machineId: '',
            startMs: 0,
          }))
      case 'jobOperation':
        return records
          .list('jobRun', companyId)
          .filter(each => each.jobOperationId === id)
          .toSorted((a, b) => a.ref - b.ref)
          .map(each => startOf({ id: each.id, machineId: '', startAt: each.startAt }))
    }
  }
  const all =
    kind === 'jobOperation' || kind === 'machineGroup'
      ? list()
      : list().toSorted((a, b) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1))
  return { count: all.length, first: all.slice(0, maxFirstUses) }
}

function startOf({ id, machineId, startAt }: Omit<Use, 'startMs'> & { readonly startAt: string }): Use {
  return { id, machineId, startMs: Date.parse(startAt) }
}

/** Reads of the store that decisions need, from all records by a search. */
function naiveHistory(records: Records): StoredDataSource {
  return {
    uses: used => naiveUses(records, used),
    record: ({ kind, companyId, id }) => records.list(kind, companyId).find(each => each.id === id) ?? null,
    operationsByNames: ({ companyId, names }) =>
      records.list('jobOperation', companyId).filter(each => names.some(some => haveSameNames(each, some))),
    activeOperations: ({ companyId }) =>
      records
        .list('jobOperation', companyId)
        .filter(({ archivedAt }) => archivedAt === null)
        .toSorted((a, b) => a.ref - b.ref),
    span: ({ machineId, fromMs, toMs, maxSignInMs }) => {
      const startOf = (each: TimedRecord) => Date.parse(startAtOf(each))
      const startsIn = (each: TimedRecord) => startOf(each) >= fromMs && startOf(each) <= toMs
      const runs = records.runsOf(machineId)
      const before = runs.findLast(each => startOf(each) < fromMs && each.endAt !== each.startAt)
      return {
        jobRuns: runs.filter(each => each === before || startsIn(each)),
        operatorRuns: records
          .operatorRunsOf(machineId)
          .filter(each => startOf(each) > fromMs - maxSignInMs && startOf(each) <= toMs),
        annotations: records
          .annotationsOf(machineId)
          .filter(each => startOf(each) <= toMs && (each.endAt === null || Date.parse(each.endAt) > fromMs)),
        partAdjustments: records.adjustmentsOf(machineId).filter(startsIn),
      }
    },
    machines: ({ companyId, machineIds }) => {
      const isOwn = ({ machineId }: { readonly machineId: string }) => machineIds.includes(machineId)
      const isOther = (each: { readonly machineId: string }) => !isOwn(each)
      const [runs, signIns] = [records.list('jobRun', companyId), records.list('operatorRun', companyId)]
      const ranElsewhere = new Set(runs.filter(isOther).map(each => each.jobOperationId))
      const ranHere = new Set(runs.filter(isOwn).map(each => each.jobOperationId))
      const isUnused = (id: string) => ranHere.has(id) && !ranElsewhere.has(id)
      const annotations = records.list('annotation', companyId)
      const adjustments = records.list('partAdjustment', companyId)
      return {
        records: {
          jobRuns: runs.filter(isOwn),
          operatorRuns: signIns.filter(isOwn),
          annotations: annotations.filter(isOwn),
          partAdjustments: adjustments.filter(isOwn),
        },
        operations: records.list('jobOperation', companyId).filter(({ id }) => isUnused(id)),
        elsewhere: {
          machineGroupIds: new Set(
            records
              .list('jobOperation', companyId)
              .filter(({ id }) => !isUnused(id))
              .flatMap(({ workCenters }) => workCenters.flatMap(({ machineGroupId }) => machineGroupId ?? [])),
          ),
          operatorIds: new Set(signIns.filter(isOther).map(each => each.operatorId)),
          reasonIds: new Set(annotations.filter(isOther).map(each => each.reasonId)),
          categoryIds: new Set(adjustments.filter(isOther).flatMap(each => each.categoryId ?? [])),
        },
      }
    },
  }
}

function haveSameNames(a: JobNames, b: JobNames): boolean {
  return (['jobName', 'lotName', 'operationName', 'partName'] as const).every(name => a[name] === b[name])
}

/** The reads of the registrar's process, from all records by a search. */
export function naiveRegistrarHistory(records: Records): RegistrarHistory {
  const { uses, span, machines, activeOperations, operationsByNames } = naiveHistory(records)
  return {
    uses: async used => uses(used),
    span: async request => span(request),
    machines: async request => machines(request),
    activeOperations: async request => activeOperations(request),
    readByNames: async (companyId, names) => operationsByNames({ companyId, names }),
    readByIds: async ({ kind, companyId }, ids) => records.list(kind, companyId).filter(({ id }) => ids.includes(id)),
    settled: async () => undefined,
  }
}

/**
 * Decides a command as the registrar's process does, with a store that contains all records: by default those of the
 * registrar.
 */
export function decideSync(
  registrar: Registrar,
  command: Command,
  appendedAtMs: number,
  all: Records = registrar.records,
): DecidedCommand {
  const stored = new StoredReads()
  const history = naiveHistory(all)
  for (;;)
    try {
      return runSync(registrar.decide(command, appendedAtMs, stored))
    } catch (error) {
      if (!(error instanceof NotRead)) throw error
      stored.addFrom(error, history)
    }
}
