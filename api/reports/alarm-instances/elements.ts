import { machineRef, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { levelCodes, openEnd } from '../../../clickhouse/tables/values.ts'
import { alarmIdentityOf, type AlarmInstance } from '../../../schema/alarm-instance.ts'
import { cachedCanonicalName } from '../../../schema/canonical-name.ts'
import type { QueryContext } from '../query/query.ts'
import type { HourKey } from '../../../schema/document-store.ts'
import { compileElements, compileUpToDate } from './compile.ts'
import type { CompanyRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { provisionalHours, reportsAreBehind } from '../sources/provisional-documents.ts'

/** The element of an instance in the document of an hour. */
interface InstanceElement {
  readonly message: string
  /** UTC ms; null: ongoing after the hour. */
  readonly endMs: number | null
}

interface InstanceElements {
  of(instance: AlarmInstance, slotMs: number): InstanceElement | null
}

/** An hour that may contain an element of the instance. */
interface AlarmHour {
  readonly instance: AlarmInstance
  readonly slotMs: number
}

/** Maximum number of hours of one query. */
const maxHoursPerQuery = 2000

const elementShape = {
  machineRef,
  slotMs: wide,
  key: storedText,
  nativeCode: storedText,
  message: storedText,
  level: levelCodes.kind,
  startMs: wide,
  endMs: openEnd.kind,
} as const

/** Reads the elements of instances from the documents of their hours. */
export async function readElements(
  companyRef: CompanyRef,
  hours: readonly AlarmHour[],
  { store, options }: QueryContext,
): Promise<InstanceElements> {
  const found = new Map<string, InstanceElement>()
  for (let from = 0; from < hours.length; from += maxHoursPerQuery) {
    const some = hours.slice(from, from + maxHoursPerQuery)
    const keys = some.map(({ instance, slotMs }): HourKey => ({ machineRef: instance.machineRef, slotMs }))
    const starts = some.map(({ instance }) => instance.startMs)
    for (const row of await rows(store, compileElements(companyRef, keys, starts), elementShape, options)) {
      const { slotMs, endMs, key, ...instance } = row
      const hour = { instance: { ...instance, key: cachedCanonicalName(key) }, slotMs }
      found.set(keyOf(hour), { message: instance.message, endMs })
    }
  }
  return { of: (instance, slotMs) => found.get(keyOf({ instance, slotMs })) ?? null }
}

function keyOf({ instance, slotMs }: AlarmHour): string {
  return `${slotMs}${alarmIdentityOf(instance)}`
}

/** An instance that is ongoing after its first hour. */
export interface OpenInstance {
  readonly instance: AlarmInstance
  /** The first hour with an element of the instance, and the last possible one. */
  readonly firstSlotMs: number
  readonly lastSlotMs: number
}

interface Search<Open> {
  readonly open: Open
  /** The element of `presentMs` is ongoing; there is none from `absentMs` on. */
  readonly presentMs: number
  readonly absentMs: number
  readonly end: 'unknown' | number | null
}

const evenProbes = 12

/**
 * End of each instance (UTC ms; null: ongoing), from its latest element. An instance has an element in every hour from
 * its first to its last, so a search by growing steps finds the last one in few rounds. Rejects with 503 if an instance
 * is ongoing at the end of the documents of its machine, more than two hours ago.
 */
export async function findEnds<Open extends OpenInstance>(
  companyRef: CompanyRef,
  instances: readonly Open[],
  queries: QueryContext,
): Promise<ReadonlyMap<Open, number | null>> {
  let searches = instances.map((open): Search<Open> => ({
    open,
    presentMs: open.firstSlotMs,
    absentMs: open.lastSlotMs + hourMs,
    end: open.firstSlotMs >= open.lastSlotMs ? null : 'unknown',
  }))
  for (;;) {
    const hours = searches.flatMap(search =>
      probesOf(search).map(slotMs => ({ instance: search.open.instance, slotMs })),
    )
    if (hours.length === 0) break
    const elements = await readElements(companyRef, hours, queries)
    searches = searches.map(search => narrow(search, slotMs => elements.of(search.open.instance, slotMs)))
  }
  await rejectIfBehind(companyRef, searches, queries)
  return new Map(searches.map(({ open, end }) => [open, end === 'unknown' ? null : end]))
}

/** Hours to read: near the known one, because most alarms are short, the last one, and evenly between. */
function probesOf({ presentMs, absentMs, end }: Search<OpenInstance>): readonly number[] {
  const between = (absentMs - presentMs) / hourMs - 1
  if (end !== 'unknown' || between < 1) return []
  const near = [1, 2, 4, 8, 16].filter(hours => hours < between)
  const even = Array.from({ length: evenProbes }, (_, i) => Math.ceil((between * (i + 1)) / evenProbes))
  return [...new Set([...near, ...even])].sort((a, b) => a - b).map(hours => presentMs + hours * hourMs)
}

function narrow<Open extends OpenInstance>(
  search: Search<Open>,
  elementAt: (slotMs: number) => { readonly endMs: number | null } | null,
): Search<Open> {
  let { presentMs, absentMs, end } = search
  for (const slotMs of probesOf(search)) {
    const element = elementAt(slotMs)
    if (!element) absentMs = slotMs
    else if (element.endMs !== null) end = element.endMs
    else presentMs = slotMs
    if (!element || element.endMs !== null) break
  }
  if (presentMs >= search.open.lastSlotMs) end = null
  return { open: search.open, presentMs, absentMs, end }
}

/** Elements that stop without an end: the following hours are not computed yet, or are being recomputed. */
async function rejectIfBehind(
  companyRef: CompanyRef,
  searches: readonly Search<OpenInstance>[],
  { store, options }: QueryContext,
): Promise<void> {
  const stopped = searches.filter(
    ({ end, presentMs, open }) => end === 'unknown' && presentMs < open.lastSlotMs - provisionalHours * hourMs,
  )
  if (stopped.length === 0) return
  const [from, to] = [
    Math.min(...stopped.map(({ open }) => open.lastSlotMs)) - provisionalHours * hourMs,
    Math.max(...stopped.map(({ open }) => open.lastSlotMs)),
  ]
  const machines = [...new Set(stopped.map(({ open }) => open.instance.machineRef))]
  const found = await rows(store, compileUpToDate(companyRef, machines, from, to), { machineRef }, options)
  const upToDate = new Set(found.map(({ machineRef }) => machineRef))
  if (machines.some(machine => !upToDate.has(machine))) throw reportsAreBehind()
}
