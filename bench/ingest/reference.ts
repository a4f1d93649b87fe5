/**
 * Only the engine, for `run.ts`: the samples of the benchmark as columns (Native), with the view of latest values that a table would have
 * without a separate writer. Runs in its own process and reports the rate and the CPU time of its inserts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import type { QuerySettings } from '../../clickhouse/client/store.ts'
import { migrate } from '../../clickhouse/migrations/migrate.ts'
import { sampleBlock } from '../../clickhouse/samples/sample-block.ts'
import { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { SampleRow } from '../../clickhouse/samples/sample-rows.ts'
import { decodeRecord } from '../../ingest/decode/record.ts'
import type { MachineInfo } from '../../ingest/decode/validate.ts'
import { asCompanyRef, asMachineRef } from '../../schema/refs.ts'
import { runSync } from '../../shared/async/steps.ts'
import { bodies, type Shape } from './bodies.ts'
import { cpuOf } from '../support/usage.ts'

export interface ReferenceReport {
  readonly rows: number
  readonly elapsedMs: number
  readonly cpuUs: number
}

const rowsOfBlock = 200_000

process.once('message', (shape: Shape) => {
  measure(shape).then(
    report => process.send?.(report, () => process.exit()),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function measure(shape: Shape): Promise<ReferenceReport> {
  const path = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-reference-'))
  const store = await openEmbeddedStore({ path, database: 'reference', reportClients: 1 })
  try {
    await migrate(store)
    const view = `CREATE MATERIALIZED VIEW latest_view TO latest_values AS
      SELECT company, machine, key, type, subtype, at_us, value, category FROM samples`
    await store.command({ parts: [view] })
    const rows = allRows(shape)
    let elapsedMs = 0
    let cpuUs = 0
    for (let from = 0; from < rows.length; from += rowsOfBlock) {
      const { samples } = runSync(sampleBlock(SampleColumns.of(rows.slice(from, from + rowsOfBlock))))
      const before = cpuOf(process.pid).all
      const startedMs = performance.now()
      await store.insertNative('samples', samples, { settings: settings() })
      elapsedMs += performance.now() - startedMs
      cpuUs += cpuOf(process.pid).all - before
    }
    return { rows: rows.length, elapsedMs, cpuUs }
  } finally {
    await store.close()
    rmSync(path, { recursive: true, force: true })
  }
}

/** Settings to try, as JSON. */
function settings(): QuerySettings {
  const given: QuerySettings = JSON.parse(process.env['TAKT_REFERENCE_SETTINGS'] ?? '{}')
  return given
}

function allRows(shape: Shape): readonly SampleRow[] {
  const companyRef = asCompanyRef(1)
  const machines = new Map<string, MachineInfo>(
    shape.machines.map((id, i) => [
      id,
      { id, ref: asMachineRef(i + 1), companyRef, maxSampleAgeDays: 7300, namedKeys: new Set<string>(), counter: null },
    ]),
  )
  const context = { machine: (id: string) => machines.get(id), appendedAtMs: Date.now() }
  const rows: SampleRow[] = []
  for (const { bytes } of bodies(shape))
    for (const record of shape.batch === 1 ? linesOf(bytes) : [bytes])
      for (const { sample } of decodeRecord(record, context).accepted) rows.push({ companyRef, sample })
  return rows
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines = bytes.toString().split('\n')
  return lines.map(line => Buffer.from(line))
}
