import * as t from '../types.ts'
import { metrics } from '../metrics.ts'
import { reportResponse, reportInput } from './report.ts'

/** Body of `POST /reports/production`. */
export const productionReportInput = reportInput(
  'production',
  { metrics: Object.keys(metrics) },
  {
    startDay: '2026-03-02',
    endDay: '2026-03-02',
    data: [{ metric: 'oee' }, { metric: 'totalParts' }],
    groupBy: [{ group: 'machine' }],
  },
)

export const productionReportResponse = reportResponse(
  'production',
  t.described(t.recordOf(t.nullable(t.number)), 'A value for every metric; null if there is none.'),
)
