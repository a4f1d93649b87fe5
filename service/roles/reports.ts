import { join } from 'node:path'
import { openFiles } from '../../api/files/files.ts'
import type { QueryLimits } from '../../api/reports/query/query.ts'
import { createReports } from '../../api/reports/reports.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import { createRecentSamples } from '../live/recent-samples.ts'
import { createReportMeter } from '../monitoring/metrics.ts'
import type { Teardown } from '../teardown.ts'

/** Starts the parts of reports: the folder of report files, the measured reports, and the wait for recent samples. */
export function startReports(context: ServiceContext, teardown: Teardown) {
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
  const recentSamples = createRecentSamples(context)
  const reports = createReports({
    ...context,
    files,
    limits: queryLimits(config),
    concurrency: config.TAKT_REPORT_CONCURRENCY,
    measure: createReportMeter(context.metrics),
    requestFlush: () => context.batchScheduler.requestFlush(),
    aroundRead: read => context.openReads.around(read),
    recentSamples,
  })
  teardown.add('reports', () => reports.stop())
  return { files, reports, recentSamples }
}

function queryLimits(config: Config): QueryLimits {
  return {
    max_execution_time: config.TAKT_QUERY_MAX_SECONDS,
    max_memory_usage: config.TAKT_QUERY_MAX_MEMORY,
    max_rows_to_read: config.TAKT_QUERY_MAX_ROWS_READ,
    max_result_rows: config.TAKT_QUERY_MAX_ROWS,
  }
}
