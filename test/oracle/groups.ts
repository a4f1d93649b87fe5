import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import { bucketsOver, timeGroups } from './calendar.ts'
import type { Bucket, TimeGroup } from './calendar.ts'
import { runSpans } from './jobs.ts'
import type { RunSpan } from './jobs.ts'
import { containsInstant } from './machine.ts'
import { compareText } from './samples.ts'
import type { Thing } from './things.ts'
import type { Entity, Interval, OraclePlant, ReportKind } from './types.ts'

/** A grouping: the entities of a thing that a report counts, their properties and their order. */
export interface Dimension {
  idsOf(thing: Thing): readonly string[]
  entity(id: string): Entity
  /** Returns the values by which items are ordered, the most significant first; equal items are ordered by id. */
  order(id: string): readonly (string | number)[]
}

const none = 'none'
const noneNames: Readonly<Record<string, string>> = {
  machineGroup: 'No Group',
  shift: 'No Shift',
  operator: 'No Operator',
  jobOperation: 'No Job',
  jobOperationRun: 'No Job',
}
const reasonNames: Readonly<Record<string, string>> = { setup: 'Setup', uncategorized: 'Uncategorized' }

/** Formats UTC ms as `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** Returns the dimension of a grouping or filter. */
export function dimensionOf(group: string, plant: OraclePlant, report: ReportKind, range: Interval): Dimension {
  if (isTimeGroup(group)) return timeDimension(bucketsOver(group, range, plant.company))
  switch (group) {
    case 'machine':
      return named(it => [it.moment.machine.id], find(plant.machines))
    case 'machineGroup':
      return named(it => orNone(it.moment.machine.machineGroupIds), find(plant.groups), group)
    case 'operator':
      return named(it => (it.kind === 'alarm' ? [] : orNone(it.moment.operatorIds)), find(plant.operators), group)
    case 'shift':
      return named(it => one(it.kind === 'alarm' ? undefined : it.moment.shift?.id), shiftEntities(plant), group)
    case 'jobOperation':
      return named(it => one(runOf(it)?.operation.id), operationEntities(plant.operations), group)
    case 'jobOperationRun':
      return named(it => one(runOf(it)?.record.id), runEntities(plant), group)
    case 'reason':
      return named(reasonIds, reasonEntities(plant, report))
    case 'state':
      return named(
        it => (it.kind === 'alarm' ? [it.alarm.state] : []),
        id => ({ id, name: id }),
      )
    case 'nativeCode':
    case 'nativeCodeId':
      return nativeCodeDimension()
    default:
      throw new Error(`unknown group ${group}`)
  }
}

/** Whether a grouping is a time grouping. */
export function isTimeGroup(group: string): group is TimeGroup {
  return timeGroups.some(it => it === group)
}

function timeDimension(buckets: readonly Bucket[]): Dimension {
  return {
    idsOf: thing => {
      const index = buckets.findIndex(it => containsInstant(it, thing.startMs))
      return index < 0 ? [] : [String(index)]
    },
    entity: id => {
      const bucket = buckets[Number(id)]
      if (!bucket) throw new Error(`unknown bucket ${id}`)
      const { startMs, endMs, shopDate } = bucket
      return { start: iso(startMs), end: iso(endMs), shopDate: `${shopDate.toString()}T00:00:00.000Z` }
    },
    order: id => [Number(id)],
  }
}

type Lookup = (id: string) => Entity | undefined

/** Creates a dimension of named entities; `group` determines the name of a missing value. */
function named(idsOf: Dimension['idsOf'], lookup: Lookup, group = ''): Dimension {
  const entity = (id: string): Entity => {
    const found = id === none ? { id, name: noneNames[group], virtual: true } : lookup(id)
    if (!found) throw new Error(`unknown ${group} ${id}`)
    return found
  }
  return { idsOf, entity, order: id => [String(entity(id)['name'])] }
}

function one(id: string | undefined): readonly string[] {
  return [id ?? none]
}

function orNone(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [none] : ids
}

function find(records: readonly { readonly id: string; readonly name: string }[]): Lookup {
  return id => {
    const record = records.find(it => it.id === id)
    return record && { id: record.id, name: record.name }
  }
}

function runOf(thing: Thing): RunSpan | undefined {
  return thing.kind === 'alarm' ? undefined : (thing.moment.run ?? undefined)
}

function shiftEntities(plant: OraclePlant): Lookup {
  return id => {
    for (const schedule of plant.schedules) {
      const lists = [...schedule.versions, ...schedule.exceptions].flatMap(it => it.shifts)
      const shift = lists.find(it => it.id === id)
      if (shift) return { id, name: shift.name, scheduleId: schedule.id, optional: shift.optional }
    }
    return undefined
  }
}

function operationEntities(operations: readonly JobOperationRecord[]): Lookup {
  return id => {
    const operation = operations.find(it => it.id === id)
    if (!operation) return undefined
    const { jobName, lotName, operationName, partName } = operation
    const name = [jobName, lotName, operationName, partName].filter(it => it !== '').join(' / ')
    return { id, name, jobName, lotName, operationName, partName }
  }
}

function runEntities(plant: OraclePlant): Lookup {
  return id => {
    const spans = plant.machines.flatMap(machine => runSpans(plant, machine, []))
    const span = spans.find(it => it.record.id === id)
    if (!span) return undefined
    const { jobOperationId, machineId } = span.record
    const isInProgress = span.startMs <= plant.nowMs && plant.nowMs < span.endMs
    const endAt = isInProgress || span.endMs === Infinity ? null : iso(span.endMs)
    return { id, name: id, jobOperationId, machineId, startAt: iso(span.startMs), endAt }
  }
}

function reasonIds(thing: Thing): readonly string[] {
  if (thing.kind === 'time') return [thing.moment.reason]
  if (thing.kind === 'event') return [String(thing.adjustment?.categoryId ?? 'uncategorized')]
  return []
}

function reasonEntities(plant: OraclePlant, report: ReportKind): Lookup {
  return id => {
    const name = reasonNames[id]
    if (name !== undefined) return { id, name, virtual: true }
    const records = report === 'quality' ? plant.adjustmentTypes : plant.reasons
    const record = records.find(it => String(it.id) === id)
    return record && { id: record.id, name: record.name, color: record.color }
  }
}

/** The oracle's id of (nativeCode, message, state), for which the product has an integer. */
export function nativeCodeId(nativeCode: string, message: string, state: string): string {
  return JSON.stringify([nativeCode, message, state])
}

function nativeCodeDimension(): Dimension {
  const parse = (id: string): readonly string[] => {
    const parts: unknown = JSON.parse(id)
    return Array.isArray(parts) ? parts.map(String) : []
  }
  return {
    idsOf: it => (it.kind === 'alarm' ? [nativeCodeId(it.alarm.nativeCode, it.alarm.message, it.alarm.state)] : []),
    entity: id => {
      const [nativeCode, message, state] = parse(id)
      return { id, nativeCode, message, state }
    },
    order: parse,
  }
}

/** Compares items by the values of the dimension, then by id: numbers by size and strings by code units. */
export function compareIds(dimension: Dimension, a: string, b: string): number {
  const left = [...dimension.order(a), a]
  const right = [...dimension.order(b), b]
  for (const [index, it] of left.entries()) {
    const other = right[index] ?? ''
    const difference =
      typeof it === 'number' && typeof other === 'number' ? it - other : compareText(String(it), String(other))
    if (difference !== 0) return difference
  }
  return 0
}
