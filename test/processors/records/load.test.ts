import { expect } from 'chai'
import * as fc from 'fast-check'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { encodeEntry } from '../../../processors/records/entry-codec.ts'
import { loadRecords } from '../../../processors/records/load.ts'
import { Records } from '../../../processors/records/records.ts'
import { Registrar } from '../../../processors/registrar/registrar.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import type { StoredRecords } from '../../../schema/commands/stored-records.ts'
import { topics } from '../../../schema/topics.ts'
import { decideSync } from '../../support/naive-uses.ts'
import { runSync } from '../../../shared/async/steps.ts'
import { forAll } from '../../support/for-all.ts'
import { positionOf } from '../../support/project-records.ts'
import { storedChanges } from '../../support/stored-changes.ts'
import { Plant } from '../registrar/plant.ts'
import { randomCommand } from '../registrar/random-command.ts'

/** A history of records, and how far a store follows it. */
interface Case {
  readonly commands: readonly { readonly name: string; readonly payload: object }[]
  /** Index of the entry up to which the store is complete. */
  readonly projected: number
  /** Index of the entry after which records are wanted. */
  readonly wanted: number
  /** Whether the store also has each of the following changes. */
  readonly isStored: readonly boolean[]
  readonly next: readonly { readonly name: string; readonly payload: object }[]
}

const cases: fc.Arbitrary<Case> = fc.record({
  commands: fc.array(randomCommand, { minLength: 1, maxLength: 40 }),
  projected: fc.nat(40),
  wanted: fc.nat(40),
  isStored: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  next: fc.array(randomCommand, { maxLength: 5 }),
})

describe('loading the records', () => {
  let folder: string
  let runs = 0

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'takt-load-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function withHistory(
    { commands, projected, isStored }: Case,
    check: (log: Log, stored: StoredRecords, plant: Plant, projected: number) => Promise<void>,
  ): Promise<void> {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    for (const { name, payload } of commands) plant.do(name, payload)
    const log = await openEmbeddedLog({ path: join(folder, String(runs++)) })
    try {
      await log.createTopics([{ name: topics.records, partitions: 1, retentionMs: null }])
      for (const entry of plant.entries)
        await log.append(
          topics.records,
          runSync(encodeEntry(entry)).map(value => ({ key: null, value, partition: 0 })),
        )
      const last = Math.min(projected, plant.entries.length - 1)
      await check(log, partlyAheadStore(plant.entries, last, isStored), plant, last)
    } finally {
      await log.close()
    }
  }

  it('Records that are loaded from a store, which has later changes partly, equal those of the log', async () => {
    await forAll(
      fc.asyncProperty(cases, async tried =>
        withHistory(tried, async (log, stored, plant, projected) => {
          const wanted = Math.min(tried.wanted, projected)
          const records = new Records()
          const position = await loadRecords(log, stored, records, wanted)
          if (!position) throw new Error('The store has no position')
          records.continueAfter(position)
          const expected = new Records()
          const changes: string[][] = [[], []]
          for (const [offset, entry] of plant.entries.entries()) {
            if (offset === wanted + 1) {
              expect(position.offset).to.equal(wanted)
              expectSame(records, expected, plant.companyId)
              for (const [index, each] of [records, expected].entries())
                each.onChange(change => changes[index]?.push(JSON.stringify(change)))
            }
            expected.apply(entry, offset)
            if (offset > wanted) records.apply(entry, offset)
          }
          expectSame(records, expected, plant.companyId)
          expect(changes[0]).to.deep.equal(changes[1])
        }),
      ),
      { numRuns: 60, shrinks: true },
    )
  })

  it('A registrar that is restored from the store decides like one that has applied every entry', async () => {
    await forAll(
      fc.asyncProperty(cases, async tried =>
        withHistory(tried, async (log, stored, plant, projected) => {
          const restored = new Registrar()
          for (const change of await stored.readDeletedRecords()) restored.restore(change)
          const position = await loadRecords(log, stored, restored)
          if (!position) throw new Error('The store has no position')
          restored.continueAfter(position)
          for (const [offset, entry] of plant.entries.entries())
            if (offset > projected) restored.apply(entry, entry.command.nowMs)
            else restored.restoreOutcome(entry, entry.command.nowMs)
          expect(restored.lastCommandOffset).to.equal(plant.registrar.lastCommandOffset)
          for (const { name, payload } of [...tried.commands, ...tried.next]) {
            const command = plant.command(name, payload)
            const decided = decideSync(restored, command, command.nowMs)
            const entry = plant.fold(command)
            expect(decided).to.deep.equal({ outcome: entry.outcome, changes: entry.changes })
            restored.apply(entry, command.nowMs)
          }
        }),
      ),
      { numRuns: 60, shrinks: true },
    )
  })

  it('The id of a deleted downtime reason is not assigned again after the restoration', async () => {
    const put = { name: 'downtimeReason.put', payload: { name: 'R' } }
    const commands = [put, put, { name: 'downtimeReason.delete', payload: { id: 2 } }]
    await withHistory(
      { commands, projected: 40, wanted: 0, isStored: [false], next: [] },
      async (log, stored, plant) => {
        const restored = new Registrar()
        for (const change of await stored.readDeletedRecords()) restored.restore(change)
        const position = await loadRecords(log, stored, restored)
        if (position) restored.continueAfter(position)
        const { changes } = decideSync(restored, plant.command(put.name, put.payload), plant.nowMs)
        expect(changes.map(({ id }) => id)).to.deep.equal(['3'])
      },
    )
  })

  it('Without a position in the store, nothing is loaded', async () => {
    const only: Case = { commands: [], projected: 0, wanted: 0, isStored: [], next: [] }
    await withHistory(only, async (log, stored) => {
      const fail = { restoreFrom: () => expect.fail('restored'), restore: () => expect.fail('a record was restored') }
      expect(await loadRecords(log, { ...stored, readPosition: async () => null }, fail)).to.equal(null)
      expect(await loadRecords(log, stored, fail, -1)).to.equal(null)
    })
  })
})

/** A store that has all entries up to the index `last`, and some of the later changes. */
function partlyAheadStore(entries: readonly RecordEntry[], last: number, isStored: readonly boolean[]): StoredRecords {
  const registrar = new Registrar()
  for (const entry of entries.slice(0, last + 1)) registrar.apply(entry, entry.command.nowMs)
  const kept = entries.slice(0, last + 1).flatMap(({ changes }) => changes)
  const later = entries.slice(last + 1).flatMap(({ changes }) => changes)
  const [entry] = entries.slice(last)
  if (!entry) throw new Error('The history has no entry')
  return storedChanges([...kept, ...later.filter((_, index) => isStored[index % isStored.length])], {
    ...positionOf(entry, last),
    highestRefs: registrar.highestRefs,
  })
}

function expectSame(records: Records, expected: Records, companyId: string): void {
  const byId = (some: Records) =>
    Object.fromEntries([...some.allRecords()].map(({ kind, id, record }) => [`${kind} ${id}`, record]))
  expect(byId(records)).to.deep.equal(byId(expected))
  expect([records.offset, records.commandOffset]).to.deep.equal([expected.offset, expected.commandOffset])
  expect(records.lastRun).to.be.at.least(expected.lastRun)
  for (const { id } of expected.machines(companyId))
    expect(records.runsOf(id).map(({ ref }) => ref)).to.deep.equal(expected.runsOf(id).map(({ ref }) => ref))
  for (const kind of ['operator', 'machineGroup', 'jobOperation', 'jobRun'] as const)
    expect(new Set(records.list(kind, companyId).map(({ ref }) => ref)), kind).to.deep.equal(
      new Set(expected.list(kind, companyId).map(({ ref }) => ref)),
    )
}
