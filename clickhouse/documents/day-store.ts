import type { CoverageRow, DayStore, MachineDay, ShopDay, StaleDayRow } from '../../schema/document-store.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { batchCalls, batchCallsByKey } from '../../shared/async/batch-calls.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { big, companyRef, narrow, machineRef, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import { batchInserts } from '../client/batch-inserts.ts'
import type { Store } from '../client/store.ts'
import { array, sql, uint32 } from '../sql/sql.ts'
import { dayCoverage, staleDays } from '../tables/documents.ts'
import { fromAll } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { dayDocuments, type VersionedMachines } from './day-documents.ts'

const coverage = 'coverage of a partition, which has machines of all companies'

/** Builds day documents, and stores their coverage. Rejects with `StoreError`. */
export function createDayStore(store: Store): DayStore {
  // Partitions are taken over at the same time.
  const gathered = { insert: batchInserts(store) }
  // One statement at a time, so that reads of the pipeline wait for one at most. Its planning takes longer than some machines' days.
  const oneByOne = createSerial()
  const build = batchCallsByKey(async (builds: readonly Build[]) => {
    const tookMs = new Map<Build, number>()
    for (const chunk of chunksOf(builds)) {
      const ms = await oneByOne(() => buildDays(store, chunk))
      for (const each of chunk) tookMs.set(each, ms)
    }
    return tookMs
  })
  const coverageOf = batchCalls((requests: readonly OfPartition[]) => readCoverage(store, requests))
  const marksOf = batchCallsByKey((requests: readonly (readonly CompanyRef[])[]) =>
    readStaleDays(store, requests[0] ?? []),
  )
  return {
    async buildDays(companyRef, machines, shopDays, version) {
      if (machines.length === 0 || shopDays.length === 0) return 0
      const key = [companyRef, ...shopDays.flatMap(({ startMs, endMs }) => [startMs, endMs])].join()
      const own: Build = { companyRef, shopDays, machines, version }
      return (await build(key, own)).get(own) ?? 0
    },

    async readCoverage(partition, companies) {
      const found = await coverageOf({ partition, companies })
      return found
        .filter(row => row.partition === partition && companies.includes(row.companyRef))
        .map(({ companyRef, startMs, endMs, partitions, epoch_text: epoch }) => {
          return { companyRef, startMs, endMs, partitions, epoch }
        })
    },

    writeCoverage: coverage => insertRows(gathered, coverageWriter, coverage),
    readStaleDays: async companies => marksOf(companies.join(), companies),
    writeStaleDays: marks => insertRows(gathered, markWriter, marks),
  }
}

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

/** Day documents that one partition requests. */
interface Build extends VersionedMachines {
  readonly companyRef: CompanyRef
  readonly shopDays: readonly ShopDay[]
}

/** Limit of the machine-days of one statement for several partitions. */
const machineDaysTogether = 250

/** Builds the same days of one company for several partitions. Resolves to the duration in ms. */
async function buildDays(store: Store, builds: readonly Build[]): Promise<number> {
  const [first] = builds
  if (!first) return 0
  const begunMs = performance.now()
  // Not with the inserts: samples would wait behind it.
  await store.command(dayDocuments(first.companyRef, builds, first.shopDays), ofPipeline)
  return performance.now() - begunMs
}

function chunksOf(builds: readonly Build[]): readonly (readonly Build[])[] {
  const chunks: Build[][] = []
  let machineDays = Infinity
  for (const build of builds) {
    const own = build.machines.length * build.shopDays.length
    const last = chunks.at(-1)
    if (last && machineDays + own <= machineDaysTogether) {
      machineDays += own
      last.push(build)
    } else {
      machineDays = own
      chunks.push([build])
    }
  }
  return chunks
}

interface OfPartition {
  readonly partition: number
  readonly companies: readonly CompanyRef[]
}

/** Epoch rows of partitions for companies, and the days that they cover; may include further companies. */
function readCoverage(store: Store, requests: readonly OfPartition[]) {
  const partitions = requests.map(({ partition }) => partition)
  const companies = [...new Set(requests.flatMap(each => each.companies))]
  const own = [sql`partition IN ${array(uint32, partitions)}`, sql`company IN ${array(uint32, companies)}`]
  const ownership = fromAll(dayCoverage, coverage, { final: true, where: [...own, sql`start_ms = 0`, sql`end_ms = 0`] })
  const inEpoch = sql`(company, partition, epoch) IN (SELECT company, partition, epoch ${ownership})`
  const query = sql`
    SELECT partition, company AS companyRef, start_ms AS startMs, end_ms AS endMs, partitions, toString(epoch) AS epoch_text
    ${fromAll(dayCoverage, coverage, { final: true, where: [...own, sql`covered = 1`, inEpoch] })}
    ORDER BY partition, companyRef, startMs`
  const shape = { partition: narrow, companyRef, startMs: wide, endMs: wide, partitions: narrow, epoch_text: big }
  return rows(store, query, shape, ofPipeline)
}

function readStaleDays(store: Store, companies: readonly CompanyRef[]): Promise<readonly MachineDay[]> {
  const where = [sql`company IN ${array(uint32, companies)}`, sql`stale = 1`]
  const query = sql`
    SELECT company AS companyRef, machine AS machineRef, start_ms AS startMs, end_ms AS endMs
    ${fromAll(staleDays, 'marks of a partition, which has machines of all companies', { final: true, where })}`
  return rows(store, query, { companyRef, machineRef, startMs: wide, endMs: wide }, ofPipeline)
}
