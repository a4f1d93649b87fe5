import type { ShiftInstance, Shifts } from './shifts.ts'
import type { ShopDays } from './shop-days.ts'
import type { CalendarSpan } from './types.ts'
import type { Zone } from './zone.ts'
import { hourMs } from '../../shared/time/units.ts'

/** Computes the spans of [fromMs, toMs); their `cellMs` may be before `fromMs`. */
export function computeSpans(
  zone: Zone,
  shopDays: ShopDays,
  shifts: Shifts,
  fromMs: number,
  toMs: number,
): CalendarSpan[] {
  const cells = cellBounds(zone, shopDays, fromMs, toMs)
  const midnights = midnightsOf(zone, fromMs, toMs)
  const instances = shifts.instances(fromMs, toMs)
  const inForceAt = (atMs: number): boolean => shifts.inForce(latest(midnights, atMs, ({ startMs }) => startMs).day)
  const edges = [...cells, ...midnights.map(({ startMs }) => startMs), ...instances.flatMap(bounds)]
  const cuts = [...new Set([fromMs, ...edges.filter(at => at > fromMs && at < toMs), toMs])].sort((a, b) => a - b)
  const spans: CalendarSpan[] = []
  for (const [index, startMs] of cuts.entries()) {
    const endMs = cuts[index + 1]
    if (endMs === undefined) continue
    const cellMs = latest(cells, startMs, at => at)
    const current = instances.findLast(instance => instance.startMs <= startMs && instance.endMs > startMs)
    appendSpan(spans, { startMs, endMs, cellMs, ...shiftFields(current, () => inForceAt(startMs)) })
  }
  return spans
}

/** Appends a span, or extends the last one if both are equal and adjacent. */
export function appendSpan(spans: CalendarSpan[], span: CalendarSpan): void {
  const last = spans.at(-1)
  const same =
    last !== undefined &&
    last.endMs === span.startMs &&
    last.cellMs === span.cellMs &&
    last.shift === span.shift &&
    last.optional === span.optional &&
    last.nonOptional === span.nonOptional
  if (same) spans[spans.length - 1] = { ...last, endMs: span.endMs }
  else spans.push(span)
}

function shiftFields(
  instance: ShiftInstance | undefined,
  inForce: () => boolean,
): Pick<CalendarSpan, 'shift' | 'optional' | 'nonOptional'> {
  if (instance === undefined) return { shift: 0, optional: false, nonOptional: !inForce() }
  return { shift: instance.shift, optional: instance.optional, nonOptional: !instance.optional }
}

function cellBounds(zone: Zone, shopDays: ShopDays, fromMs: number, toMs: number): number[] {
  // Starts an hour earlier, to include a start of day between the last full hour and `fromMs`.
  const hours = zone.hourBounds(fromMs - hourMs, toMs)
  const first = hours[0] ?? fromMs
  for (let day = shopDays.at(first) + 1; shopDays.startMs(day) < toMs; day++) hours.push(shopDays.startMs(day))
  return hours.sort((a, b) => a - b)
}

/** Returns the local dates with their first midnight, from the date that contains `fromMs`. */
function midnightsOf(zone: Zone, fromMs: number, toMs: number): { day: number; startMs: number }[] {
  const found = []
  for (let day = zone.localDay(fromMs) - 1; day <= zone.localDay(toMs) + 1; day++)
    found.push({ day, startMs: zone.instantOf(day, 0) })
  return found
}

function bounds({ startMs, endMs }: ShiftInstance): number[] {
  return [startMs, endMs]
}

/** Returns the last item of an ascending array that is at or before an instant. */
function latest<Item>(items: readonly Item[], atMs: number, time: (item: Item) => number): Item {
  const found = items.findLast(item => time(item) <= atMs)
  if (found === undefined) throw new Error(`Invariant: no calendar bound at or before ${atMs}`)
  return found
}
