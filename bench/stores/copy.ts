/**
 * Writes the samples of `bench/ingest/run.ts` to PostgreSQL by COPY: a table with partitions by day and an index of machine and key.
 *
 *   node --import tsx bench/stores/copy.ts [samples=1000000] [machines=1000] [samples a transaction=2000]
 */
import { randomUUID } from 'node:crypto'
import { hourMs } from '../../shared/time/units.ts'
import { bodies } from '../ingest/bodies.ts'
import { timed } from '../reports/measure.ts'
import { openPostgres } from './postgres.ts'

const [samples = 1_000_000, machineCount = 1_000, transaction = 2_000] = process.argv.slice(2).map(Number)

interface Batch {
  readonly machineId: string
  readonly samples: readonly Readonly<Record<'timestamp' | 'key' | 'type' | 'value', string>>[]
}

const machines = Array.from({ length: machineCount }, () => randomUUID())
const startMs = Date.parse('2026-03-02T06:00:00.000Z')
const blocks = [...copyBlocks()]
const postgres = await openPostgres()
try {
  await postgres.query(`
    CREATE TABLE samples (machine integer, at timestamptz, key text, type text, value text) PARTITION BY RANGE (at);
    CREATE TABLE samples_1 PARTITION OF samples FOR VALUES FROM ('2026-03-02') TO ('2026-03-03');
    CREATE INDEX ON samples (machine, key, at)`)
  const cpuBeforeMs = postgres.cpuMs()
  const ms = await timed(async () => {
    for (const block of blocks) await postgres.copyText('samples', block)
  })
  const [[count] = []] = await postgres.query('SELECT count(*) FROM samples')
  if (count !== samples) throw new Error(`${count} samples are stored instead of ${samples}`)
  const cpuUs = ((postgres.cpuMs() - cpuBeforeMs) * 1000) / samples
  console.log(
    `${postgres.name}: ${Math.round(samples / (ms / 1000)).toLocaleString('en')} samples/s, ${cpuUs.toFixed(2)} µs of CPU a sample`,
  )
} finally {
  await postgres.close()
}

/** Rows of text for COPY, for one transaction each. */
function* copyBlocks(): Generator<string> {
  const refs = new Map<string, number>(machines.map((id, index) => [id, index + 1]))
  let rows: string[] = []
  if (samples * 100 > 17 * hourMs * machineCount) throw new Error('The samples of a machine do not fit into its day')
  for (const { bytes } of bodies({ machines, samples, batch: 100, batches: 20, startMs })) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bodies are made here
    for (const batch of JSON.parse(bytes.toString()) as readonly Batch[]) {
      for (const { timestamp, key, type, value } of batch.samples) {
        rows.push(`${refs.get(batch.machineId)}\t${timestamp}\t${key}\t${type}\t${value}\n`)
        if (rows.length === transaction) {
          yield rows.join('')
          rows = []
        }
      }
    }
  }
  if (rows.length > 0) yield rows.join('')
}
