import { countedRunOf, shownEndMs } from '../../processors/records/counted-runs.ts'
import { byText } from '../../processors/records/sorted-by-machine.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { type JobRunItem, jobRunList, jobRunsQuery } from '../../schema/requests/job-runs.ts'
import { instantText } from '../../shared/time/instant.ts'
import { unsafe } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/json-list.ts'
import type { ClockPort, RecordsPort } from '../ports/ports.ts'
import { recordsInRange, type Timed } from './machine-records.ts'
import { answerPage } from './page.ts'

const path = '/job-runs'

const listJobRuns = route({
  method: 'GET',
  path,
  summary: 'Job runs, by start',
  description: 'Those that hold at some time of the range. A run ends where the next one of its machine starts.',
  scope: anyOf('erp.read'),
  query: jobRunsQuery,
  output: unsafe<JsonList<JobRunItem>>(jobRunList),
  handle(call, { records, clock }: RecordsPort & ClockPort) {
    const { id: companyId } = call.caller().company
    const { machineId, jobOperationId, running, ...range } = call.query
    const nowMs = clock()
    const runs = recordsInRange(runsOf(companyId, records), { records, companyId }, machineId, range)
    const wanted = function* (): Generator<JobRunRecord> {
      for (const run of runs) {
        if (jobOperationId !== undefined && run.jobOperationId !== jobOperationId) continue
        if (running !== undefined && isUnderWay(run, records, nowMs) !== running) continue
        yield run
      }
    }
    return answerPage(wanted(), run => shown(run, records, nowMs), path, call)
  },
})

function runsOf(companyId: string, records: RecordsPort['records']): Timed<JobRunRecord> {
  return {
    of: machineId => records.runsOf(machineId).toSorted((a, b) => byText(a.startAt, b.startAt) || byText(a.id, b.id)),
    find: id => records.get('jobRun', companyId, id),
    at: run => run.startAt,
    lasting: {
      // The one that holds at the instant is the last that began before it.
      earliest: (machineId, instant) =>
        records.runsOf(machineId).findLast(run => run.startAt < instant && run.endAt !== run.startAt)?.startAt ?? '',
      reaches: (run, instant) => {
        const counted = countedRunOf(run, records.runsOf(run.machineId))
        return counted !== null && counted.endMs > Date.parse(instant)
      },
    },
  }
}

function isUnderWay(run: JobRunRecord, records: RecordsPort['records'], nowMs: number): boolean {
  const counted = countedRunOf(run, records.runsOf(run.machineId))
  return counted !== null && counted.startMs <= nowMs && nowMs < counted.endMs
}

function shown(run: JobRunRecord, records: RecordsPort['records'], nowMs: number): JobRunItem {
  const { id, machineId, jobOperationId, startInSetup, startAt, productionAt } = run
  const counted = countedRunOf(run, records.runsOf(machineId))
  const endMs = counted && shownEndMs(counted, nowMs)
  const endAt = counted ? (endMs === null ? null : instantText(endMs)) : startAt
  return { id, machineId, jobOperationId, startInSetup, startAt, productionAt, endAt }
}

export const jobRunRoutes = [listJobRuns]
