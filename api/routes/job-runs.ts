import { type EffectiveRun, findEffectiveRun, shownEndMs } from '../../processors/records/effective-runs.ts'
import { byText, firstIndex } from '../../processors/records/sorted-by-machine.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import { type JobRunItem, jobRunList, jobRunsQuery } from '../../schema/requests/job-runs.ts'
import { instantText } from '../../shared/time/instant.ts'
import { unsafe } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { ClockPort, RecordsPort } from '../ports/ports.ts'
import { recordsInRange, type Timed, answerPage } from './page.ts'

const path = '/job-runs'

const listJobRuns = route(`GET ${path}`, 'listJobRuns', {
  summary: 'Job runs, by start',
  description:
    'Runs that overlap the range. A run ends at the start of the next one on its machine; a run that was replaced by another one with the same start is not listed.',
  scope: anyOf('erp.read'),
  query: jobRunsQuery,
  output: unsafe<JsonList<JobRunItem>>(jobRunList),
  handle(call, { records, clock }: RecordsPort & ClockPort) {
    const { id: companyId } = call.caller().company
    const { machineId, jobOperationId, running, ...range } = call.query
    const nowMs = clock()
    const timed = timedRuns(
      companyId,
      records,
      runsOf(records, { jobOperationId, runningAtMs: running === true ? nowMs : undefined }),
    )
    const runs = recordsInRange(timed, { records, companyId }, machineId, range)
    const wanted = function* (): Generator<EffectiveRun & { readonly id: string }> {
      for (const run of runs) {
        const counted = findEffectiveRun(run, records.runsOf(run.machineId))
        if (counted && (running === undefined || isInProgress(counted, nowMs) === running))
          yield { ...counted, id: run.id }
      }
    }
    return answerPage(wanted(), counted => shown(counted, nowMs), path, call)
  },
})

type RunsOfMachine = (machineId: string) => readonly JobRunRecord[]

/** Runs of a machine around a range, by (startAt, startSequence), including runs that do not count. */
function runsOf(
  records: RecordsPort['records'],
  {
    jobOperationId,
    runningAtMs,
  }: { readonly jobOperationId: string | undefined; readonly runningAtMs: number | undefined },
): RunsOfMachine {
  const ofMachine: RunsOfMachine = id =>
    runningAtMs === undefined ? records.runsOf(id) : runsInProgress(records.runsOf(id), runningAtMs)
  if (jobOperationId === undefined) return ofMachine
  return id => ofMachine(id).filter(run => run.jobOperationId === jobOperationId)
}

/** The run in progress at an instant, or none. */
function runsInProgress(runs: readonly JobRunRecord[], atMs: number): readonly JobRunRecord[] {
  const now = instantText(atMs)
  for (let index = firstIndex(runs, ({ startAt }) => startAt <= now) - 1; index >= 0; index--) {
    const run = runs[index]
    const counted = run ? findEffectiveRun(run, runs) : null
    if (run && counted) return isInProgress(counted, atMs) ? [run] : []
  }
  return []
}

function timedRuns(companyId: string, records: RecordsPort['records'], of: RunsOfMachine): Timed<JobRunRecord> {
  return {
    of,
    find: id => records.get('jobRun', companyId, id),
    at: run => run.startAt,
    compare: (a, b) => byText(a.startAt, b.startAt) || a.startSequence - b.startSequence || byText(a.id, b.id),
    lasting: {
      // The run in progress at the instant is the last that began before it.
      earliest: (machineId, instant) => {
        const runs = records.runsOf(machineId)
        let index = firstIndex(runs, run => run.startAt < instant) - 1
        while (index > 0 && runs[index]?.endAt === runs[index]?.startAt) index--
        return runs[index]?.startAt ?? ''
      },
      reaches: (run, instant) => {
        const counted = findEffectiveRun(run, records.runsOf(run.machineId))
        return counted !== null && counted.endMs > Date.parse(instant)
      },
    },
  }
}

function isInProgress({ startMs, endMs }: EffectiveRun, nowMs: number): boolean {
  return startMs <= nowMs && nowMs < endMs
}

function shown(counted: EffectiveRun, nowMs: number): JobRunItem {
  const { id, machineId, jobOperationId, startInSetup, startAt, productionAt } = counted.run
  const endMs = shownEndMs(counted, nowMs)
  const endAt = endMs === null ? null : instantText(endMs)
  return { id, machineId, jobOperationId, startInSetup, startAt, productionAt, endAt }
}

export const jobRunRoutes = [listJobRuns]
