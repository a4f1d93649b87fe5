import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { SampleColumns } from '../../../clickhouse/samples/sample-columns.ts'
import { createMachineDirectory } from '../../../ingest/consume/directory.ts'
import type { Logger, MachineDirectory, SampleWriter } from '../../../ingest/consume/ports.ts'
import type { SampleRow } from '../../../clickhouse/samples/sample-rows.ts'
import { Records } from '../../../processors/records/records.ts'
import type { Log } from '../../../log/log.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { topics } from '../../../schema/topics.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

export const companyId = '00000000-0000-4000-8000-0000000000c1'
export const otherCompanyId = '00000000-0000-4000-8000-0000000000c2'
export const silent: Logger = { info() {}, warn() {}, error() {} }

/** A log with the topics of the pipeline, and the records of two companies (refs 1 and 2) without machines. */
export interface Plant {
  readonly log: Log
  readonly records: Records
  readonly machines: MachineDirectory
  /** Stores the record of a machine: a new one, or changed settings. */
  put(machine: Partial<MachineRecord> & { readonly id: string; readonly ref: number }): void
  /** Applies a change of any record. */
  apply(change: Change): void
  /** JSON values in a topic, by partition and offset. */
  read<T>(topic: string): Promise<readonly T[]>
  /** Values in a topic as bytes. */
  values(topic: string): Promise<readonly Buffer[]>
  close(): Promise<void>
}

export async function openPlant(clock: () => number, partitions = 2): Promise<Plant> {
  const path = await mkdtemp(join(tmpdir(), 'takt-ingest-'))
  const log = await openEmbeddedLog({ path, clock })
  const pipeline = [topics.samples, topics.stateSamples, topics.live, topics.deadLetters]
  await log.createTopics(pipeline.map(name => ({ name, partitions, retentionMs: null })))
  const records = new Records()
  const apply = (change: Change) => applyChange(records, change)
  const settings = defaultCompanySettings
  for (const [id, ref] of [
    [companyId, 1],
    [otherCompanyId, 2],
  ] as const) {
    apply({ kind: 'company', id, before: null, after: { id, ref: asCompanyRef(ref), settings } })
  }
  return {
    log,
    records,
    machines: createMachineDirectory(records),
    apply,
    put(machine) {
      const defaults = { ...defaultMachineSettings, companyId, name: machine.id, createdAt: '2024-01-01T00:00:00.000Z' }
      apply({
        kind: 'machine',
        id: machine.id,
        before: records.machine(machine.id),
        after: { ...defaults, ...machine },
      })
    },
    read: async <T>(topic: string) => (await readTopic(log, topic)).map((value): T => JSON.parse(value.toString())),
    values: topic => readTopic(log, topic),
    async close() {
      await log.close()
      await rm(path, { recursive: true, force: true })
    },
  }
}

function applyChange(records: Records, change: Change): void {
  const command = { id: '', deadlineMs: 0, nowMs: 0, companyId: null, actor: 'test', name: 'test' }
  const offset = records.offset + 1
  records.apply({ command, commandOffset: offset, outcome: { ok: true, result: null }, changes: [change] }, offset)
}

async function readTopic(log: Log, topic: string): Promise<readonly Buffer[]> {
  const values: { place: [number, number]; value: Buffer }[] = []
  const follower = await log.follow({
    topic,
    from: 'earliest',
    onBatch: batch => {
      for (const { partition, offset, value } of batch.records) values.push({ place: [partition, offset], value })
    },
  })
  await follower.caughtUp
  await follower.stop()
  return values.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1]).map(({ value }) => value)
}

/** A store in memory that can fail and reject rows. */
export class MemoryWriter implements SampleWriter {
  readonly rows: SampleRow[] = []
  readonly inserts: number[] = []
  /** Errors that the next writes throw, one each. */
  readonly failures: Error[] = []
  /** An insert with such a row is rejected. */
  refuses: (row: SampleRow) => boolean = () => false

  async write(columns: SampleColumns): Promise<void> {
    await Promise.resolve()
    const rows = [...columns]
    const failure = this.failures.shift()
    if (failure) throw failure
    if (rows.some(this.refuses)) throw Object.assign(new Error('cannot parse the row'), { retryable: false })
    this.inserts.push(rows.length)
    this.rows.push(...rows)
  }
}
