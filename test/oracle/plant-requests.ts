/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import { iso, nativeCodeId } from './groups.ts'
import { productionMetricNames } from './metrics.ts'
import { adjustmentTypesOf, maxRecords, reasonsOf } from './plant-records.ts'
import { arbitraryInstant, uuid } from './plant-scene.ts'
import type { Scene } from './plant-scene.ts'
import type { OracleRequest, ReportKind } from './types.ts'

const alarmMetricNames = ['durationMs', 'minStartTime', 'maxEndTime', 'recordCount', 'machineCount']

const dimensions = ['machine', 'machineGroup', 'jobOperation', 'shift'] as const

const groupings: Readonly<Record<ReportKind, readonly string[]>> = {
  production: [...dimensions, 'jobOperationRun', 'operator', 'hour', 'day', 'week', 'month', 'quarter'],
  downtime: [...dimensions, 'reason', 'day', 'week'],
  quality: [...dimensions, 'reason', 'day', 'week'],
  alarm: ['machine', 'machineGroup', 'nativeCode', 'state', 'hour', 'day', 'week'],
}

const metricsOf: Readonly<Partial<Record<ReportKind, readonly string[]>>> = {
  production: productionMetricNames,
  alarm: alarmMetricNames,
}

/** Random requests for any report, over a range in or around the days of the scene, with every metric. */
export function arbitraryRequest(scene: Scene): fc.Arbitrary<OracleRequest> {
  return fc
    .constantFrom<ReportKind>(
      'production',
      'production',
      'production',
      'downtime',
      'downtime',
      'quality',
      'alarm',
      'alarm',
    )
    .chain(report => arbitraryRequestOf(report, scene))
}

/** Random requests for one report. */
export function arbitraryRequestOf(report: ReportKind, scene: Scene): fc.Arbitrary<OracleRequest> {
  const groups = fc.shuffledSubarray([...groupings[report]], { minLength: 1, maxLength: 4 })
  const data = metricsOf[report]?.map(metric => ({ metric }))
  return fc
    .record({
      range: fc.oneof(arbitraryInstants(scene), arbitraryDays(scene)),
      groupBy: fc.option(
        groups.map(list => list.map(group => ({ group }))),
        { nil: undefined, freq: 8 },
      ),
      filter: seldom(arbitraryFilter(report, scene)),
      reject: report === 'alarm' ? seldom(arbitraryFilter(report, scene)) : fc.constant(undefined),
    })
    .map(({ range, groupBy, filter, reject }) => ({
      report,
      ...range,
      ...(data ? { data } : {}),
      ...(groupBy ? { groupBy } : {}),
      ...(filter ? { filter } : {}),
      ...(reject ? { reject } : {}),
    }))
}

function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary })
}

function arbitraryInstants(scene: Scene): fc.Arbitrary<Pick<OracleRequest, 'start' | 'end'>> {
  const { startMs, endMs } = scene.window
  const instant = fc.oneof(
    { weight: 3, arbitrary: arbitraryInstant(scene) },
    { weight: 1, arbitrary: fc.constantFrom(startMs, endMs, startMs - 20 * 86_400_000, endMs + 40 * 86_400_000) },
  )
  const ranges = fc.oneof(
    { weight: 2, arbitrary: fc.constant([startMs, endMs] as const) },
    { weight: 3, arbitrary: fc.tuple(instant, instant) },
  )
  return ranges.map(([a, b]) => ({ start: iso(Math.min(a, b)), end: iso(a === b ? a + 1 : Math.max(a, b)) }))
}

function arbitraryDays({ firstDate, days }: Scene): fc.Arbitrary<Pick<OracleRequest, 'startDay' | 'endDay'>> {
  return fc.tuple(fc.integer({ min: -1, max: days }), fc.nat(days)).map(([first, more]) => ({
    startDay: firstDate.add({ days: first }).toString(),
    endDay: firstDate.add({ days: first + more }).toString(),
  }))
}

function arbitraryFilter(report: ReportKind, scene: Scene): fc.Arbitrary<Readonly<Record<string, readonly string[]>>> {
  const ids = filterIds(report, scene)
  const some = (from: readonly string[]) => fc.subarray([...from], { maxLength: 2 })
  return fc
    .subarray(Object.entries(ids), { minLength: 1, maxLength: 2 })
    .chain(chosen =>
      fc
        .tuple(...chosen.map(([key, from]) => some(from).map(list => [key, list] as const)))
        .map(filters => Object.fromEntries(filters)),
    )
}

function filterIds(report: ReportKind, scene: Scene): Readonly<Record<string, readonly string[]>> {
  const numbered = (kind: Parameters<typeof uuid>[0], count: number) =>
    Array.from({ length: count }, (_, index) => uuid(kind, index, scene))
  const machines = {
    machine: numbered('machine', maxRecords.machines),
    machineGroup: ['none', ...numbered('group', maxRecords.groups)],
  }
  if (report === 'alarm') {
    const [states, codes, messages] = [
      ['WARNING', 'FAULT'],
      ['', 'A', 'B', '252'],
      ['', 'hot', 'too hot'],
    ]
    const ids = states.flatMap(state =>
      codes.flatMap(code => messages.map(message => nativeCodeId(code, message, state))),
    )
    return { ...machines, state: states, nativeCode: codes, nativeCodeId: ids }
  }
  const shifts = ['early', 'late', 'night', 'office', 'overtime', 'whole', 'moon', 'gap']
  const tag = scene.options.tag ?? 0
  const common = {
    ...machines,
    jobOperation: ['none', ...numbered('operation', maxRecords.operations)],
    shift: ['none', ...shifts.flatMap(it => [`${tag}-0-${it}`, `${tag}-1-${it}`])],
  }
  if (report === 'production') return { ...common, operator: ['none', ...numbered('operator', maxRecords.operators)] }
  const reasons = report === 'downtime' ? reasonsOf(scene) : adjustmentTypesOf(scene)
  return { ...common, reason: ['uncategorized', 'setup', ...reasons.map(it => String(it.id))] }
}
