import { Temporal } from 'temporal-polyfill'
import { bucketsOver, local, shopDayStart } from './calendar.ts'
import { microstopMarginMs } from './downtime.ts'
import { compareIds, dimensionOf, iso, isTimeGroup } from './groups.ts'
import type { Dimension } from './groups.ts'
import { viewMachine } from './machine.ts'
import type { MachineView } from './machine.ts'
import { earliest, groupOf, latest, productionMetrics } from './metrics.ts'
import { milliseconds } from './samples.ts'
import { alarmThings, eventThings, timeThings } from './things.ts'
import type { Thing } from './things.ts'
import type { Aggregate, Entity, Interval, OraclePlant, OracleRequest, ReportAnswer, ReportItem } from './types.ts'

/** Recomputes a complete report from samples and records, by slow and simple rules. */
export function oracleReport(input: OraclePlant & { readonly request: OracleRequest }): ReportAnswer {
  const { request, ...plant } = input
  const range = rangeOf(plant, request)
  const groups = (request.groupBy ?? []).map(it => it.group)
  const levels = groups.map(group => ({
    group,
    dimension: dimensionOf(group, plant, request.report, range),
    only: request.filter?.[group] ?? [],
  }))
  const things = keptThings(plant, request, range, groups)
  const aggregate = aggregator(plant, request)
  const entities: Record<string, Record<string, Entity>> = {}
  for (const { group } of levels) entities[group] = {}
  const items = itemsOf(things, levels, aggregate, entities)
  return {
    range: { start: iso(range.startMs), end: iso(range.endMs) },
    aggregate: aggregate(things),
    entities,
    items: items ?? [],
  }
}

/** Returns the range of the report. */
function rangeOf(plant: OraclePlant, request: OracleRequest): Interval {
  const asked = askedRange(plant, request)
  if (asked.startMs >= plant.nowMs) return { startMs: plant.nowMs, endMs: plant.nowMs }
  const endMs = Math.min(asked.endMs, plant.nowMs)
  if (!request.groupBy?.some(it => it.group === 'hour')) return { startMs: asked.startMs, endMs }
  const weekBefore = local(endMs, plant.company.timeZone).subtract({ days: 7 }).epochMilliseconds
  return { startMs: Math.max(asked.startMs, weekBefore), endMs }
}

function askedRange({ company }: OraclePlant, { start, end, startDay, endDay }: OracleRequest): Interval {
  if (start !== undefined && end !== undefined) return { startMs: milliseconds(start), endMs: milliseconds(end) }
  if (startDay === undefined || endDay === undefined) throw new Error('a request needs start and end, of one form')
  return {
    startMs: shopDayStart(Temporal.PlainDate.from(startDay), company),
    endMs: shopDayStart(Temporal.PlainDate.from(endDay).add({ days: 1 }), company),
  }
}

/** Returns all things in the range that pass the filters, cut at the buckets of every time grouping. */
function keptThings(
  plant: OraclePlant,
  request: OracleRequest,
  range: Interval,
  groups: readonly string[],
): readonly Thing[] {
  if (range.endMs <= range.startMs) return []
  const over = { startMs: range.startMs - microstopMarginMs, endMs: range.endMs + microstopMarginMs }
  const bounds = groups
    .filter(isTimeGroup)
    .flatMap(group => bucketsOver(group, range, plant.company).map(bucket => bucket.startMs))
  return plant.machines
    .map(machine => viewMachine(plant, machine, over))
    .flatMap(view => thingsOf(plant, request, view, range, bounds))
    .filter(thing => passes(plant, request, range, thing))
}

function thingsOf(
  plant: OraclePlant,
  { report }: OracleRequest,
  view: MachineView,
  range: Interval,
  bounds: readonly number[],
): readonly Thing[] {
  switch (report) {
    case 'production':
      return [...timeThings(view, range, bounds), ...eventThings(plant, view, range)]
    case 'downtime':
      return timeThings(view, range, bounds).filter(it => it.downtime !== null)
    case 'quality':
      return eventThings(plant, view, range).filter(it => it.adjustment && it.adjustment.scrapCount !== 0)
    case 'alarm':
      return alarmThings(view, range, bounds)
    default:
      throw new Error(`unknown report ${String(report satisfies never)}`)
  }
}

function passes(plant: OraclePlant, request: OracleRequest, range: Interval, thing: Thing): boolean {
  const has = (dimension: string, ids: readonly string[]) => {
    if (dimension === 'nativeCode') return thing.kind === 'alarm' && ids.includes(thing.alarm.nativeCode)
    const own = dimensionOf(dimension, plant, request.report, range).idsOf(thing)
    return own.some(id => ids.includes(id))
  }
  const filters = Object.entries(request.filter ?? {}).filter(([, ids]) => ids.length > 0)
  const rejects = Object.entries(request.reject ?? {})
  return filters.every(([dimension, ids]) => has(dimension, ids)) && !rejects.some(([key, ids]) => has(key, ids))
}

interface Level {
  readonly group: string
  readonly dimension: Dimension
  /** Ids that the filter accepts; empty: all ids. */
  readonly only: readonly string[]
}

/** Returns the items of the first level, or undefined without levels; adds their entities to the report. */
function itemsOf(
  things: readonly Thing[],
  levels: readonly Level[],
  aggregate: (things: readonly Thing[]) => Aggregate,
  entities: Record<string, Record<string, Entity>>,
): readonly ReportItem[] | undefined {
  const [level, ...deeper] = levels
  if (!level) return undefined
  const { group, dimension, only } = level
  const shown = (id: string) => only.length === 0 || group === 'nativeCode' || only.includes(id)
  const members = new Map<string, Thing[]>()
  for (const thing of things) {
    for (const id of dimension.idsOf(thing).filter(shown)) {
      const list = members.get(id) ?? []
      list.push(thing)
      members.set(id, list)
    }
  }
  const ids = [...members.keys()].toSorted((a, b) => compareIds(dimension, a, b))
  return ids.map(id => {
    const own = members.get(id) ?? []
    entities[group] = { ...entities[group], [id]: dimension.entity(id) }
    const item = { entity: { type: group, id }, aggregate: aggregate(own) }
    const items = itemsOf(own, deeper, aggregate, entities)
    return items ? Object.assign(item, { items }) : item
  })
}

function aggregator(plant: OraclePlant, request: OracleRequest): (things: readonly Thing[]) => Aggregate {
  const names = (request.data ?? []).map(it => it.metric)
  switch (request.report) {
    case 'production':
      return productionAggregate(plant, names)
    case 'downtime':
      return downtimeAggregate
    case 'quality':
      return things => ({
        rejectCount: things.reduce((sum, it) => sum + rejected(it), 0),
        recordCount: things.length,
      })
    case 'alarm':
      return things => {
        const all = alarmAggregate(things)
        return Object.fromEntries(names.map(name => [name, must(all[name], name)]))
      }
    default:
      throw new Error(`unknown report ${String(request.report satisfies never)}`)
  }
}

function must<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`unknown metric ${name}`)
  return value
}

function productionAggregate(plant: OraclePlant, names: readonly string[]): (things: readonly Thing[]) => Aggregate {
  const planned = new Set(plant.reasons.filter(it => it.planned).map(it => String(it.id)))
  const metrics = productionMetrics(planned)
  return things => {
    const group = groupOf(things, plant.company.thresholds)
    return Object.fromEntries(names.map(name => [name, must(metrics[name], name)(group)]))
  }
}

function downtimeAggregate(things: readonly Thing[]): Aggregate {
  const time = things.filter(it => it.kind === 'time')
  const records = new Set(time.map(it => it.downtime).filter(it => it !== null && !it.micro))
  return { downtimeMs: time.reduce((sum, it) => sum + it.endMs - it.startMs, 0), recordCount: records.size }
}

function rejected(thing: Thing): number {
  return thing.kind === 'event' ? (thing.adjustment?.scrapCount ?? 0) : 0
}

function alarmAggregate(things: readonly Thing[]): Aggregate {
  const alarms = things.filter(it => it.kind === 'alarm')
  const startMs = earliest(alarms.map(it => it.startMs))
  const endMs = latest(alarms.map(it => it.endMs))
  return {
    durationMs: alarms.reduce((sum, it) => sum + it.endMs - it.startMs, 0),
    minStartTime: startMs === null ? null : iso(startMs),
    maxEndTime: endMs === null ? null : iso(endMs),
    recordCount: new Set(alarms.map(it => it.alarm)).size,
    machineCount: new Set(alarms.map(it => it.alarm.machineId)).size,
  }
}
