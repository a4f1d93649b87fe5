import type { SumName } from '../../schema/sums.ts'
import type { Thresholds } from '../../schema/records.ts'
import type { MeasureName } from './measures.ts'
import type { Worth } from './worth.ts'

/** How a row's measures become what it adds to a sum of its groups. Called for every row: it reads columns and makes nothing. */
export interface Derivation {
  readonly needs: readonly MeasureName[]
  /** Which values of the row's machine and run decide: rows are only kept apart by machine and run where these differ. */
  readonly by: 'nothing' | 'multiplier' | 'job' | 'thresholds'
  /** The measure that is the sum itself; null: `value` computes it. */
  readonly same: MeasureName | null
  readonly value: (columns: MeasureColumns, row: number, worth: Worth) => number
}

/** One column per measure; those that weren't asked for are empty. An extreme over nothing is null. */
export type MeasureColumns = Readonly<Record<MeasureName, readonly (number | null)[]>>

export const derivations = {
  allMs: same('allMs'),
  inCycleMs: same('inCycleMs'),
  spindleMs: same('spindleMs'),
  cutMs: same('cutMs'),
  setupMs: same('setupMs'),
  productionMs: same('productionMs'),
  productionInCycleMs: same('productionInCycleMs'),
  workedMs: same('workedMs'),
  workedInCycleMs: same('workedInCycleMs'),
  nonOptionalMs: same('nonOptionalMs'),
  nonOptionalInCycleMs: same('nonOptionalInCycleMs'),
  downMs: same('downMs'),
  plannedDownMs: same('plannedDownMs'),
  uncategorizedDownMs: same('uncategorizedDownMs'),
  goodParts: {
    needs: ['reportedParts', 'adjustedParts'],
    by: 'multiplier',
    same: null,
    value: (m, i, { multiplier }) => at(m.reportedParts, i) * multiplier + at(m.adjustedParts, i),
  },
  scrapParts: same('scrapParts'),
  nonconformParts: same('nonconformParts'),
  workedTotalParts: { needs: totalNeeds(), by: 'multiplier', same: null, value: workedTotal },
  workedRejectedParts: same('workedRejectedParts'),
  idealWorkedMs: job(['workedMs'], (m, i, { idealPartMs }) => (idealPartMs === null ? 0 : at(m.workedMs, i))),
  idealWorkedParts: job(['workedMs'], (m, i, { idealPartMs }) => partsIn(at(m.workedMs, i), idealPartMs)),
  idealInCycleParts: job(['workedInCycleMs'], (m, i, { idealPartMs }) =>
    partsIn(at(m.workedInCycleMs, i), idealPartMs),
  ),
  idealActualParts: job(totalNeeds(), (m, i, worth) => (worth.idealPartMs === null ? 0 : workedTotal(m, i, worth))),
  idealPartMs: job(['allMs'], (m, i, { idealPartMs }) => longest(at(m.allMs, i), idealPartMs)),
  expectedWorkedMs: job(['workedMs'], (m, i, { expectedPartMs }) => (expectedPartMs === null ? 0 : at(m.workedMs, i))),
  expectedWorkedParts: job(['workedMs'], (m, i, { expectedPartMs }) => partsIn(at(m.workedMs, i), expectedPartMs)),
  expectedActualParts: job(totalNeeds(), (m, i, worth) =>
    worth.expectedPartMs === null ? 0 : workedTotal(m, i, worth),
  ),
  expectedPartMs: job(['allMs'], (m, i, { expectedPartMs }) => longest(at(m.allMs, i), expectedPartMs)),
  expectedSetupMs: job(['setups'], (m, i, { expectedSetupMs }) => at(m.setups, i) * expectedSetupMs),
  firstRunMs: { needs: ['firstRunMs'], by: 'nothing', same: null, value: (m, i) => m.firstRunMs[i] ?? Infinity },
  lastRunMs: { needs: ['lastRunMs'], by: 'nothing', same: null, value: (m, i) => m.lastRunMs[i] ?? -Infinity },
  oeeWarningWeight: weighted('oeeWarning', 'workedMs'),
  oeeFailureWeight: weighted('oeeFailure', 'workedMs'),
  partsGoalWarningWeight: weighted('partsGoalWarning', 'workedMs'),
  partsGoalFailureWeight: weighted('partsGoalFailure', 'workedMs'),
  utilizationWarningWeight: weighted('utilizationWarning', 'allMs'),
  utilizationFailureWeight: weighted('utilizationFailure', 'allMs'),
} as const satisfies Record<SumName, Derivation>

function at(column: readonly (number | null)[], i: number): number {
  return column[i] ?? 0
}

function same(name: MeasureName & SumName): Derivation {
  return { needs: [name], by: 'nothing', same: name, value: (m, i) => at(m[name], i) }
}

function job(needs: readonly MeasureName[], value: Derivation['value']): Derivation {
  return { needs, by: 'job', same: null, value }
}

function weighted(threshold: keyof Thresholds, weight: 'workedMs' | 'allMs'): Derivation {
  return {
    needs: [weight],
    by: 'thresholds',
    same: null,
    value: (m, i, { thresholds }) => at(m[weight], i) * thresholds[threshold],
  }
}

function totalNeeds() {
  return ['workedReportedParts', 'workedAdjustedParts', 'workedRejectedParts'] as const
}

function workedTotal(m: MeasureColumns, i: number, { multiplier }: Worth): number {
  return at(m.workedReportedParts, i) * multiplier + at(m.workedAdjustedParts, i) + at(m.workedRejectedParts, i)
}

function partsIn(ms: number, partMs: number | null): number {
  return partMs === null ? 0 : ms / partMs
}

/** A part time counts where its run has any time. */
function longest(ms: number, partMs: number | null): number {
  return ms > 0 && partMs !== null ? partMs : -Infinity
}
