import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import type { Log } from '../../log/log.ts'
import { groups, topics } from '../../schema/topics.ts'
import type { LagMeter } from './lag.ts'

interface Sources {
  readonly log: Log
  readonly lag: LagMeter
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/**
 * Registers the metrics of the pipeline, whose values are read when they are collected. Returns a function that stops
 * the measurement.
 */
export function measurePipeline(registry: Registry, { log, lag }: Sources): () => void {
  const gauge = (name: string, help: string, labelNames: readonly string[], collect: (gauge: Gauge) => unknown) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        try {
          await collect(this)
        } catch {
          // If the log is unavailable, the metric has no value, because an old value would mislead.
          this.reset()
        }
      },
    })
  const behind = (topic: string, group: string) => async (to: Gauge) => {
    const [ends, done] = await Promise.all([log.endOffsets(topic), log.committed(group, topic)])
    for (const [partition, end] of ends.entries()) to.set({ partition }, Math.max(0, end - (done[partition] ?? 0)))
  }
  gauge(
    'takt_ingest_lag_records',
    'Records of samples.v1 that wait for insertion into the store, by partition.',
    ['partition'],
    behind(topics.samples, groups.ingest),
  )
  gauge(
    'takt_process_lag_records',
    'Records of state samples that processors have not consumed, by partition.',
    ['partition'],
    behind(topics.stateSamples, groups.process),
  )
  gauge('takt_registrar_queue_records', 'Commands that the registrar has not processed.', [], async to => {
    const [[end = 0], [done]] = await Promise.all([
      log.endOffsets(topics.commands),
      log.committed(groups.registrar, topics.commands),
    ])
    to.set(Math.max(0, end - (done ?? 0)))
  })
  gauge('takt_dead_letters', 'Dead letters since the log was created.', [], async to => {
    const ends = await log.endOffsets(topics.deadLetters)
    to.set(ends.reduce((sum, end) => sum + end, 0))
  })
  gauge('takt_backlog_hours', 'Machine-hours to recompute.', [], to => to.set(lag.last().backlog.hours))
  gauge('takt_backlog_days', 'Days of machines to rebuild.', [], to => to.set(lag.last().backlog.days))
  gauge('takt_lag_seconds', 'Age of the latest time up to which reports contain every accepted sample.', [], to =>
    to.set(lag.last().lag.seconds),
  )
  gauge('takt_live_lag_seconds', 'The same for current hours and those just completed.', [], to =>
    to.set(lag.last().liveLag.seconds),
  )
  return measureEventLoop(gauge)
}

/** Resolution of the event-loop delay, ms; a finer one would wake an idle process more often. */
const delayResolutionMs = 50

/** Registers the delay of the event loop since the last collection. */
function measureEventLoop(
  gauge: (name: string, help: string, labelNames: readonly string[], collect: (gauge: Gauge) => unknown) => Gauge,
): () => void {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delay.enable()
  gauge(
    'takt_event_loop_delay_seconds',
    'Delay of the event loop since the last collection, by quantile: 0.5, 0.99, 1.',
    ['quantile'],
    to => {
      for (const quantile of [0.5, 0.99, 1]) to.set({ quantile }, delay.percentile(quantile * 100) / 1e9)
      delay.reset()
    },
  )
  return () => delay.disable()
}

/** Registers counters of the samples and records that ingest reads from the log. */
export function countSamples(
  registry: Registry,
): (accepted: number, rejected: ReadonlyMap<string, number>, skipped: number) => void {
  const ingested = new Counter({
    name: 'takt_samples_accepted_total',
    help: 'Samples that ingest consumed and stored.',
    registers: [registry],
  })
  const rejectedSamples = new Counter({
    name: 'takt_samples_rejected_total',
    help: 'Samples in the log that ingest rejected, by reason. Samples of a replayed dead letter count again, without a further dead letter.',
    labelNames: ['reason'],
    registers: [registry],
  })
  const withoutValue = new Counter({
    name: 'takt_records_skipped_total',
    help: 'Records of samples.v1 without a value (tombstones), which contain no sample.',
    registers: [registry],
  })
  return (accepted, rejected, skipped) => {
    withoutValue.inc(skipped)
    ingested.inc(accepted)
    for (const [reason, count] of rejected) rejectedSamples.inc({ reason }, count)
  }
}

/** Wraps an acceptor so that it counts samples by outcome. */
export function countedAcceptor(acceptor: Acceptor, registry: Registry): Acceptor {
  const received = new Counter({
    name: 'takt_http_samples_total',
    help: 'Samples received over HTTP, by outcome: accepted, or the reason of the rejection.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return {
    async accept(request) {
      const result = await acceptor.accept(request)
      received.inc({ outcome: 'accepted' }, result.accepted)
      for (const [outcome, count] of Object.entries(result.rejectedByCode)) received.inc({ outcome }, count)
      return result
    },
  }
}

/** Wraps a store so that it measures the duration of inserts by table; inserts of hourly documents count as `hours`. */
export function measuredStore(store: Store, registry: Registry): Store {
  const durations = new Histogram({
    name: 'takt_store_insert_duration_seconds',
    help: 'Duration of inserts into the store, by table and outcome; hours is the table of hourly documents.',
    labelNames: ['table', 'outcome'],
    buckets: seconds,
    registers: [registry],
  })
  return {
    ...store,
    insert: (table, ...rest) => timed(durations, { table }, () => store.insert(table, ...rest)),
    insertNative: (table, ...rest) => timed(durations, { table }, () => store.insertNative(table, ...rest)),
  }
}

/** Runs a report and measures its duration. */
export type MeasureReport = <T>(kind: string, report: () => Promise<T>) => Promise<T>

/** Creates the function that measures the duration of reports by kind. */
export function createReportMeter(registry: Registry): MeasureReport {
  const durations = new Histogram({
    name: 'takt_report_duration_seconds',
    help: 'Duration of reports, by kind and outcome.',
    labelNames: ['report', 'outcome'],
    buckets: seconds,
    registers: [registry],
  })
  return (kind, report) => timed(durations, { report: kind }, report)
}

/** Runs work and observes its duration, with its outcome. */
async function timed<T>(durations: Histogram, labels: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const end = durations.startTimer(labels)
  try {
    const result = await work()
    end({ outcome: 'ok' })
    return result
  } catch (error) {
    end({ outcome: 'failed' })
    throw error
  }
}
