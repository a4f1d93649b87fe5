import type { DocumentStore } from '../../schema/document-store.ts'
import type { SeenMinute } from '../../schema/sample.ts'
import { canonicalName } from '../../schema/sample.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { int, text, wide, machineRef } from '../client/kinds.ts'
import { columns, firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { supersedeCopies, withoutCopies } from '../samples/sample-copies.ts'
import { sampleColumns, sampleColumnsSql, sampleLine, sampleShape, toSamples } from '../samples/sample-rows.ts'
import { int64, second, sql, str, uint32 } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { cycleStates, dayCoverage, hours, hoursIn, processProgress } from '../tables/documents.ts'
import { from, fromAll, fromShared, ofMachines } from '../tables/from.ts'
import { insertRows, joinInTurns, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { decidingSamples, machineFirstSeen, samples as rawSamples, seenMinutes } from '../tables/samples.ts'
import { identifier } from '../tables/table.ts'
import { brokenLinks } from './broken-links.ts'
import { createDayStore } from './days.ts'
import { documentColumns, documentLine } from './document-rows.ts'
import { insertChunks } from './insert-chunks.ts'
import type { CompanyRef } from '../../schema/refs.ts'

const process: QueryOptions = { lane: 'process' }

/** The processor's port over the store. Rejects with `StoreError`. */
export function createDocumentStore(store: Store): DocumentStore {
  return {
    ...createDayStore(store),

    async writeSamples(companyRef, samples) {
      const lines = await joinInTurns(samples, sample => sampleLine(companyRef, sample))
      await store.insert(decidingSamples.name, sampleColumns, lines)
    },

    async writeSeen(companyRef, seen) {
      await insertRows(
        store,
        seenWriter,
        seen.map(minute => ({ companyRef, ...minute })),
      )
    },

    async writeDocuments(documents) {
      for (const chunk of insertChunks(documents)) {
        await store.insert(hoursIn.name, documentColumns, await joinInTurns(chunk, documentLine))
      }
    },

    async readSamples(companyRef, machines, fromMs, toMs) {
      const [first, end] = [columnBound(fromMs), columnBound(toMs)]
      const where = [
        ofMachines(machines),
        sql`at_us >= ${int64(first * 1000)} AND at_us < ${int64(end * 1000)}`,
        sql`intDiv(at_us, 86400000000) BETWEEN ${int64(dayOf(first))} AND ${int64(dayOf(end))}`,
        withoutCopies(companyRef, machines),
      ]
      const query = sql`SELECT ${sampleColumnsSql} ${from(decidingSamples, companyRef, { where })}`
      return toSamples(await columns(store, query, sampleShape, process))
    },

    supersedeCopies: (companyRef, samples) => supersedeCopies(store, companyRef, samples),

    async readSeen(companyRef, machines, fromMs, toMs) {
      const where = [ofMachines(machines), within(sql`minute`, nextMinute(fromMs), nextMinute(toMs))]
      return rows(
        store,
        sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(minute)) * 1000 + min(first_ms) AS firstMs,
          toInt64(toUnixTimestamp(minute)) * 1000 + max(last_ms) AS lastMs
        ${from(seenMinutes, companyRef, { where })}
        GROUP BY machine, minute ORDER BY machine, minute`,
        { machineRef, firstMs: wide, lastMs: wide },
        process,
      )
    },

    async readStates(companyRef, machines, slotMs) {
      const reading = { final: true, where: [sql`slot = ${second(slotMs)}`, ofMachines(machines)] }
      const query = sql`SELECT machine AS machineRef, state_out ${from(cycleStates, companyRef, reading)}`
      const states = await rows(store, query, { machineRef, state_out: text }, process)
      return new Map(states.map(({ machineRef, state_out: state }) => [machineRef, state]))
    },

    async readLinks(companyRef, machines, fromMs, toMs) {
      const where = [ofMachines(machines), within(sql`slot`, fromMs, toMs)]
      return rows(
        store,
        sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn, toString(hash_out) AS hashOut
        ${from(hours, companyRef, { final: true, where })}
        ORDER BY machine, slot`,
        { machineRef, slotMs: wide, hashIn: text, hashOut: text },
        process,
      )
    },

    async readExtents(companyRef, machines) {
      return rows(
        store,
        sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(min(slot))) * 1000 AS firstSlotMs, toInt64(toUnixTimestamp(max(slot))) * 1000 AS lastSlotMs
        ${from(hours, companyRef, { where: [ofMachines(machines)] })}
        GROUP BY machine ORDER BY machine`,
        { machineRef, firstSlotMs: wide, lastSlotMs: wide },
        process,
      )
    },

    readBrokenLinks: (companyRef, machines) =>
      rows(store, brokenLinks(companyRef, machines), { machineRef, slotMs: wide }, process),

    async readFirstSeen(companyRef, machines) {
      const query = sql`
        SELECT machine AS machineRef, min(first_ms) AS first_seen_ms ${from(machineFirstSeen, companyRef, { where: [ofMachines(machines)] })}
        GROUP BY machine`
      const found = await rows(store, query, { machineRef, first_seen_ms: wide }, process)
      return new Map(found.map(({ machineRef, first_seen_ms: firstMs }) => [machineRef, firstMs]))
    },

    async promoteKey(companyRef, machineRef, key) {
      const where = [
        sql`machine = ${uint32(machineRef)}`,
        sql`upperUTF8(replaceRegexpAll(key, '[_\\\\s]', '')) = ${str(canonicalName(key))}`,
      ]
      await store.command(sql`
        INSERT INTO ${identifier(decidingSamples.name)} (company, ${sampleColumnsSql})
        SELECT company, ${sampleColumnsSql} ${from(rawSamples, companyRef, { where })}`)
    },

    async readRecordsOffset(partition) {
      const reading = { final: true, where: [sql`partition = ${uint32(partition)}`] }
      const query = sql`SELECT records_offset ${fromShared(processProgress, reading)}`
      return (await firstRow(store, query, { records_offset: wide }, process))?.records_offset ?? null
    },

    async readRecordsOffsets() {
      const query = sql`SELECT partition, records_offset ${fromShared(processProgress, { final: true })}`
      const found = await rows(store, query, { partition: int, records_offset: wide }, process)
      return new Map(found.map(({ partition, records_offset: offset }) => [partition, offset]))
    },

    async writeRecordsOffset(partition, recordsOffset, version) {
      await insertRows(store, progressWriter, [{ partition, recordsOffset, version }])
    },

    async readHighestFence() {
      const highest = await firstRow(
        store,
        sql`
        SELECT toUInt32(bitShiftRight(max(version), 40)) AS fence FROM (
          SELECT max(version) AS version ${fromAll(hours)}
          UNION ALL SELECT max(version) AS version ${fromShared(processProgress)}
          UNION ALL SELECT max(version) AS version ${fromAll(dayCoverage)}
        )`,
        { fence: int },
        process,
      )
      return highest?.fence ?? 0
    },
  }
}

const seenWriter: RowWriter<SeenMinute & { readonly companyRef: CompanyRef }> = rowWriter(seenMinutes, {
  company: seen => seen.companyRef,
  machine: ({ machineRef }) => machineRef,
  minute: ({ firstMs }) => Math.floor(firstMs / minuteMs) * 60,
  first_ms: ({ firstMs }) => firstMs - Math.floor(firstMs / minuteMs) * minuteMs,
  last_ms: ({ firstMs, lastMs }) => lastMs - Math.floor(firstMs / minuteMs) * minuteMs,
})

interface Progress {
  readonly partition: number
  readonly recordsOffset: number
  readonly version: bigint
}

const progressWriter: RowWriter<Progress> = rowWriter(processProgress, {
  partition: ({ partition }) => partition,
  records_offset: ({ recordsOffset }) => recordsOffset,
  version: ({ version }) => String(version),
})

const dayOf = (ms: number) => Math.floor(ms / 86_400_000)
const nextMinute = (ms: number) => Math.ceil(ms / minuteMs) * minuteMs
