import type { SumName } from '../../schema/sums.ts'
import type { Thresholds } from '../../schema/records.ts'
import type { MeasureName } from './measures.ts'
import type { Worth } from './worth.ts'

/** How a row's measures become what it adds to a sum of its groups. */
export interface Derivation {
  readonly needs: readonly MeasureName[]
  /** Which values of the row's machine and run decide: rows are only kept apart by machine and run where these differ. */
  readonly by: 'nothing' | 'multiplier' | 'job' | 'thresholds'
  readonly value: (row: Row, worth: Worth) => number
}

/** Measures as numbers; an extreme over nothing is NaN. */
export type Row = Readonly<Record<MeasureName, number>>

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
    value: (row, { multiplier }) => row.reportedParts * multiplier + row.adjustedParts,
  },
  scrapParts: same('scrapParts'),
  nonconformParts: same('nonconformParts'),
  workedTotalParts: { needs: totalNeeds(), by: 'multiplier', value: workedTotal },
  workedRejectedParts: same('workedRejectedParts'),
  idealWorkedMs: job(['workedMs'], (row, { idealPartMs }) => (idealPartMs === null ? 0 : row.workedMs)),
  idealWorkedParts: job(['workedMs'], (row, { idealPartMs }) => partsIn(row.workedMs, idealPartMs)),
  idealInCycleParts: job(['workedInCycleMs'], (row, { idealPartMs }) => partsIn(row.workedInCycleMs, idealPartMs)),
  idealActualParts: job(totalNeeds(), (row, worth) => (worth.idealPartMs === null ? 0 : workedTotal(row, worth))),
  idealPartMs: job(['allMs'], (row, { idealPartMs }) => (row.allMs > 0 ? (idealPartMs ?? -Infinity) : -Infinity)),
  expectedWorkedMs: job(['workedMs'], (row, { expectedPartMs }) => (expectedPartMs === null ? 0 : row.workedMs)),
  expectedWorkedParts: job(['workedMs'], (row, { expectedPartMs }) => partsIn(row.workedMs, expectedPartMs)),
  expectedActualParts: job(totalNeeds(), (row, worth) => (worth.expectedPartMs === null ? 0 : workedTotal(row, worth))),
  expectedPartMs: job(['allMs'], (row, { expectedPartMs }) =>
    row.allMs > 0 ? (expectedPartMs ?? -Infinity) : -Infinity,
  ),
  expectedSetupMs: job(['setups'], (row, { expectedSetupMs }) => row.setups * expectedSetupMs),
  firstRunMs: { needs: ['firstRunMs'], by: 'nothing', value: ({ firstRunMs }) => numberOr(firstRunMs, Infinity) },
  lastRunMs: { needs: ['lastRunMs'], by: 'nothing', value: ({ lastRunMs }) => numberOr(lastRunMs, -Infinity) },
  oeeWarningWeight: weighted('oeeWarning', 'workedMs'),
  oeeFailureWeight: weighted('oeeFailure', 'workedMs'),
  partsGoalWarningWeight: weighted('partsGoalWarning', 'workedMs'),
  partsGoalFailureWeight: weighted('partsGoalFailure', 'workedMs'),
  utilizationWarningWeight: weighted('utilizationWarning', 'allMs'),
  utilizationFailureWeight: weighted('utilizationFailure', 'allMs'),
} as const satisfies Record<SumName, Derivation>

function same(name: MeasureName & SumName): Derivation {
  return { needs: [name], by: 'nothing', value: row => row[name] }
}

function job(needs: readonly MeasureName[], value: Derivation['value']): Derivation {
  return { needs, by: 'job', value }
}

function weighted(threshold: keyof Thresholds, weight: 'workedMs' | 'allMs'): Derivation {
  return { needs: [weight], by: 'thresholds', value: (row, { thresholds }) => row[weight] * thresholds[threshold] }
}

function totalNeeds() {
  return ['workedReportedParts', 'workedAdjustedParts', 'workedRejectedParts'] as const
}

function workedTotal(row: Row, { multiplier }: Worth): number {
  return row.workedReportedParts * multiplier + row.workedAdjustedParts + row.workedRejectedParts
}

function partsIn(ms: number, partMs: number | null): number {
  return partMs === null ? 0 : ms / partMs
}

function numberOr(value: number, otherwise: number): number {
  return Number.isNaN(value) ? otherwise : value
}
