import type { MetricName } from '../../../schema/metrics.ts'
import type { MetricSelection } from '../../data/production.ts'

/** Losses, in the order in which they are subtracted. Unscheduled time is not a loss of the plant. */
export const lossNames = ['setup', 'planned', 'unplanned', 'speed', 'quality'] as const
export type LossName = (typeof lossNames)[number]

export type StepName = 'all' | 'unscheduled' | 'scheduled' | 'inCycle' | 'good' | LossName

/** Metrics that the losses are made of. */
export const lossMetrics = [
  'allTime',
  'unscheduledTime',
  'setupTime',
  'scheduledTime',
  'scheduledTimeInCycle',
  'downtime',
  'plannedDowntime',
  'unplannedDowntime',
  'performance',
  'quality',
  'idealCoverage',
] as const satisfies readonly MetricName[]

/** A step from all time to good parts. Times are ms; null: not known. */
export interface Step {
  readonly name: StepName
  readonly kind: 'total' | 'loss'
  readonly ms: number | null
  /** Where its bar begins, in ms from 0; a loss begins where what is left of it ends. */
  readonly fromMs: number
}

/** Lost time: ms by loss, null if unknown. */
export type Losses = Readonly<Record<LossName, number | null>>

/** Pure: the losses of a group. Slow cycles are negative where parts came faster than their ideal times. */
export function lossesOf(values: MetricSelection): Losses {
  const scheduled = values.scheduledTime ?? 0
  const inCycle = values.scheduledTimeInCycle ?? 0
  // Planned downtime counts that of setup, too, which lies outside of scheduled time.
  const setupDowntime = (values.downtime ?? 0) - (scheduled - inCycle)
  const { performance = null, quality = null } = values
  return {
    setup: values.setupTime ?? null,
    planned: Math.max(0, (values.plannedDowntime ?? 0) - setupDowntime),
    unplanned: values.unplannedDowntime ?? null,
    speed: performance === null ? null : inCycle * (1 - performance),
    quality: performance === null || quality === null ? null : inCycle * performance * (1 - quality),
  }
}

/** Pure: the steps from all time down to the time of good parts. */
export function stepsOf(values: MetricSelection): readonly Step[] {
  const losses = lossesOf(values)
  const all = values.allTime ?? 0
  const scheduled = values.scheduledTime ?? 0
  const inCycle = values.scheduledTimeInCycle ?? 0
  const total = (name: StepName, ms: number | null): Step => ({ name, kind: 'total', ms, fromMs: 0 })
  let leftMs = all
  const loss = (name: StepName, ms: number | null): Step => {
    leftMs -= ms ?? 0
    return { name, kind: 'loss', ms, fromMs: Math.max(0, Math.min(leftMs, leftMs + (ms ?? 0))) }
  }
  const known = losses.quality === null || losses.speed === null ? null : inCycle - losses.speed - losses.quality
  return [
    total('all', all),
    loss('unscheduled', values.unscheduledTime ?? null),
    loss('setup', losses.setup),
    total('scheduled', scheduled),
    loss('planned', losses.planned),
    loss('unplanned', losses.unplanned),
    total('inCycle', inCycle),
    loss('speed', losses.speed),
    loss('quality', losses.quality),
    total('good', known),
  ]
}

/** The loss that takes most time; null: nothing is lost. */
export function biggestLoss(values: MetricSelection): LossName | null {
  const losses = lossesOf(values)
  let found: LossName | null = null
  for (const name of lossNames) if ((losses[name] ?? 0) > (found === null ? 0 : (losses[found] ?? 0))) found = name
  return found
}
