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
  type Infer,
  partial,
  text,
  uuid,
} from '../types.ts'

/**
 * One item of `GET /job-runs`. `productionAt`: when production was reported, null if never. `endAt`: null while the run
 * is open, as in `GET /erp/jobdispatch/:id`.
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
export type JobRunItem = Infer<typeof jobRunItem>

/** Query of `GET /job-runs`. */
export const jobRunsQuery = partial({
  machineId: list(text, { maxItems: 1000 }),
  jobOperationId: Type.String({ maxLength: 200 }),
  running: described(bool, 'true: only runs in progress; false: only other runs'),
  ...rangeQuery,
})
