import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Status } from '../../schema/document.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { WireSample } from '../../schema/topics.ts'
import { alarmInstances } from './alarms.ts'
import { aMachine } from './build.ts'
import { intersection } from './machine.ts'
import { additionsOf } from './parts.ts'
import { observationsOf } from './samples.ts'
import { cyclesOf, stateSteps } from './states.ts'
import type { Interval } from './types.ts'

/** Path of the recordings. */
export const nistFolder = fileURLToPath(new URL('../../../shared/data/nist', import.meta.url))

/** Whether the recordings are available; tests that need them are skipped otherwise. */
export function hasNist(): boolean {
  return existsSync(nistFolder)
}

/** Times and counts of one recorded machine on one UTC day; times in ms, without the parts on other days. */
export interface NistDay {
  readonly machine: string
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly statusMs: Readonly<Record<Status, number>>
  readonly inCycleMs: number
  /** Cycles that start on the day. */
  readonly cycles: number
  readonly parts: number
  /** Alarm instances that start on the day. */
  readonly alarms: number
}

/** A data item of the probe document. */
export interface DataItem {
  readonly type: string
  readonly subtype: string | null
  readonly category: NonNullable<WireSample['category']>
}

/** Parses the data items of a probe document, by machine name and key (the item's name, otherwise its id). */
export function dataItems(xml: string): ReadonlyMap<string, ReadonlyMap<string, DataItem>> {
  const devices = xml.split(/<Device\s/).slice(1)
  return new Map(
    devices.map(device => [
      attribute(device.slice(0, device.indexOf('>')), 'name') ?? '',
      new Map([...device.matchAll(/<DataItem\s([^>]*)>/g)].map(([, attributes = '']) => dataItem(attributes))),
    ]),
  )
}

function dataItem(attributes: string): readonly [string, DataItem] {
  const key = attribute(attributes, 'name') ?? attribute(attributes, 'id') ?? ''
  const category = attribute(attributes, 'category')
  return [
    key,
    {
      type: attribute(attributes, 'type') ?? '',
      subtype: attribute(attributes, 'subType'),
      category: category === 'SAMPLE' || category === 'CONDITION' ? category : 'EVENT',
    },
  ]
}

function attribute(text: string, name: string): string | null {
  return new RegExp(`(?:^|\\s)${name}=["']([^"']*)["']`).exec(text)?.[1] ?? null
}

/**
 * Converts a line of a log to a sample of `machineId`; the type of a key that the probe document does not contain is
 * the key.
 */
export function readLine(line: string, machineId: string, items: ReadonlyMap<string, DataItem>): WireSample {
  const [timestamp = '', key = '', value = '', nativeCode = '', nativeSeverity = '', qualifier = '', ...text] =
    line.split('|')
  const item = items.get(key) ?? { type: key, subtype: null, category: 'EVENT' as const }
  const sample = { machineId, timestamp, key, type: item.type, category: item.category }
  const subtype = item.subtype === null ? {} : { subtype: item.subtype }
  if (item.category !== 'CONDITION')
    return { ...sample, ...subtype, value: line.slice(timestamp.length + key.length + 2) }
  return { ...sample, ...subtype, value, nativeCode, nativeSeverity, qualifier, message: text.join('|') }
}

/**
 * Returns the recorded samples by machine name, with the name as `machineId`; all samples, including snapshots and
 * repeats.
 */
export function nistSamples(names: readonly string[] = []): ReadonlyMap<string, readonly WireSample[]> {
  const devices = dataItems(readFileSync(`${nistFolder}/Devices.xml`, 'utf8'))
  const samples = new Map<string, WireSample[]>()
  for (const file of readdirSync(nistFolder).filter(it => it.endsWith('.shdr.gz'))) {
    const name = file.slice(0, file.indexOf('-'))
    if (names.length > 0 && !names.includes(name)) continue
    const lines = gunzipSync(readFileSync(`${nistFolder}/${file}`))
      .toString('utf8')
      .split(/\r?\n/)
      .filter(line => line !== '')
    const items = devices.get(name) ?? new Map<string, DataItem>()
    const known = samples.get(name) ?? []
    samples.set(name, known.concat(lines.map(line => readLine(line, name, items))))
  }
  return samples
}

/** Options for reading the recordings. */
export interface NistOptions {
  /** End of the counted time, UTC ms. */
  readonly untilMs: number
  /** Names of the machines; default: all machines. */
  readonly machines?: readonly string[]
  /** Settings of every machine that differ from the defaults. */
  readonly settings?: Partial<MachineRecord>
}

/**
 * Returns the UTC days of each recorded machine from its first sample on, in order, without days whose state is not
 * known at any time.
 */
export function nistDays({ untilMs, machines = [], settings = {} }: NistOptions): readonly NistDay[] {
  return [...nistSamples(machines)].flatMap(([name, samples]) =>
    daysOf(samples, aMachine({ ...settings, id: name, name }), untilMs),
  )
}

const dayMs = 86_400_000

/** Returns the UTC days of one machine's samples, from the first sample to `untilMs`. */
export function daysOf(samples: readonly WireSample[], machine: MachineRecord, untilMs: number): readonly NistDay[] {
  const observations = observationsOf(machine.id, samples, untilMs, Infinity)
  const steps = stateSteps(observations, machine, untilMs)
  const cycles = cyclesOf(steps)
  const additions = additionsOf(observations, machine)
  const alarms = alarmInstances(machine.id, observations)
  const firstMs = Math.floor((observations[0]?.atMs ?? untilMs) / dayMs) * dayMs
  const days: NistDay[] = []
  for (let startMs = firstMs; startMs < untilMs; startMs += dayMs) {
    const day = { startMs, endMs: startMs + dayMs }
    const time = (of: readonly Interval[]) =>
      of.map(it => intersection(it, day)).reduce((sum, it) => sum + it.endMs - it.startMs, 0)
    const starting = (of: readonly { readonly startMs: number }[]) => of.filter(it => isIn(it.startMs, day)).length
    days.push({
      machine: machine.name,
      day: new Date(startMs).toISOString().slice(0, 10),
      statusMs: {
        UNAVAILABLE: time(steps.filter(it => it.status === 'UNAVAILABLE')),
        INACTIVE: time(steps.filter(it => it.status === 'INACTIVE')),
        ACTIVE: time(steps.filter(it => it.status === 'ACTIVE')),
        FAULT: time(steps.filter(it => it.status === 'FAULT')),
      },
      inCycleMs: time(steps.filter(it => it.inCycle)),
      cycles: starting(cycles),
      parts: additions.filter(it => isIn(it.atMs, day)).reduce((sum, it) => sum + it.parts, 0),
      alarms: starting(alarms),
    })
  }
  return days
}

function isIn(atMs: number, { startMs, endMs }: Interval): boolean {
  return startMs <= atMs && atMs < endMs
}

/** Whether the day has any known state. */
export function isEventful(day: NistDay): boolean {
  const { UNAVAILABLE: _, ...rest } = day.statusMs
  return day.cycles + day.alarms > 0 || day.parts !== 0 || Object.values(rest).some(ms => ms > 0)
}
