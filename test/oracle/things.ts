import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import type { AlarmInstance } from './alarms.ts'
import { downtimeRecords } from './downtime.ts'
import type { DowntimeRecord } from './downtime.ts'
import { cutAt, containsInstant, intersection } from './machine.ts'
import type { MachineView, Moment } from './machine.ts'
import { milliseconds } from './samples.ts'
import type { Interval, OraclePlant } from './types.ts'

/** An interval of a machine's time; `endMs` is after `startMs`. */
export interface TimeThing extends Interval {
  readonly kind: 'time'
  readonly moment: Moment
  /** The downtime record of this time, if the machine is down. */
  readonly downtime: DowntimeRecord | null
}

/** Parts or the start of a setup, at the instant `startMs`. */
export interface EventThing {
  readonly kind: 'event'
  readonly startMs: number
  readonly moment: Moment
  /** Parts that samples report, times the multiplier of the run. */
  readonly reported: number
  /** Parts from adjustments. */
  readonly count: number
  readonly scrap: number
  readonly nonconform: number
  readonly expectedSetupMs: number
  readonly adjustment: PartAdjustmentRecord | null
}

/** The part of an alarm instance within the range, cut at the limits of buckets. */
export interface AlarmThing extends Interval {
  readonly kind: 'alarm'
  readonly moment: Pick<Moment, 'machine'>
  readonly alarm: AlarmInstance
}

/** A unit that a report counts; a group is a set of things. */
export type Thing = TimeThing | EventThing | AlarmThing

/** Returns the machine's time in the range, cut at every change and at `bounds`. */
export function timeThings(view: MachineView, range: Interval, bounds: readonly number[]): readonly TimeThing[] {
  const downtimes = downtimeRecords(view, range)
  return view.elements(range).flatMap(element => {
    const { moment } = element
    const downtime = moment.down ? (downtimes.find(it => containsInstant(it, element.startMs)) ?? null) : null
    return cutAt(element, bounds).map(({ startMs, endMs }) => ({ kind: 'time', startMs, endMs, moment, downtime }))
  })
}

/** Returns the machine's parts from samples, its adjustments and its starts of setup in the range. */
export function eventThings(plant: OraclePlant, view: MachineView, range: Interval): readonly EventThing[] {
  const within = intersection(range, view.active)
  const events = [
    ...view.additions.map(it => {
      const multiplier = view.momentAt(it.atMs).run?.times.multiplier ?? 1
      return eventThing(view, it.atMs, { reported: it.parts * multiplier })
    }),
    ...view.adjustments.map(it => {
      const rejects = { [behaviour(plant, it)]: it.scrapCount }
      return eventThing(view, milliseconds(it.adjustmentTime), { count: it.count, adjustment: it, ...rejects })
    }),
    ...view.runs
      .filter(run => run.record.startInSetup)
      .map(run => eventThing(view, run.startMs, { expectedSetupMs: run.times.setupMs ?? 0 })),
  ]
  return events.filter(it => containsInstant(within, it.startMs))
}

type Happening = Partial<Omit<EventThing, 'kind' | 'startMs' | 'moment'>>

const nothing = { reported: 0, count: 0, scrap: 0, nonconform: 0, expectedSetupMs: 0, adjustment: null }

function eventThing(view: MachineView, atMs: number, what: Happening): EventThing {
  return { kind: 'event', startMs: atMs, moment: view.momentAt(atMs), ...nothing, ...what }
}

/**
 * Returns the behaviour of an adjustment: that of its type, unless the type leaves it to the operator; otherwise the
 * one that was sent; otherwise scrap.
 */
function behaviour(plant: OraclePlant, adjustment: PartAdjustmentRecord): RejectBehavior {
  const type = plant.adjustmentTypes.find(it => it.id === adjustment.categoryId)
  if (type && type.rejectBehavior !== 'operator') return type.rejectBehavior
  return adjustment.rejectBehavior ?? 'scrap'
}

/** Returns the machine's alarm instances in the range, cut at `bounds`. */
export function alarmThings(view: MachineView, range: Interval, bounds: readonly number[]): readonly AlarmThing[] {
  const within = intersection(range, view.active)
  const moment = { machine: view.machine }
  return view.alarms.flatMap(alarm => {
    const span = intersection({ startMs: alarm.startMs, endMs: alarm.endMs ?? Infinity }, within)
    return cutAt(span, bounds).map(({ startMs, endMs }) => ({ kind: 'alarm', startMs, endMs, moment, alarm }))
  })
}
