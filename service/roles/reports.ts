import { join } from 'node:path'
import { openFiles } from '../../api/files/files.ts'
import type { QueryLimits } from '../../api/reports/ask/asking.ts'
import type { ApiDeps } from '../../api/create-api.ts'
import type { PlantReader } from '../../api/reports/plant-reader.ts'
import { createReports, type Reports } from '../../api/reports/reports.ts'
import type { ReportRunner } from '../../api/routes/reports.ts'
import { unavailable } from '../../schema/errors.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import { createRecentSamples } from '../live/recent-samples.ts'
import type { LagMeter } from '../monitoring/lag.ts'
import { reportMeter } from '../monitoring/metrics.ts'
import type { Teardown } from '../teardown.ts'

/** Time limit of a report, also for a store that does not respond. */
const reportWithinMs = 60_000

/** Opens the folder of files, and wraps the reports for routes with measurement and a time limit. */
export function startReports(context: ServiceContext, lag: LagMeter, teardown: Teardown) {
  const { config, records } = context
  const files = openFiles({
    ...context,
    folder: join(config.TAKT_DATA_DIR, 'exports'),
    lifetimeMs: config.TAKT_CSV_LIFETIME_HOURS * hourMs,
    maxBytes: config.TAKT_EXPORTS_MAX_BYTES,
    maxFiles: config.TAKT_EXPORTS_MAX_FILES,
    isShared: () => records.companies().length > 1,
  })
  teardown.add('files', () => files.stop())
  const reports = createReports({
    ...context,
    lagMs: () => lag.lastMs(),
    files,
    limits: queryLimits(config),
    concurrency: config.TAKT_REPORT_CONCURRENCY,
  })
  teardown.add('reports', () => reports.stop())
  const recentSamples = createRecentSamples(context)
  const measured = reportMeter(context.metrics)
  const runners = {
    production: runnerOf((...asked) => measured('production', () => reports.production(...asked)), lag),
    explanation: runnerOf((...asked) => measured('production', () => reports.explanation(...asked)), lag),
    downtime: runnerOf((...asked) => measured('downtime', () => reports.downtime(...asked)), lag),
    quality: runnerOf((...asked) => measured('quality', () => reports.quality(...asked)), lag),
    alarm: runnerOf((...asked) => measured('alarm', () => reports.alarm(...asked)), lag),
    alarmInstances: runnerOf((...asked) => measured('alarmInstances', () => reports.alarmInstances(...asked)), lag),
    jobRunParts: runPartsOf(reports),
    plant: plantOf(reports, recentSamples, context.clock),
    recentSamples,
  }
  return { files, runners }
}

function runPartsOf(reports: Reports): ApiDeps['jobRunParts'] {
  return ({ signal, ...run }) => inTime(signal, within => reports.jobRunParts(run, { signal: within }))
}

/** Reads of machine data for routes, with a time limit; reads of raw samples include the newest ones. */
function plantOf(reports: Reports, recentSamples: (toMs: number) => Promise<void>, clock: () => number): PlantReader {
  const within = <T>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>) =>
    inTime(signal ?? new AbortController().signal, ask)
  return {
    downtimeRecords: (id, query, { signal } = {}) =>
      within(signal, at => reports.downtimeRecords(id, query, { signal: at })),
    findDowntimeRecords: (id, keys, { signal } = {}) =>
      within(signal, at => reports.findDowntimeRecords(id, keys, { signal: at })),
    timeline: (machine, query, { signal } = {}) =>
      within(signal, at => reports.timeline(machine, query, { signal: at })),
    metricValues: (machine, query, { signal } = {}) =>
      within(signal, async at => {
        await recentSamples(Date.parse(toInstant(query.end)))
        return reports.metricValues(machine, query, { signal: at })
      }),
    metrics: (machine, { signal } = {}) =>
      within(signal, async at => {
        await recentSamples(clock())
        return reports.metrics(machine, { signal: at })
      }),
  }
}

type Report<Body> = (
  companyId: string,
  body: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly body: Body }>

function runnerOf<Body>(report: Report<Body>, lag: LagMeter): ReportRunner<Body> {
  return async ({ companyId, body, signal }) => {
    const answer = await inTime(signal, within => report(companyId, body, { signal: within }))
    return { body: answer.body, lagMs: lag.lastMs() }
  }
}

/** Rejects with 503 after the time limit. */
async function inTime<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), reportWithinMs)
  try {
    return await withSignals([signal, late.signal], ask)
  } catch (error) {
    if (late.signal.aborted) throw unavailable('The report took too long', 5, error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function queryLimits(config: Config): QueryLimits {
  return {
    max_execution_time: config.TAKT_QUERY_MAX_SECONDS,
    max_memory_usage: config.TAKT_QUERY_MAX_MEMORY,
    max_rows_to_read: config.TAKT_QUERY_MAX_ROWS_READ,
    max_result_rows: config.TAKT_QUERY_MAX_ROWS,
  }
}
