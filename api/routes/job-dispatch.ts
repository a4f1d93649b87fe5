import { exampleIds } from '../../schema/example-ids.ts'
import { type CommandName, commands } from '../../schema/commands/commands.ts'
import { nullSchema } from '../../schema/types.ts'
import { jobRunResponse, type JobRunResponse, type JobRunParts, runQuery } from '../../schema/requests/job-dispatch.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { readEffectiveEnds } from '../../clickhouse/projections/effective-ends.ts'
import { readTimedRecords, timedKinds } from '../../clickhouse/projections/timed-records.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { type EffectiveRun, findEffectiveRun, shownEndMs } from '../../processors/records/effective-runs.ts'
import { type Call, commandBody, type Route, route } from '../http/route.ts'
import { anyOf } from '../auth/scopes.ts'
import type { ClockPort, CommandsPort, LookUpPort, RecordsPort, StorePort } from '../ports/ports.ts'
import type { RunTime } from '../reports/production-totals.ts'
import { lookUpRecord } from './record-routes.ts'
import { submit } from '../commands/submit.ts'

interface RunDeps extends LookUpPort, StorePort, ClockPort {
  /** Parts that were produced within the time of a run, until now; rejects as reports do. */
  readonly jobRunParts: (run: RunTime, options: { readonly signal: AbortSignal }) => Promise<JobRunParts>
}

const path = '/erp/jobdispatch'

interface RunEvent<Name extends CommandName> {
  readonly command: Name
  readonly summary: string
  readonly description: string
}

/** A route for a job run event of an ERP; responds with null. */
function runEvent<Name extends CommandName>(
  event: string,
  operationId: string,
  { command, ...texts }: RunEvent<Name>,
): Route<CommandsPort> {
  return route(`POST ${path}/${event}`, operationId, {
    ...texts,
    scope: anyOf('erp'),
    body: commandBody<(typeof commands)[Name]['payload']>(commands[command].payload),
    keyed: {},
    mayMiss: true,
    output: nullSchema,
    async handle({ caller, body }, deps: CommandsPort) {
      await submit(deps, caller(), command, body)
      return null
    },
  })
}

const description =
  'A run lasts until it is stopped, or until the next run starts on its machine. The parts equal those of a report at the same time.'

const getRun = route(`GET ${path}/:id`, 'getJobRun', {
  example: { id: exampleIds.jobRun },
  summary: "A job run and its parts, by the ERP's id of the run",
  description,
  scope: anyOf('erp.read'),
  output: jobRunResponse,
  handle: (call, deps: RunDeps) => answerRun(call.params['id'] ?? '', call, deps),
})

const queryRun = route(`GET ${path}`, 'getJobRunByQuery', {
  summary: 'A job run and its parts, with the id in the query',
  description,
  scope: anyOf('erp.read'),
  query: runQuery,
  example: { erpRunId: exampleIds.jobRun },
  mayMiss: true,
  output: jobRunResponse,
  handle: (call, deps: RunDeps) => answerRun(call.query.erpRunId, call, deps),
})

/** The response for a run with its parts. A run that does not count ends at its start. */
async function answerRun(
  id: string,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
  deps: RunDeps,
): Promise<JobRunResponse> {
  const { company } = caller()
  const run = await lookUpRecord(deps, caller(), 'jobRun', id)
  const { startAt, machineId } = run
  const counted = await findCounted(run, company, deps, { signal })
  if (!counted) return { startAt, endAt: startAt, metrics: noParts }
  const { startMs, endMs } = counted
  const metrics = await deps.jobRunParts({ companyId: company.id, machineId, startMs, endMs }, { signal })
  const shownMs = shownEndMs(counted, deps.clock())
  return { startAt, endAt: shownMs === null ? null : new Date(shownMs).toISOString(), metrics }
}

/** The run with its effective time; null if it does not count. Memory contains all runs after one that it contains. */
async function findCounted(
  run: JobRunRecord,
  company: CompanyRecord,
  { records, store }: RecordsPort & StorePort,
  options: QueryOptions,
): Promise<EffectiveRun | null> {
  const { id, ref, machineId } = run
  if (records.get('jobRun', company.id, id)) return findEffectiveRun(run, records.runsOf(machineId))
  const startMs = Date.parse(run.startAt)
  const atStart = { fromMs: startMs, toMs: startMs + 1, after: null, limit: 1 }
  const query = { companyId: company.id, machineIds: [machineId], ...atStart }
  const [[counted], ends] = await Promise.all([
    readTimedRecords(store, timedKinds.jobRun, query, options),
    readEffectiveEnds(store, company.ref, [ref], options),
  ])
  return counted?.ref === ref ? { run, startMs, endMs: ends.get(ref) ?? Infinity } : null
}

const noParts = { totalParts: 0, goodParts: 0, scrapParts: 0, nonconformParts: 0 } as const

export const jobDispatchRoutes = [
  runEvent('start', 'startJobRun', {
    command: 'jobRun.start',
    summary: 'Start a job run on a machine',
    description:
      'The job operation is found by its four names, or created. Repeating the start of a run changes nothing. The previous run on the machine ends.',
  }),
  runEvent('production', 'startProduction', {
    command: 'jobRun.production',
    summary: 'Move a job run from setup to production',
    description: 'A `productionAt` corrects an earlier one.',
  }),
  runEvent('stop', 'stopJobRun', {
    command: 'jobRun.end',
    summary: 'Stop a job run',
    description: 'An `endAt` corrects an earlier one; an end at the start undoes the run.',
  }),
  queryRun,
  getRun,
]
