import { flag, narrow, listOf, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { columns, firstRow, rows } from '../../../clickhouse/client/rows.ts'
import { levelCodes, modeCodes, openEnd, statusCodes } from '../../../clickhouse/tables/values.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { MachineTimeline, TimelineAlarm } from '../../../schema/requests/machine-timeline.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { withNames } from '../company/job-runs.ts'
import { type DocumentReads, type DocumentScope, readScope } from '../compile/select.ts'
import { compileAlarms, compileAlarmSteps, compileCount, compileSegments, compileSteps } from './compile.ts'
import { TimelineEntities, Lane } from './lanes.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../../shared/time/units.ts'

/** A valid request for a timeline. */
export interface TimelineRequest {
  readonly machine: MachineRecord
  /** Ends now at the latest. */
  readonly range: TimeRange
  readonly points: number
}

/** Maximum number of single segments or alarm instances per requested step. */
const eachPerPoint = 4

/** Everything that happened on a machine in a range. Rejects as reports do. */
export async function readTimeline(request: TimelineRequest, deps: DocumentReads): Promise<MachineTimeline> {
  const { machine, range, points } = request
  const common = { machineId: machine.id, range: { start: isoText(range.startMs), end: isoText(range.endMs) } }
  const lanes = {
    states: new Lane(),
    shifts: new Lane(),
    jobs: new Lane(),
    operators: new Lane(),
    downtime: new Lane(),
  }
  if (range.startMs >= range.endMs)
    return {
      ...common,
      resolutionMs: 0,
      ...elementsOf(lanes),
      alarms: [],
      entities: new TimelineEntities({ ...deps.view, runs: new Map(), operations: new Map() }).all(),
    }
  const scope = await readScope(range, [machine.ref], deps)
  const { store, options } = deps
  const stepMs = stepFor(range.endMs - range.startMs, points)
  const counted = await firstRow(store, compileCount(scope, range), { segments: wide }, options)
  const isWhole = (counted?.segments ?? 0) <= points * eachPerPoint
  const query = isWhole ? compileSegments(scope, range) : compileSteps(scope, range, { stepMs })
  const [found, alarms] = await Promise.all([
    columns(store, query, segmentShape, options),
    readAlarms(scope, request, stepMs, deps),
  ])
  const entities = new TimelineEntities(await withNames(deps.view, { runs: found.run }, deps))
  const slice = new TimeSlice()
  for (let i = 0; i < found.startMs.length; i++) {
    if (slice.isOver) await slice.next()
    // oxlint-disable-next-line typescript/no-non-null-assertion -- every column has as many values
    const at = <T>(values: readonly T[]): T => values[i]!
    const startMs = Math.max(at(found.startMs), range.startMs)
    const endMs = Math.min(at(found.endMs), range.endMs)
    const add = (lane: Lane, id: string | null) => lane.add(startMs, endMs, at(found.ms), id)
    add(lanes.states, at(found.status))
    add(lanes.shifts, entities.shift(at(found.shift)))
    add(lanes.jobs, entities.job(at(found.run), at(found.mode)))
    add(lanes.operators, entities.operators(at(found.operators)))
    add(lanes.downtime, at(found.down) ? entities.reason(at(found.reason)) : null)
  }
  return {
    ...common,
    resolutionMs: isWhole ? 0 : stepMs,
    ...elementsOf(lanes),
    alarms,
    entities: entities.all(),
  }
}

const segmentShape = {
  startMs: wide,
  endMs: wide,
  ms: wide,
  status: statusCodes.kind,
  down: flag,
  reason: narrow,
  shift: narrow,
  run: narrow,
  mode: modeCodes.kind,
  operators: listOf(narrow),
} as const

async function readAlarms(
  scope: DocumentScope,
  { range, points }: TimelineRequest,
  stepMs: number,
  { store, options }: DocumentReads,
): Promise<readonly TimelineAlarm[]> {
  const maxAlarms = points
  const found = await rows(
    store,
    compileAlarms(scope, range, maxAlarms + 1),
    { code: storedText, message: storedText, level: levelCodes.kind, startMs: wide, endMs: openEnd.kind },
    options,
  )
  if (found.length <= maxAlarms)
    return found.map(({ code, message, level, startMs, endMs }) => ({
      state: level,
      startAt: isoText(startMs),
      // An end after the range is omitted: documents of later hours may change it.
      endAt: endMs === null || endMs > range.endMs ? null : isoText(endMs),
      count: 1,
      nativeCode: code,
      message,
    }))
  const steps = compileAlarmSteps(scope, range, { stepMs })
  const counts = await rows(store, steps, { atMs: wide, level: levelCodes.kind, instances: wide }, options)
  return counts.map(({ atMs, level, instances }) => ({
    state: level,
    startAt: isoText(Math.max(atMs, range.startMs)),
    endAt: isoText(Math.min(atMs + stepMs, range.endMs)),
    count: instances,
    nativeCode: null,
    message: null,
  }))
}

type LaneName = 'states' | 'shifts' | 'jobs' | 'operators' | 'downtime'

function elementsOf(lanes: Readonly<Record<LaneName, Lane>>) {
  return {
    states: lanes.states.intervals(),
    shifts: lanes.shifts.intervals(),
    jobs: lanes.jobs.intervals(),
    operators: lanes.operators.intervals(),
    downtime: lanes.downtime.intervals(),
  }
}

/** Lengths that steps may have: each goes into a day, or is whole days. */
const lengths = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map(hours => hours * hourMs),
] as const

/** The shortest step that divides a range of `rangeMs` into no more than `points` of them. */
export function stepFor(rangeMs: number, points: number): number {
  const minMs = rangeMs / points
  return lengths.find(ms => ms >= minMs) ?? Math.ceil(minMs / dayMs) * dayMs
}
