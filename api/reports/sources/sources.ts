import type { DayCoverage } from '../../../clickhouse/documents/day-coverage.ts'
import type { CoverageCache } from '../../../clickhouse/documents/coverage-cache.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { HourDocument } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { QueryContext } from '../query/query.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { ReportPlan } from '../plan/plan.ts'
import { buildProvisionalDocuments, type ProvisionalDeps } from './provisional-documents.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** The parts of a range by their documents: disjoint, and together the range. */
interface SplitRange {
  /** Whole shop days with day documents, ascending. */
  readonly days: readonly TimeRange[]
  /** Ranges of whole UTC hours, ascending; next to a shop day, a range may begin or end with the part of an hour outside that day. */
  readonly whole: readonly TimeRange[]
  /** Parts of hours at the ends of the range. The current hour is always cut, because the range ends now. */
  readonly cut: readonly TimeRange[]
}

/** The documents that serve each part of a plan's time. No instant of a machine is in two parts. */
export interface Sources extends SplitRange {
  /** Machines whose document of one of `days` is being rebuilt: these days of them are read from hours. */
  readonly staleDays: readonly StaleDay[]
  /** Computed documents that the store lacks; a stored document of the same machine and hour does not count then. */
  readonly provisional: readonly HourDocument[]
}

export interface StaleDay {
  readonly day: TimeRange
  readonly machines: readonly MachineRef[]
}

/** Determines the documents that a report can read. */
export interface SourceRule {
  /** Maximum number of machines of a day that are read from hours instead; null: no day documents are read. */
  readonly maxStaleMachines: number | null
  /** Whether sums in documents serve whole hours only: cut hours have other sources then. */
  readonly splitsHours: boolean
}

export interface SourceDeps extends ProvisionalDeps {
  readonly coverage: CoverageCache
}

/** Maximum number of days with machines that are read from hours: each such day is another part of the query. */
const maxStaleDays = 8
const noDays: DayCoverage = { covered: [], stale: [] }

/**
 * Selects the sources of a plan. Missing documents are computed first: a document that exists now still exists when the
 * report is read. Day documents are read only if none is missing. Rejects with 503 if the processors lag too far.
 */
export async function selectSources(
  plan: ReportPlan,
  rule: SourceRule,
  view: CompanyView,
  deps: SourceDeps & QueryContext,
): Promise<Sources> {
  const scope = { companyRef: plan.companyRef, range: plan.readRange, machines: plan.filters.machines }
  const missing = await buildProvisionalDocuments(scope, view, deps)
  if (missing !== null) return sourcesOf(plan, rule, { coverage: noDays, provisional: missing })
  if (rule.maxStaleMachines === null || plan.shopDays.length === 0) return sourcesOf(plan, rule, {})
  return sourcesOf(plan, rule, {
    coverage: await deps.coverage.read(deps.store, plan.companyRef, plan.shopDays, deps.options),
  })
}

/** Pure: the sources of a plan, by the days that have documents and by the documents that are missing. */
export function sourcesOf(
  { readRange, filters }: Pick<ReportPlan, 'readRange' | 'filters'>,
  { maxStaleMachines, splitsHours }: SourceRule,
  found: { readonly coverage?: DayCoverage; readonly provisional?: readonly HourDocument[] },
): Sources {
  const { coverage = noDays, provisional = [] } = found
  const byDay = staleByDay(coverage, filters.machines)
  const partly = byDay.filter(({ machines }) => machines.length > 0 && machines.length <= (maxStaleMachines ?? 0))
  const staleDays = partly.slice(0, maxStaleDays)
  const days = byDay.filter(day => day.machines.length === 0 || staleDays.includes(day)).map(({ day }) => day)
  const split = splitsHours ? splitRange(readRange, days) : { days, whole: gapsOf(readRange, days), cut: [] }
  return { ...split, staleDays, provisional }
}

/** The covered days with their requested machines (null: all) whose documents are out of date. */
function staleByDay({ covered, stale }: DayCoverage, requested: readonly MachineRef[] | null): readonly StaleDay[] {
  const known = requested && new Set(requested)
  const machines = new Map<number, MachineRef[]>(covered.map(({ startMs }) => [startMs, []]))
  for (const { machineRef, startMs } of stale)
    if (!known || known.has(machineRef)) machines.get(startMs)?.push(machineRef)
  return covered.map(day => ({ day, machines: machines.get(day.startMs) ?? [] }))
}

/** `days`: shop days in the range with usable day documents, ascending. */
export function splitRange(range: TimeRange, days: readonly TimeRange[] = []): SplitRange {
  const between = gapsOf(range, days).map(gap => splitGap(gap, range))
  return { days, whole: between.flatMap(({ whole }) => whole), cut: between.flatMap(({ cut }) => cut) }
}

/** The parts of the range outside of the days, which are ascending. */
function gapsOf({ startMs, endMs }: TimeRange, days: readonly TimeRange[]): readonly TimeRange[] {
  const starts = [startMs, ...days.map(day => day.endMs)]
  const ends = [...days.map(day => day.startMs), endMs]
  return notEmpty(...starts.map((from, i) => ({ startMs: from, endMs: ends[i] ?? from })))
}

function splitGap(gap: TimeRange, range: TimeRange): Pick<SplitRange, 'whole' | 'cut'> {
  const startMs = gap.startMs === range.startMs ? Math.ceil(gap.startMs / hourMs) * hourMs : gap.startMs
  const endMs = gap.endMs === range.endMs ? Math.floor(gap.endMs / hourMs) * hourMs : gap.endMs
  if (startMs >= endMs) return { whole: [], cut: [gap] }
  const before = { startMs: gap.startMs, endMs: startMs }
  const after = { startMs: endMs, endMs: gap.endMs }
  return { whole: [{ startMs, endMs }], cut: notEmpty(before, after) }
}

function notEmpty(...ranges: readonly TimeRange[]): readonly TimeRange[] {
  return ranges.filter(({ startMs, endMs }) => startMs < endMs)
}

/** Starts of the UTC hours that a range touches. */
export function slotsOf({ startMs, endMs }: TimeRange): readonly number[] {
  const first = Math.floor(startMs / hourMs)
  return Array.from({ length: Math.ceil(endMs / hourMs) - first }, (_, i) => (first + i) * hourMs)
}
