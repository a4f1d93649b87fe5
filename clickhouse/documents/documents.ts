import type { DocumentStore, Link } from '../../schema/document-store.ts'
import type { SeenMinute } from '../../schema/sample.ts'
import { canonicalName } from '../../schema/sample.ts'
import { brokenLinks } from './broken-links.ts'
import { createDayStore } from './days.ts'
import { withoutCopies, supersedeCopies } from '../samples/sample-copies.ts'
import { insertChunks } from './insert-chunks.ts'
import { documentColumns, documentLine } from './document-rows.ts'
import { sampleColumns, sampleColumnsSql, sampleLine, toSamples } from '../samples/sample-rows.ts'
import type { SampleColumns } from '../samples/sample-rows.ts'
import { array, int64, second, sql, str, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { columnBound, within } from '../sql/time-bounds.ts'

/** The processor's port over the store. Rejects with `StoreError`. */
export function createDocumentStore(store: Store): DocumentStore {
  const columns = <Columns extends readonly unknown[][]>(query: Sql) => store.columns<Columns>(query, processRead)
  return {
    ...createDayStore(store),

    async writeSamples(company, samples) {
      const lines = samples.map(sample => sampleLine(company, sample))
      await store.insert('deciding_samples', sampleColumns, lines.join('\n'))
    },

    async writeSeen(company, seen) {
      const lines = seen.map(minute => seenLine(company, minute))
      await store.insert('seen_minutes', ['company', 'machine', 'minute', 'first_ms', 'last_ms'], lines.join('\n'))
    },

    async writeDocuments(documents) {
      for (const chunk of insertChunks(documents)) {
        await store.insert('hours_in', documentColumns, chunk.map(documentLine).join('\n'))
      }
    },

    async readSamples(company, machines, from, to) {
      const [fromMs, toMs] = [columnBound(from), columnBound(to)]
      const found = await columns<SampleColumns>(sql`
        SELECT ${sampleColumnsSql} FROM deciding_samples
        WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}
          AND at_us >= ${int64(fromMs * 1000)} AND at_us < ${int64(toMs * 1000)}
          AND intDiv(at_us, 86400000000) BETWEEN ${int64(dayOf(fromMs))} AND ${int64(dayOf(toMs))}
          AND ${withoutCopies(company, machines)}`)
      return toSamples(found)
    },

    supersedeCopies: (company, samples) => supersedeCopies(store, company, samples),

    async readSeen(company, machines, fromMs, toMs) {
      const [machine, first, last] = await columns<[number[], number[], number[]]>(sql`
        SELECT machine, toUnixTimestamp(minute) * 1000 + min(first_ms), toUnixTimestamp(minute) * 1000 + max(last_ms)
        FROM seen_minutes
        WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}
          AND ${within(sql`minute`, nextMinute(fromMs), nextMinute(toMs))}
        GROUP BY machine, minute ORDER BY machine, minute`)
      return machine.map((ref, i) => ({ machine: ref, firstMs: first[i] ?? 0, lastMs: last[i] ?? 0 }))
    },

    async readStates(company, machines, slotMs) {
      const [machine, state] = await columns<[number[], string[]]>(sql`
        SELECT machine, state_out FROM cycle_states FINAL
        WHERE company = ${uint32(company)} AND slot = ${second(slotMs)} AND machine IN ${array(uint32, machines)}`)
      return new Map(machine.map((ref, i) => [ref, state[i] ?? '']))
    },

    async readLinks(company, machines, fromMs, toMs) {
      const [machine, slot, hashIn, hashOut] = await columns<[number[], number[], string[], string[]]>(sql`
        SELECT machine, toUnixTimestamp(slot), toString(hash_in), toString(hash_out) FROM hours FINAL
        WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}
          AND ${within(sql`slot`, fromMs, toMs)}
        ORDER BY machine, slot`)
      return machine.map((ref, i): Link => ({
        machine: ref,
        slotMs: (slot[i] ?? 0) * 1000,
        hashIn: hashIn[i] ?? '',
        hashOut: hashOut[i] ?? '',
      }))
    },

    async readExtents(company, machines) {
      const [machine, first, last] = await columns<[number[], number[], number[]]>(sql`
        SELECT machine, toUnixTimestamp(min(slot)), toUnixTimestamp(max(slot)) FROM hours
        WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}
        GROUP BY machine ORDER BY machine`)
      return machine.map((ref, i) => ({
        machine: ref,
        firstSlotMs: (first[i] ?? 0) * 1000,
        lastSlotMs: (last[i] ?? 0) * 1000,
      }))
    },

    async readBrokenLinks(company, machines) {
      const [machine, slot] = await columns<[number[], number[]]>(brokenLinks(company, machines))
      return machine.map((ref, i) => ({ machine: ref, slotMs: (slot[i] ?? 0) * 1000 }))
    },

    async readFirstSeen(company, machines) {
      const [machine, first] = await columns<[number[], number[]]>(sql`
        SELECT machine, min(first_ms) FROM machine_first_seen
        WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)} GROUP BY machine`)
      return new Map(machine.map((ref, i) => [ref, first[i] ?? 0]))
    },

    async promoteKey(company, machine, key) {
      await store.command(sql`
        INSERT INTO deciding_samples (company, ${sampleColumnsSql})
        SELECT company, ${sampleColumnsSql} FROM samples
        WHERE company = ${uint32(company)} AND machine = ${uint32(machine)}
          AND upperUTF8(replaceRegexpAll(key, '[_\\\\s]', '')) = ${str(canonicalName(key))}`)
    },

    async readRecordsOffset(partition) {
      const [offsets] = await columns<[number[]]>(sql`
        SELECT records_offset FROM process_progress FINAL WHERE partition = ${uint32(partition)}`)
      return offsets[0] ?? null
    },

    async readRecordsOffsets() {
      const [partitions, offsets] = await columns<[number[], number[]]>(sql`
        SELECT partition, records_offset FROM process_progress FINAL`)
      return new Map(partitions.map((partition, i) => [partition, offsets[i] ?? 0]))
    },

    async writeRecordsOffset(partition, recordsOffset, version) {
      const line = JSON.stringify([partition, recordsOffset, version.toString()])
      await store.insert('process_progress', ['partition', 'records_offset', 'ver'], line)
    },

    async readHighestFence() {
      const [fences] = await columns<[number[]]>(sql`
        SELECT toUInt32(bitShiftRight(max(ver), 40)) FROM (
          SELECT max(ver) AS ver FROM hours UNION ALL SELECT max(ver) AS ver FROM process_progress
          UNION ALL SELECT max(ver) AS ver FROM day_coverage
        )`)
      return fences[0] ?? 0
    },
  }
}

/** Int64 columns as numbers: what is read here stays below 2^53, hashes and versions are read as text. */
const processRead: QueryOptions = { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } }

function seenLine(company: number, { machine, firstMs, lastMs }: SeenMinute): string {
  const minute = Math.floor(firstMs / 60_000)
  return `[${company},${machine},${minute * 60},${firstMs - minute * 60_000},${lastMs - minute * 60_000}]`
}

const dayOf = (ms: number) => Math.floor(ms / 86_400_000)
const nextMinute = (ms: number) => Math.ceil(ms / 60_000) * 60_000
