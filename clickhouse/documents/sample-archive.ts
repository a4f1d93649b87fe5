import type { SampleArchive } from '../../schema/document-store.ts'
import type { Sample, ActivityMinute } from '../../schema/sample.ts'
import { canonicalName } from '../../schema/sample.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { machineRef, narrow, wide } from '../client/kinds.ts'
import { batchInserts, type Linger } from '../client/batch-inserts.ts'
import { gatherReads } from '../client/gathered-reads.ts'
import { columns, firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { createFirstSeenWriter, readFirstSeen } from '../samples/first-seen.ts'
import { sampledWithin } from '../samples/within.ts'
import { supersedeCopies, withoutCopies } from '../samples/sample-copies.ts'
import { sampleColumns, sampleColumnsSql, sampleLine, sampleShape, toSamples } from '../samples/sample-rows.ts'
import { int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { from, ofMachines } from '../tables/from.ts'
import { insertRows, joinInTurns, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { decidingSamples, machineFirstSeen, samples as rawSamples, seenMinutes } from '../tables/samples.ts'
import { identifier } from '../tables/table.ts'

/** Stores and reads state samples and seen minutes. Rejects with `StoreError`. */
export function createSampleArchive(store: Store, linger?: Linger): SampleArchive {
  // Partitions write and read at the same time.
  const gathered = { insert: batchInserts(store, linger) }
  const writeFirstSeen = createFirstSeenWriter(gathered)
  const firstSeenOf = gatherReads((companyRef: CompanyRef, machines: readonly MachineRef[]) =>
    readFirstSeen(store, companyRef, machines, ofPipeline),
  )
  return {
    async writeSamples(companyRef, samples) {
      const instants = samples.map(({ machineRef, atUs }) => ({ machineRef, ms: Math.floor(atUs / 1000) }))
      await writeFirstSeen(companyRef, instants)
      const lines = await joinInTurns(samples, sample => sampleLine(companyRef, sample))
      await gathered.insert(decidingSamples.name, sampleColumns, lines)
    },

    async writeSeen(companyRef, seen) {
      const instants = seen.map(({ machineRef, firstMs }) => ({ machineRef, ms: firstMs }))
      await writeFirstSeen(companyRef, instants)
      const rows = seen.map(minute => ({ companyRef, ...minute }))
      await insertRows(gathered, seenWriter, rows)
    },

    readSamples: gatherReads<[number, number], Sample>(async (companyRef, machines, fromMs, toMs) => {
      const where = [...sampledIn(machines, fromMs, toMs), withoutCopies(companyRef, machines)]
      const query = sql`SELECT ${sampleColumnsSql} ${from(decidingSamples, companyRef, { where })}`
      return toSamples(await columns(store, query, sampleShape, ofPipeline))
    }),

    async readLatestSamples(companyRef, machines, beforeMs) {
      const where = [...sampledIn(machines, -Infinity, beforeMs), withoutCopies(companyRef, machines)]
      const kind = sql`machine, key, type, subtype, category, native_code`
      const latest = sql`SELECT ${kind}, max(at_us) ${from(decidingSamples, companyRef, { where })} GROUP BY ${kind}`
      const query = sql`
        SELECT ${sampleColumnsSql} ${from(decidingSamples, companyRef, { where: [...where, sql`(${kind}, at_us) IN (${latest})`] })}`
      return toSamples(await columns(store, query, sampleShape, ofPipeline))
    },

    async countSamples(companyRef, machines, fromMs, toMs) {
      const reading = { where: sampledIn(machines, fromMs, toMs) }
      const query = sql`SELECT toUInt32(count()) AS samples ${from(decidingSamples, companyRef, reading)}`
      return (await firstRow(store, query, { samples: narrow }, ofPipeline))?.samples ?? 0
    },

    supersedeCopies: (companyRef, samples) => supersedeCopies(store, companyRef, samples),

    readSeen: gatherReads<[number, number], ActivityMinute>((companyRef, machines, fromMs, toMs) => {
      const where = [ofMachines(machines), within(sql`minute`, nextMinute(fromMs), nextMinute(toMs))]
      const query = sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(minute)) * 1000 + first_ms AS firstMs,
          toInt64(toUnixTimestamp(minute)) * 1000 + last_ms AS lastMs
        ${from(seenMinutes, companyRef, { final: true, where })}
        ORDER BY machine, minute`
      return rows(store, query, { machineRef, firstMs: wide, lastMs: wide }, ofPipeline)
    }),

    async readFirstSeen(companyRef, machines) {
      const found = await firstSeenOf(companyRef, machines)
      return new Map(found.map(({ machineRef, firstSeenMs }) => [machineRef, firstSeenMs]))
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

/** Conditions for samples of these machines in [fromMs, toMs), including the day, by which samples are stored. */
function sampledIn(machines: readonly MachineRef[], fromMs: number, toMs: number): readonly Sql[] {
  const [first, end] = [columnBound(fromMs), columnBound(toMs)]
  const inDays = sql`intDiv(at_us, 86400000000) BETWEEN ${int64(dayOf(first))} AND ${int64(dayOf(end))}`
  return [ofMachines(machines), sampledWithin(fromMs, toMs), inDays]
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
