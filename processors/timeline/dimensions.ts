import type { CalendarSpan } from '../calendar/types.ts'
import type { Dimensions, Mode } from '../../schema/document.ts'
import type { Range } from './commission.ts'
import type { ResolvedRun } from './job-runs.ts'
import type { MachineInputs, OperatorSpan } from './types.ts'

/** Interval within one cell in which the dimensions are constant; adjacent intervals differ. */
export interface DimensionSpan {
  readonly startMs: number
  readonly endMs: number
  /** Start of the cell, ms from the start of the hour. */
  readonly cell: number
  readonly dimensions: Dimensions
}

interface DimensionSources {
  readonly calendar: readonly CalendarSpan[]
  readonly runs: readonly ResolvedRun[]
  readonly operators: readonly OperatorSpan[]
}

/**
 * Returns the dimensions (shift, job run, operators and others) in a range within the hour at `slotMs`: in order,
 * without gaps.
 */
export function dimensionSpans(
  { scheduledBy }: Pick<MachineInputs, 'scheduledBy'>,
  slotMs: number,
  range: Range,
  sources: DimensionSources,
): readonly DimensionSpan[] {
  const bounds = boundsOf(range, sources)
  const spans: DimensionSpan[] = []
  let calendarIndex = 0
  for (let index = 0; index + 1 < bounds.length; index++) {
    const startMs = bounds[index] ?? 0
    const endMs = bounds[index + 1] ?? 0
    while ((sources.calendar[calendarIndex]?.endMs ?? Infinity) <= startMs) calendarIndex++
    const calendar = sources.calendar[calendarIndex]
    if (!calendar) throw new Error('Invariant: the calendar does not cover the hour')
    const cell = Math.max(0, calendar.cellMs - slotMs)
    addSpan(spans, { startMs, endMs, cell, dimensions: dimensionsAt(startMs, calendar, sources, scheduledBy) })
  }
  return spans
}

/** Returns every instant at which a dimension may change, ascending, including both ends of the range. */
function boundsOf({ fromMs, toMs }: Range, { calendar, runs, operators }: DimensionSources): readonly number[] {
  const inner: number[] = []
  const add = (atMs: number) => {
    if (atMs > fromMs && atMs < toMs) inner.push(atMs)
  }
  for (const { startMs } of calendar) add(startMs)
  for (const { startMs, endMs, productionMs } of runs) {
    add(startMs)
    add(endMs)
    add(productionMs)
  }
  for (const { startMs, endMs } of operators) {
    add(startMs)
    add(endMs)
  }
  if (inner.length === 0) return [fromMs, toMs]
  return [...new Set([fromMs, ...inner.sort((a, b) => a - b), toMs])]
}

/** Whether time of a machine is scheduled: by its calendar, or by its job runs. */
export function isScheduled(
  { optional, nonOptional }: Pick<CalendarSpan, 'optional' | 'nonOptional'>,
  hasRun: boolean,
  scheduledBy: MachineInputs['scheduledBy'],
): boolean {
  return scheduledBy === 'job' ? hasRun : nonOptional || (optional && hasRun)
}

function dimensionsAt(
  atMs: number,
  calendar: CalendarSpan,
  { runs, operators }: DimensionSources,
  scheduledBy: MachineInputs['scheduledBy'],
): Dimensions {
  const run = runs.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)
  return {
    shift: calendar.shift,
    run: run?.run ?? 0,
    operators: operatorsAt(atMs, operators),
    mode: modeOf(run, atMs),
    scheduled: isScheduled(calendar, run !== undefined, scheduledBy),
    nonOptional: calendar.nonOptional,
  }
}

function modeOf(run: ResolvedRun | undefined, atMs: number): Mode {
  if (!run) return 'none'
  return atMs >= run.productionMs ? 'production' : 'setup'
}

const noOperators: readonly number[] = []

function operatorsAt(atMs: number, operators: readonly OperatorSpan[]): readonly number[] {
  if (operators.length === 0) return noOperators
  const present = operators.filter(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)
  return [...new Set(present.map(({ operator }) => operator))].sort((a, b) => a - b)
}

function addSpan(spans: DimensionSpan[], span: DimensionSpan): void {
  const last = spans.at(-1)
  if (last && last.cell === span.cell && areEqual(last.dimensions, span.dimensions)) {
    spans[spans.length - 1] = { ...last, endMs: span.endMs }
  } else spans.push(span)
}

function areEqual(a: Dimensions, b: Dimensions): boolean {
  return (
    a.shift === b.shift &&
    a.run === b.run &&
    a.mode === b.mode &&
    a.scheduled === b.scheduled &&
    a.nonOptional === b.nonOptional &&
    a.operators.length === b.operators.length &&
    a.operators.every((operator, index) => operator === b.operators[index])
  )
}
