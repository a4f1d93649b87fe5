import { shownEndMs } from '../../processors/records/effective-runs.ts'
import {
  areInProgress,
  areNotInProgress,
  areOfOperation,
  noOperation,
  readEffectiveEnds,
} from '../../clickhouse/projections/effective-ends.ts'
import {
  allConditions,
  sparseLengthMs,
  type TimedConditions,
  timedKinds,
} from '../../clickhouse/projections/timed-records.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { type JobRunItem, jobRunList, jobRunsQuery } from '../../schema/requests/job-runs.ts'
import { instantText } from '../../shared/time/instant.ts'
import { type Infer, unsafe } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { ClockPort, RecordsPort, StorePort } from '../ports/ports.ts'
import { findRecord } from './find-record.ts'
import { answerPage, readPage } from './page.ts'

const path = '/job-runs'

const listJobRuns = route(`GET ${path}`, 'listJobRuns', {
  summary: 'Job runs, by start',
  description:
    'Runs that overlap the range. A run ends at the start of the next one on its machine; a run that was replaced by another one with the same start is not listed.',
  scope: anyOf('erp.read'),
  query: jobRunsQuery,
  output: unsafe<JsonList<JobRunItem>>(jobRunList),
  async handle(call, { records, store, clock }: RecordsPort & StorePort & ClockPort) {
    const { company } = call.caller()
    const { signal, query } = call
    const deps = { records, store, companyId: company.id }
    const nowMs = clock()
    const list = {
      of: timedKinds.jobRun,
      find: (id: string, options: QueryOptions) => findRecord(deps, company.id, 'jobRun', id, options),
      lasting: { reaches: (atMs: number) => areInProgress(company.ref, atMs) },
      where: allConditions(await ofOperation(query, company, deps, { signal }), ofProgress(query, company, nowMs)),
      ...firstInterval(query),
    }
    const runs = await readPage(list, deps, query.machineId, call)
    const refs = runs.map(({ ref }) => ref)
    const ends = await readEffectiveEnds(store, company.ref, refs, { signal })
    return answerPage(runs, run => shown(run, ends.get(run.ref) ?? Infinity, nowMs), path, call)
  },
})

type Filters = Pick<Infer<typeof jobRunsQuery>, 'jobOperationId' | 'running'>

async function ofOperation(
  { jobOperationId: id }: Filters,
  company: CompanyRecord,
  deps: RecordsPort & StorePort,
  options: QueryOptions,
): Promise<TimedConditions> {
  if (id === undefined) return {}
  const operation = await findRecord(deps, company.id, 'jobOperation', id, options)
  return areOfOperation(company.ref, { id, ref: operation?.ref ?? noOperation })
}

function ofProgress({ running }: Filters, { ref }: CompanyRecord, nowMs: number): TimedConditions {
  if (running === undefined) return {}
  return running ? areInProgress(ref, nowMs) : areNotInProgress(ref, nowMs)
}

/** Runs in progress are at most one per machine, so that one query reads them. */
function firstInterval({ jobOperationId, running }: Filters): { readonly firstLengthMs?: number } {
  if (running === true) return { firstLengthMs: Infinity }
  return jobOperationId === undefined ? {} : { firstLengthMs: sparseLengthMs }
}

function shown(run: JobRunRecord, endMs: number, nowMs: number): JobRunItem {
  const { id, machineId, jobOperationId, startInSetup, startAt, productionAt } = run
  const shownMs = shownEndMs({ startMs: Date.parse(startAt), endMs }, nowMs)
  const endAt = shownMs === null ? null : instantText(shownMs)
  return { id, machineId, jobOperationId, startInSetup, startAt, productionAt, endAt }
}

export const jobRunRoutes = [listJobRuns]
