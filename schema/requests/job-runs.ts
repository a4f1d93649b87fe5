import { Type } from 'typebox'
import { runId } from '../records/job-run.ts'
import { rangeQuery } from './page.ts'
import * as t from '../types.ts'

/**
 * One item of `GET /job-runs`. `productionAt`: when production was reported, null if never. `endAt`: null while the run
 * is open, as in `GET /erp/jobdispatch/:id`.
 */
const jobRunItem = t.named(
  'JobRunItem',
  t.object({
    id: runId,
    machineId: t.uuid,
    jobOperationId: t.text,
    startInSetup: t.bool,
    startAt: t.instant,
    productionAt: t.nullable(t.instant),
    endAt: t.nullable(t.instant),
  }),
)
export const jobRunList = t.namedList(jobRunItem)
export type JobRunItem = t.Infer<typeof jobRunItem>

/** Query of `GET /job-runs`. */
export const jobRunsQuery = t.partial({
  machineId: t.list(t.text, { maxItems: 1000 }),
  jobOperationId: Type.String({ maxLength: 200 }),
  running: t.described(t.bool, 'true: only runs in progress; false: only other runs'),
  ...rangeQuery,
})
