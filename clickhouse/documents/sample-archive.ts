import type { SampleArchive } from '../../schema/document-store.ts'
import type { Sample, ActivityMinute } from '../../schema/sample.ts'
import { canonicalName } from '../../schema/sample.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { machineRef, narrow, wide } from '../client/kinds.ts'
import { batchInserts, type Linger } from '../client/batch-inserts.ts'
import { gatherReads } from '../client/gathered-reads.ts'
import { columns, firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { createFirstSeenWriter } from '../samples/first-seen.ts'
import { sampledWithin } from '../samples/within.ts'
import { supersedeCopies, withoutCopies } from '../samples/sample-copies.ts'
import { sampleColumns, sampleColumnsSql, sampleLine, sampleShape, toSamples } from '../samples/sample-rows.ts'
import { int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { from, ofMachines } from '../tables/from.ts'
import { insertRows, joinInTurns, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { decidingSamples, machineFirstSeen, samples as rawSamples, seenMinutes } from '../tables/samples.ts'
import { identifier } from '../tables/table.ts'

const process: QueryOptions = { workload: 'process' }

/** The part of the processor's port that is about samples. Rejects with `StoreError`. */
export function createSampleArchive(store: Store, linger?: Linger): SampleArchive {
  // Partitions write and read at the same time.
  const gathered = { insert: batchInserts(store, linger) }
  const writeFirstSeen = createFirstSeenWriter(gathered)
  const firstSeenOf = gatherReads((...asked: Parameters<SampleArchive['readFirstSeen']>) =>
    readFirstSeen(store, ...asked),
  )
  return {
    async writeSamples(companyRef, samples) {
      await writeFirstSeen(
        companyRef,
        samples.map(({ machineRef, atUs }) => ({ machineRef, ms: Math.floor(atUs / 1000) })),
      )
      const lines = await joinInTurns(samples, sample => sampleLine(companyRef, sample))
      await gathered.insert(decidingSamples.name, sampleColumns, lines)
    },

    async writeSeen(companyRef, seen) {
      await writeFirstSeen(
        companyRef,
        seen.map(({ machineRef, firstMs }) => ({ machineRef, ms: firstMs })),
      )
      await insertRows(
        gathered,
        seenWriter,
        seen.map(minute => ({ companyRef, ...minute })),
      )
    },

    readSamples: gatherReads((...asked: Parameters<SampleArchive['readSamples']>) => readSamples(store, ...asked)),
    countSamples: (...asked) => countSamples(store, ...asked),
    supersedeCopies: (companyRef, samples) => supersedeCopies(store, companyRef, samples),
    readSeen: gatherReads((...asked: Parameters<SampleArchive['readSeen']>) => readSeen(store, ...asked)),

    async readFirstSeen(companyRef, machines) {
      const found = await firstSeenOf(companyRef, machines)
      return new Map(found.map(({ machineRef, first_seen_ms: firstMs }) => [machineRef, firstMs]))
    },

    async promoteKey(companyRef, machineRef, key) {
      const where = [
        sql`machine = ${uint32(machineRef)}`,
        sql`upperUTF8(replaceRegexpAll(key, '[_\\\\s]', '')) = ${str(canonicalName(key))}`,
      ]
      await store.command(sql`
        INSERT INTO ${identifier(machineFirstSeen.name)} (company, machine, first_ms)
        SELECT company, machine, min(intDiv(at_us, 1000)) ${from(rawSamples, companyRef, { where })} GROUP BY company, machine`)
      await store.command(sql`
        INSERT INTO ${identifier(decidingSamples.name)} (company, ${sampleColumnsSql})
        SELECT company, ${sampleColumnsSql} ${from(rawSamples, companyRef, { where })}`)
    },
  }
}

async function readSamples(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly Sample[]> {
  const where = [...sampledIn(machines, fromMs, toMs), withoutCopies(companyRef, machines)]
  const query = sql`SELECT ${sampleColumnsSql} ${from(decidingSamples, companyRef, { where })}`
  return toSamples(await columns(store, query, sampleShape, process))
}

async function countSamples(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<number> {
  const query = sql`SELECT toUInt32(count()) AS samples ${from(decidingSamples, companyRef, { where: sampledIn(machines, fromMs, toMs) })}`
  return (await firstRow(store, query, { samples: narrow }, process))?.samples ?? 0
}

/** Conditions for samples of these machines in [fromMs, toMs). The day is said too: samples are stored by it. */
function sampledIn(machines: readonly MachineRef[], fromMs: number, toMs: number): readonly Sql[] {
  const [first, end] = [columnBound(fromMs), columnBound(toMs)]
  const inDays = sql`intDiv(at_us, 86400000000) BETWEEN ${int64(dayOf(first))} AND ${int64(dayOf(end))}`
  return [ofMachines(machines), sampledWithin(fromMs, toMs), inDays]
}

function readSeen(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly ActivityMinute[]> {
  const where = [ofMachines(machines), within(sql`minute`, nextMinute(fromMs), nextMinute(toMs))]
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, toInt64(toUnixTimestamp(minute)) * 1000 + first_ms AS firstMs,
        toInt64(toUnixTimestamp(minute)) * 1000 + last_ms AS lastMs
      ${from(seenMinutes, companyRef, { final: true, where })}
      ORDER BY machine, minute`,
    { machineRef, firstMs: wide, lastMs: wide },
    process,
  )
}

function readFirstSeen(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[]) {
  const query = sql`
    SELECT machine AS machineRef, min(first_ms) AS first_seen_ms ${from(machineFirstSeen, companyRef, { where: [ofMachines(machines)] })}
    GROUP BY machine`
  return rows(store, query, { machineRef, first_seen_ms: wide }, process)
}

const seenWriter: RowWriter<ActivityMinute & { readonly companyRef: CompanyRef }> = rowWriter(seenMinutes, {
  company: seen => seen.companyRef,
  machine: ({ machineRef }) => machineRef,
  minute: ({ firstMs }) => Math.floor(firstMs / minuteMs) * 60,
  first_ms: ({ firstMs }) => firstMs - Math.floor(firstMs / minuteMs) * minuteMs,
  last_ms: ({ firstMs, lastMs }) => lastMs - Math.floor(firstMs / minuteMs) * minuteMs,
})

const dayOf = (ms: number) => Math.floor(ms / 86_400_000)
const nextMinute = (ms: number) => Math.ceil(ms / minuteMs) * minuteMs
