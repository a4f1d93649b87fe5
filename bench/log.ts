import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../log/embedded/embedded-log.ts'
import { openKafkaLog } from '../log/kafka/kafka-log.ts'
import type { Log, NewRecord } from '../log/log.ts'

/**
 * Rates and latencies of a log: `npm exec tsx bench/log.ts`, on Kafka if KAFKA_BROKERS is set, otherwise on the embedded log
 * (in TAKT_BENCH_DIR or the temporary directory of the system). Prints one line per measurement.
 */
async function main(): Promise<void> {
  const { KAFKA_BROKERS: brokers, TAKT_BENCH_DIR: dir = tmpdir() } = process.env
  const path = mkdtempSync(join(dir, 'takt-bench-'))
  const log =
    brokers === undefined
      ? await openEmbeddedLog({ path })
      : await openKafkaLog({ brokers: brokers.split(','), clientId: 'takt-bench' })
  try {
    const topic = `bench-${Date.now()}`
    await log.createTopics([{ name: topic, partitions: 8, retentionMs: 3_600_000 }])
    await batches(log, topic, 300)
    await read(log, topic)
    await singles(log, topic, 10_000, 256)
    await tip(log, topic, 200)
  } finally {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  }
}

const value = Buffer.from(
  JSON.stringify({ machineId: 'mill-0001', timestamp: '2025-01-01T00:00:00.000Z', key: 'execution', value: 'ACTIVE' }),
)

function record(index: number): NewRecord {
  return { key: `mill-${index % 5_000}`, value }
}

function print(what: string, count: number, sinceMs: number): void {
  const seconds = (performance.now() - sinceMs) / 1_000
  process.stdout.write(`${what}: ${Math.round(count / seconds).toLocaleString('en')} records/s\n`)
}

/** Appends of 1,000 records, four concurrently. */
async function batches(log: Log, topic: string, count: number): Promise<void> {
  const start = performance.now()
  const batch = Array.from({ length: 1_000 }, (_, index) => record(index))
  const append = async (): Promise<void> => {
    for (let turn = 0; turn < count / 4; turn++) await log.append(topic, batch)
  }
  await Promise.all([append(), append(), append(), append()])
  print('append by 1,000', count * 1_000, start)
}

/** Appends of one record by many concurrent callers, as by requests. */
async function singles(log: Log, topic: string, count: number, callers: number): Promise<void> {
  const start = performance.now()
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < count) await log.append(topic, [record(next++)])
  }
  await Promise.all(Array.from({ length: callers }, caller))
  print(`append singly, ${callers} callers`, count, start)
}

/** A follower from the earliest record. */
async function read(log: Log, topic: string): Promise<void> {
  const start = performance.now()
  let count = 0
  const follower = await log.follow({
    topic,
    from: 'earliest',
    onBatch: ({ records }) => void (count += records.length),
  })
  await follower.caughtUp
  print('read from the beginning', count, start)
  await follower.stop()
}

/** Latency from append to handler for new records, and from append to its result. */
async function tip(log: Log, topic: string, count: number): Promise<void> {
  let arrived = (): void => {}
  const follower = await log.follow({ topic, from: 'latest', onBatch: () => arrived() })
  const handled: number[] = []
  const answered: number[] = []
  for (let turn = 0; turn < count; turn++) {
    const start = performance.now()
    const arrival = new Promise<void>(resolve => (arrived = resolve)).then(() =>
      handled.push(performance.now() - start),
    )
    await log.append(topic, [record(turn)])
    answered.push(performance.now() - start)
    await arrival
  }
  const at = (values: number[], share: number): string =>
    (values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? 0).toFixed(1)
  process.stdout.write(`answer: p50 ${at(answered, 0.5)} ms, p99 ${at(answered, 0.99)} ms\n`)
  process.stdout.write(`handler: p50 ${at(handled, 0.5)} ms, p99 ${at(handled, 0.99)} ms\n`)
  await follower.stop()
}

await main()
