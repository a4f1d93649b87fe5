import { readSegments } from '../../clickhouse/documents/read-segments.ts'
import { fromEventfulHours, fromStoredHours } from '../../clickhouse/tables/stored-hours.ts'
import { sql, uint32, type Sql } from '../../clickhouse/sql/sql.ts'
import type { Segment, Status } from '../../schema/document.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { NistDay } from '../oracle/nist.ts'
import { testKey, type TestService } from '../support/service.ts'
import { dayMs } from '../../shared/time/units.ts'
import { asCompanyRef, asMachineRef, type CompanyRef, type MachineRef } from '../../schema/refs.ts'

/**
 * Returns the UTC days of each machine by its stored documents, from its first segment to `untilMs`, by machine name.
 */
export async function storedDays(service: TestService, untilMs: number): Promise<readonly NistDay[]> {
  const machines = [...service.records.machines(service.companyId)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const days = await Promise.all(machines.map(machine => storedDaysOf(service, machine, untilMs)))
  return days.flat()
}

async function storedDaysOf(
  service: TestService,
  { ref, name }: MachineRecord,
  untilMs: number,
): Promise<readonly NistDay[]> {
  const companyRef = refOfCompany(service)
  const hours = await readSegments(service.store, asCompanyRef(companyRef), [ref], 0, untilMs)
  const pieces = hours.flatMap(({ slotMs, segments }) => segments.map(segment => pieceOf(slotMs, segment, untilMs)))
  const [parts, alarms] = await Promise.all([partsByDay(service, ref, untilMs), alarmsByDay(service, ref, untilMs)])
  const days = new Map<number, NistDay>()
  let before: Piece | undefined
  for (const piece of pieces.filter(({ startMs, endMs }) => startMs < endMs)) {
    const dayAt = Math.floor(piece.startMs / dayMs) * dayMs
    const day = days.get(dayAt) ?? {
      ...emptyDay(name, dayAt),
      parts: parts.get(dayAt) ?? 0,
      alarms: alarms.get(dayAt) ?? 0,
    }
    const continues = before?.inCycle === true && before.endMs === piece.startMs
    days.set(dayAt, added(day, piece, piece.inCycle && !continues))
    before = piece
  }
  return [...days.values()]
}

interface Piece {
  readonly startMs: number
  readonly endMs: number
  readonly status: Status
  readonly inCycle: boolean
}

function pieceOf(slotMs: number, { start, end, status, inCycle }: Segment, untilMs: number): Piece {
  return { startMs: slotMs + start, endMs: Math.min(slotMs + end, untilMs), status, inCycle }
}

function added(day: NistDay, { startMs, endMs, status, inCycle }: Piece, startsCycle: boolean): NistDay {
  const durationMs = endMs - startMs
  return {
    ...day,
    statusMs: { ...day.statusMs, [status]: day.statusMs[status] + durationMs },
    inCycleMs: day.inCycleMs + (inCycle ? durationMs : 0),
    cycles: day.cycles + Number(startsCycle),
  }
}

function emptyDay(machine: string, dayAt: number): NistDay {
  const statusMs = { UNAVAILABLE: 0, INACTIVE: 0, ACTIVE: 0, FAULT: 0 }
  return { machine, day: dayText(dayAt), statusMs, inCycleMs: 0, cycles: 0, parts: 0, alarms: 0 }
}

export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function partsByDay(
  service: TestService,
  machineRef: MachineRef,
  untilMs: number,
): Promise<ReadonlyMap<number, number>> {
  return byDay(
    service,
    sql`SELECT toUnixTimestamp(slot) * 1000 + at AS ms, parts AS n
      ${fromEventfulHours(refOfCompany(service), { ...everHours, machines: [machineRef] }, { unfold: [sql`part_at AS at, part_count AS parts`] })}`,
    untilMs,
  )
}

/** Returns alarm instances by the day of their start; the documents of later hours contain an instance again. */
function alarmsByDay(
  service: TestService,
  machineRef: MachineRef,
  untilMs: number,
): Promise<ReadonlyMap<number, number>> {
  return byDay(
    service,
    sql`SELECT DISTINCT start AS ms, key, code, level, 1 AS n
      ${fromEventfulHours(refOfCompany(service), { ...everHours, machines: [machineRef] }, { unfold: [alarms] })}`,
    untilMs,
  )
}

async function byDay(service: TestService, rows: Sql, untilMs: number): Promise<ReadonlyMap<number, number>> {
  const [days, sums] = await service.store.columns<[number[], number[]]>(
    sql`SELECT toFloat64(intDiv(ms, 86400000)) * 86400000 AS day, toFloat64(sum(n)) FROM (${rows}) WHERE ms < toInt64(${uint32(untilMs / 1000)}) * 1000 GROUP BY day`,
  )
  return new Map(days.map((day, i) => [day, sums[i] ?? 0]))
}

const everHours = { fromMs: 0, toMs: Infinity, machines: null }
const alarms = sql`alarm_start_ms AS start, alarm_key AS key, alarm_code AS code, alarm_level AS level`

function refOfCompany(service: TestService): CompanyRef {
  const company = service.records.company(service.companyId)
  if (!company) throw new Error('The service has no company')
  return company.ref
}

/**
 * Returns hashes of the documents of each machine's hours before `untilMs`, by machine name and hour. The version is
 * left out, so equal documents have equal hashes.
 */
export async function documentHashes(service: TestService, untilMs: number): Promise<ReadonlyMap<string, string>> {
  const names = new Map(service.records.machines(service.companyId).map(({ ref, name }) => [ref, name]))
  const keys = { ...everHours, toMs: untilMs }
  const [machines, slots, hashes] = await service.store.columns<[number[], string[], string[]]>(
    sql`SELECT machine, toString(slot), toString(cityHash64(* EXCEPT (company, machine, version)))
      ${fromStoredHours(refOfCompany(service), keys)} ORDER BY machine, slot`,
  )
  return new Map(
    machines.map((machineRef, i) => [`${names.get(asMachineRef(machineRef))} ${slots[i]}`, hashes[i] ?? '']),
  )
}

/** Returns the hours that differ between two services. */
export function differingHours(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter(hour => a.get(hour) !== b.get(hour))
}

/** A UTC day of a machine in the production report. */
export interface ReportedDay {
  readonly machine: string
  readonly day: string
  readonly timeInCycle: number
  readonly allTime: number
  readonly totalParts: number
}

interface Item {
  readonly entity: { readonly id: string }
  readonly aggregate: Omit<ReportedDay, 'machine' | 'day'>
  readonly items: readonly Item[]
}

interface Answer {
  readonly entities: {
    readonly machine: Readonly<Record<string, { readonly name: string }>>
    readonly day: Readonly<Record<string, { readonly start: string }>>
  }
  readonly items: readonly Item[]
}

/** Requests the production report of the shop days, by machine and day. */
export async function reportedDays(
  service: TestService,
  startDay: string,
  endDay: string,
): Promise<readonly ReportedDay[]> {
  const { items, entities } = await productionReport(service, {
    startDay,
    endDay,
    data: ['timeInCycle', 'allTime', 'totalParts'].map(metric => ({ metric })),
    groupBy: [{ group: 'machine' }, { group: 'day' }],
  })
  return items.flatMap(machine =>
    machine.items.map(({ entity, aggregate }) => ({
      machine: entities.machine[machine.entity.id]?.name ?? '',
      day: entities.day[entity.id]?.start.slice(0, 10) ?? '',
      ...aggregate,
    })),
  )
}

async function productionReport(service: TestService, request: object): Promise<Answer> {
  const response = await fetch(`${service.url}/reports/production`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  const answer: Answer = JSON.parse(text)
  return answer
}

/** Computes the report that the service must return for a day. */
export function reportOf({ machine, day, statusMs, inCycleMs, parts }: NistDay): ReportedDay {
  const allTime = Object.values(statusMs).reduce((sum, ms) => sum + ms, 0)
  return { machine, day, timeInCycle: inCycleMs, allTime, totalParts: parts }
}
