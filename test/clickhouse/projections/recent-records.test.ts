import { expect } from 'chai'
import * as fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { encodeEntry } from '../../../processors/records/entry-codec.ts'
import { loadRecords } from '../../../processors/records/load.ts'
import { isTimedKind } from '../../../processors/records/machine-histories.ts'
import { Records } from '../../../processors/records/records.ts'
import type { MemoryLimits } from '../../../schema/commands/stored-records.ts'
import { topics } from '../../../schema/topics.ts'
import { runSync } from '../../../shared/async/steps.ts'
import { changeBetween } from '../../../schema/records/record-kinds.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { projectRecords } from '../../support/project-records.ts'
import { hour, Plant } from '../../processors/registrar/plant.ts'
import { play, randomHistory } from '../../processors/records/random-history.ts'
import { expectSameInputs } from '../../processors/records/same-inputs.ts'

const tables = ['records', 'annotations', 'operator_runs', 'part_adjustments', 'machine_runs', 'job_runs']
const limits: MemoryLimits = {
  maxAgeMs: 5 * hourMs,
  minAgeMs: 0,
  maxRecords: 1e9,
  maxRecordsPerMachine: 0,
  slack: 0,
  maxOperations: 2,
  incidentAgeMs: 0,
  maxSettledIncidents: 0,
  deliveryAgeMs: 0,
}

describe('recent records in the store', () => {
  const store = useFreshDatabase('front')
  let folder: string
  let runs = 0

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'takt-recent-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** Projects entries; the changes at and after `complete` only if they are `isStored`. */
  async function project(plant: Plant, complete: number, isStored: readonly boolean[]): Promise<void> {
    for (const table of tables) await store().command({ parts: [`TRUNCATE TABLE ${table}`] })
    await projectRecords(store(), plant.entries.slice(0, complete))
    // Without the position of the store, before which all entries are complete.
    const withoutPosition = (lines: string | Buffer) =>
      lines
        .toString()
        .split('\n')
        .filter(line => !line.includes('projected'))
        .join('\n')
    const rows: Store = {
      ...store(),
      insert: (table, columns, lines, options) => store().insert(table, columns, withoutPosition(lines), options),
    }
    for (const [index, entry] of plant.entries.slice(complete).entries()) {
      const changes = entry.changes.filter((_, change) => isStored[(index + change) % isStored.length])
      if (changes.length > 0) await projectRecords(rows, [{ ...entry, changes }])
    }
  }

  async function withLog(plant: Plant, use: (log: Awaited<ReturnType<typeof openEmbeddedLog>>) => Promise<void>) {
    const log = await openEmbeddedLog({ path: join(folder, String(runs++)) })
    try {
      await log.createTopics([{ name: topics.records, partitions: 1, retentionMs: null }])
      for (const entry of plant.entries)
        await log.append(
          topics.records,
          runSync(encodeEntry(entry)).map(value => ({ key: null, value, partition: 0 })),
        )
      await use(log)
    } finally {
      await log.close()
    }
  }

  it('Records that are loaded from the horizon on give the inputs of all records, also with partly stored entries', () =>
    forAll(
      fc.asyncProperty(
        randomHistory,
        fc.nat(),
        fc.nat(),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        async (drawn, completeAt, wantedAt, isStored) => {
          const plant = play(drawn, () => undefined)
          const complete = 1 + (completeAt % plant.entries.length)
          await project(plant, complete, isStored)
          await withLog(plant, async log => {
            const stored = createStoredRecords(store(), { limits, clock: () => plant.nowMs })
            const records = new Records(limits)
            const position = await loadRecords(log, stored, records, wantedAt % complete)
            expect(position, 'the position').not.to.equal(null)
            if (position) records.continueAfter(position)
            for (const [offset, entry] of plant.entries.entries()) records.apply(entry, offset)
            expectSameInputs(plant.records, records)
          })
        },
      ),
      { numRuns: 12, shrinks: true },
    ))

  it('With a complete store, memory contains exactly the records that memory would keep', () =>
    forAll(
      fc.asyncProperty(randomHistory, async drawn => {
        const plant = play(drawn, () => undefined)
        await project(plant, plant.entries.length, [true])
        const stored = createStoredRecords(store(), { limits, clock: () => plant.nowMs })
        const records = new Records(limits)
        const ids: string[] = []
        const start = await stored.readRecords(page => {
          for (const { kind, id } of page) if (isTimedKind(kind)) ids.push(`${kind} ${id}`)
        })
        records.restoreFrom(start)
        for (const company of [true, false])
          for (const { kind, id, record } of plant.records.allRecords())
            if ((kind === 'company') === company) records.restore(changeBetween(kind, id, null, record))
        const kept = [...records.allRecords()].flatMap(({ kind, id }) => (isTimedKind(kind) ? [`${kind} ${id}`] : []))
        // Annotations before the horizon may have ended: the latest one of each machine is read.
        expect(ids).to.include.members(kept)
        expect(new Set(ids).size - kept.length).to.be.at.most(4)
      }),
      { numRuns: 8, shrinks: true },
    ))

  it('The latest run that was not cancelled and annotations that end with a stop are read, however old they are', async () => {
    const plant = new Plant()
    plant.result('settings.put', { operatorMaxHours: 8.3333333 })
    const machineId = plant.machine({ erpMachineId: 'M1' })
    const reasonId = plant.reason()
    for (const [index, id] of ['first', 'effective', 'cancelled'].entries())
      plant.result('jobRun.start', { erpJobOperationRunId: id, erpMachineId: 'M1', jobName: 'J', startAt: hour(index) })
    plant.result('jobRun.end', { erpJobOperationRunId: 'cancelled', endAt: hour(2) })
    const changes = [0, 2, 4].map(at => ({
      machineId,
      reasonId,
      startAt: hour(at),
      endAt: hour(at + 1),
      endsWithStop: at === 0,
    }))
    const annotations = plant.result('annotation.reasons', { changes })
    plant.nowMs += 1000 * hourMs
    await project(plant, plant.entries.length, [true])
    const ids: string[] = []
    await createStoredRecords(store(), { limits, clock: () => plant.nowMs }).readRecords(page => {
      for (const { kind, id } of page) if (isTimedKind(kind)) ids.push(id)
    })
    expect(ids).to.have.members(['effective', annotations[0]?.id, annotations[2]?.id])
  })

  it('Old records are not read if there are many; all are read if they are few', async () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const create = (hours: number) =>
      plant.result('partAdjustment.create', {
        machine_id: machineId,
        count: 1,
        adjustmenttime: new Date(plant.nowMs - hours * hourMs).toISOString(),
      })
    for (let hours = 0; hours < 100; hours++) create(hours)
    await project(plant, plant.entries.length, [true])
    const read = async (options: Partial<MemoryLimits>): Promise<number> => {
      let count = 0
      const recent = { limits: { ...limits, ...options }, clock: () => plant.nowMs }
      await createStoredRecords(store(), recent).readRecords(page => {
        count += page.filter(({ kind }) => kind === 'partAdjustment').length
      })
      return count
    }
    expect(await read({ slack: 100 })).to.equal(100)
    expect(await read({ maxAgeMs: 50 * hourMs })).to.equal(51)
    expect(await read({ maxAgeMs: 50 * hourMs, maxRecords: 20 })).to.equal(20)
    expect(await read({ maxAgeMs: 50 * hourMs, maxRecords: 1, maxRecordsPerMachine: 30 })).to.equal(30)
    expect(await read({ maxAgeMs: 50 * hourMs, maxRecords: 20, minAgeMs: 30 * hourMs })).to.equal(31)
  })
})
