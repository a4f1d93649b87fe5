import * as t from '../types.ts'

/** Limit of the gaps of a partition; the oldest ones are removed. */
export const maxGaps = 1_000

/** How far the rules of a partition of state samples are evaluated. */
export const alertEvaluation = t.object({
  /** `state-samples/<partition>` */
  id: t.text,
  /** Limit of an evaluation; later ones may have followed. */
  evaluatedTo: t.instant,
  /** Times in which silence and staleness do not count, because samples were not processed in time; by start. */
  gaps: t.list(t.object({ startAt: t.instant, endAt: t.instant }), { maxItems: maxGaps }),
})
export type AlertEvaluationRecord = t.Infer<typeof alertEvaluation>

/** The number of the partition of state samples. */
export function partitionOf({ id }: Pick<AlertEvaluationRecord, 'id'>): number {
  return Number(id.slice(id.indexOf('/') + 1))
}
