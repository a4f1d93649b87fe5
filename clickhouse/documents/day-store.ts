import type { CoverageRow, DayStore, StaleDayRow } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { big, companyRef, narrow, machineRef, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import { gatherInserts } from '../client/gathered-inserts.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { array, sql, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { dayCoverage, staleDays } from '../tables/documents.ts'
import { fromAll } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { dayDocuments } from './day-documents.ts'

const coverage = 'coverage of a partition, which has machines of all companies'

/** The part of the processor's port that is about day documents. Rejects with `StoreError`. */
export function createDayStore(store: Store): DayStore {
  // Partitions are taken over, and take their coverage back, at the same time.
  const gathered = { insert: gatherInserts(store) }
  return {
    async buildDays(companyRef, machines, shopDays, version) {
      if (machines.length === 0 || shopDays.length === 0) return
      // Not with the inserts: samples would wait behind it.
      await store.command(dayDocuments(companyRef, machines, shopDays, version), { workload: 'process' })
    },

    async readCoverage(partition, companies) {
      const found = await rows(
        store,
        storedCoverage(partition, companies),
        { companyRef, startMs: wide, endMs: wide, partitions: narrow, epoch_text: big },
        process,
      )
      return found.map(({ companyRef, startMs, endMs, partitions, epoch_text: epoch }) => ({
        companyRef,
        startMs,
        endMs,
        partitions,
        epoch,
      }))
    },

    writeCoverage: coverage => insertRows(gathered, coverageWriter, coverage),

    readStaleDays(companies) {
      const where = [sql`company IN ${array(uint32, companies)}`, sql`stale = 1`]
      return rows(
        store,
        sql`SELECT company AS companyRef, machine AS machineRef, start_ms AS startMs, end_ms AS endMs ${fromAll(staleDays, 'marks of a partition, which has machines of all companies', { final: true, where })}`,
        { companyRef, machineRef, startMs: wide, endMs: wide },
        process,
      )
    },

    writeStaleDays: marks => insertRows(gathered, markWriter, marks),
  }
}

const process: QueryOptions = { workload: 'process' }

const coverageWriter: RowWriter<CoverageRow> = rowWriter(dayCoverage, {
  company: ({ companyRef }) => companyRef,
  start_ms: ({ startMs }) => startMs,
  end_ms: ({ endMs }) => endMs,
  partition: ({ partition }) => partition,
  partitions: ({ partitions }) => partitions,
  covered: ({ covered }) => Number(covered),
  first_ms: ({ firstMs }) => Math.min(firstMs, Number.MAX_SAFE_INTEGER),
  epoch: ({ epoch }) => String(epoch),
  version: ({ version }) => String(version),
})

const markWriter: RowWriter<StaleDayRow> = rowWriter(staleDays, {
  company: ({ companyRef }) => companyRef,
  start_ms: ({ startMs }) => startMs,
  end_ms: ({ endMs }) => endMs,
  machine: ({ machineRef }) => machineRef,
  stale: ({ stale }) => Number(stale),
  version: ({ version }) => String(version),
})

/** A partition's ownership row of each company, and the days that it covers by it. */
function storedCoverage(partition: number, companies: readonly CompanyRef[]): Sql {
  const own = [sql`partition = ${uint32(partition)}`, sql`company IN ${array(uint32, companies)}`]
  const ownership = fromAll(dayCoverage, coverage, { final: true, where: [...own, sql`start_ms = 0`, sql`end_ms = 0`] })
  const inEpoch = sql`(company, epoch) IN (SELECT company, epoch ${ownership})`
  return sql`
    SELECT company AS companyRef, start_ms AS startMs, end_ms AS endMs, partitions, toString(epoch) AS epoch_text
    ${fromAll(dayCoverage, coverage, { final: true, where: [...own, sql`covered = 1`, inEpoch] })}
    ORDER BY companyRef, startMs`
}
