import { expect } from 'chai'
import * as fc from 'fast-check'
import { RecordLookups } from '../../../processors/registrar/record-lookups.ts'
import { Registrar } from '../../../processors/registrar/registrar.ts'
import type { JobNames } from '../../../schema/records/job-names.ts'
import type { LogRecord } from '../../../log/log.ts'
import { forAll } from '../../support/for-all.ts'
import { naiveRegistrarHistory } from '../../support/naive-uses.ts'
import type { Plant } from './plant.ts'
import { play, randomHistory } from '../records/random-history.ts'

const limits = {
  maxAgeMs: 0,
  minAgeMs: 0,
  maxRecords: 0,
  maxRecordsPerMachine: 0,
  slack: 0,
  maxOperations: 0,
  incidentAgeMs: 0,
  maxSettledIncidents: 0,
  deliveryAgeMs: 0,
}

describe('lookups of records', () => {
  it('Records found in a store that lacks the latest changes, also before some of them, equal the current ones', () =>
    forAll(
      fc.asyncProperty(
        randomHistory,
        fc.nat(),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        async (drawn, storedAt, settledAt, readAt, isSettled) => {
          const plant = play(drawn, () => undefined)
          const { companyId, entries } = plant
          const settledCount = settledAt % entries.length
          const storedCount = Math.max(settledCount, storedAt % entries.length)
          const readCount = Math.max(storedCount, readAt % entries.length)
          const names = everSeenNames(entries)
          const current = plant.records.list('jobOperation', companyId)
          const ids = new Set(everSeenIds(entries, 'jobOperation'))
          for (const isPrefetched of [false, true]) {
            const { lookups, reads, stored } = await lookupsOf(plant, settledCount, storedCount)
            for (const entry of entries.slice(settledCount, readCount)) await lookups.add(entry.changes)
            if (isPrefetched)
              await lookups.startBatch(
                names.map(each => startCommand(plant, each)),
                emptyRecords(),
              )
            for (const each of names) await lookups.findByNames({ companyId, names: [each] })
            if (isPrefetched) expect(reads.byNames).to.equal(names.length > 0 ? 1 : 0)
            const found = await lookups.findByNames({ companyId, names })
            reads.byId = 0
            await lookups.findOperations(
              companyId,
              found.map(({ id }) => id),
            )
            expect(reads.byId).to.equal(0)
            for (const entry of entries.slice(readCount)) await lookups.add(entry.changes)
            if (isSettled) {
              for (const entry of entries.slice(storedCount)) stored.apply(entry, entry.command.nowMs)
              await lookups.settle()
            }
            for (const each of names) {
              const expected = current.filter(operation => JSON.stringify(namesOf(operation)) === JSON.stringify(each))
              expect(await lookups.findByNames({ companyId, names: [each] })).to.deep.equal(expected)
            }
            expect(await lookups.findByNames({ companyId, names })).to.have.deep.members(current)
            expect(await lookups.findOperations(companyId, [...ids])).to.have.deep.members(current)
            for (const kind of ['jobRun', 'annotation', 'jobOperation'] as const)
              for (const id of everSeenIds(entries, kind)) {
                const expected = plant.records.get(kind, companyId, id)
                expect(await lookups.find({ kind, companyId, id })).to.deep.equal(expected)
              }
          }
        },
      ),
      { numRuns: 100, shrinks: true },
    ))
})

/** Lookups in a store with the first `storedCount` entries, which had the first `settledCount` ones when it was awaited last. */
async function lookupsOf({ entries }: Pick<Plant, 'entries'>, settledCount: number, storedCount: number) {
  const stored = new Registrar()
  const history = naiveRegistrarHistory(stored.records)
  const reads = { byNames: 0, byId: 0 }
  const readByNames: typeof history.readByNames = (...request) => {
    reads.byNames++
    return history.readByNames(...request)
  }
  const readByIds: typeof history.readByIds = (...request) => {
    reads.byId++
    return history.readByIds(...request)
  }
  const lookups = new RecordLookups({ ...history, readByNames, readByIds })
  for (const entry of entries.slice(0, settledCount)) await lookups.add(entry.changes)
  for (const entry of entries.slice(0, storedCount)) stored.apply(entry, entry.command.nowMs)
  await lookups.settle()
  return { lookups, reads, stored }
}

type Entries = ReturnType<typeof play>['entries']

function everSeenNames(entries: Entries): readonly JobNames[] {
  const names = entries.flatMap(({ changes }) =>
    changes.flatMap(({ kind, after }) => (kind === 'jobOperation' && after ? [JSON.stringify(namesOf(after))] : [])),
  )
  return [...new Set(names)].map((each): JobNames => JSON.parse(each))
}

function namesOf({ jobName, lotName, operationName, partName }: JobNames): JobNames {
  return { jobName, lotName, operationName, partName }
}

function everSeenIds(entries: Entries, kind: string): readonly string[] {
  return entries.flatMap(({ changes }) => changes.flatMap(each => (each.kind === kind ? [each.id] : [])))
}

/** Records of which all with a time, and all operations, are only in the store. */
function emptyRecords() {
  const { records } = new Registrar(limits)
  const traits = new Map<string, never>()
  records.restoreFrom({
    horizonMs: 0,
    signInsAfterMs: new Map(),
    firstRuns: new Map(),
    storedOperations: traits,
    settledFromMs: -Infinity,
  })
  return records
}

function startCommand(plant: Plant, names: JobNames): LogRecord {
  const command = plant.command('jobRun.start', { erpJobOperationRunId: 'none', ...names })
  return {
    topic: 'commands',
    headers: {},
    partition: 0,
    offset: 0,
    timestampMs: 0,
    key: null,
    value: Buffer.from(JSON.stringify(command)),
  }
}
