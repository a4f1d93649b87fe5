import { Type } from 'typebox'
import { runId } from '../records/job-run.ts'
import { rangeQuery } from './page.ts'
import {
  bool,
  described,
  instant,
  list,
  named,
  namedList,
  nullable,
  object,
  type Of,
  partial,
  text,
  uuid,
} from '../types.ts'

/**
 * One item of `GET /job-runs`. `productionAt`: when it was told to go to production; null: never. `endAt` as `GET /erp/jobdispatch/:id` tells
 * it: null while the run is open.
 */
const jobRunItem = named(
  'JobRunItem',
  object({
    id: runId,
    machineId: uuid,
    jobOperationId: text,
    startInSetup: bool,
    startAt: instant,
    productionAt: nullable(instant),
    endAt: nullable(instant),
  }),
)
export const jobRunList = namedList(jobRunItem)
export type JobRunItem = Of<typeof jobRunItem>

/** Query of `GET /job-runs`. */
export const jobRunsQuery = partial({
  machineId: list(text, { maxItems: 1000 }),
  jobOperationId: Type.String({ maxLength: 200 }),
  running: described(bool, 'Only those that are under way, or only those that are not'),
  ...rangeQuery,
})
