import { instant, int, list, nullable, object, schema, text, uuid } from './json-schema.ts'

/** A rebuild, in machine-hours. */
export interface RebuildAnswer {
  readonly id: string
  readonly of: 'company' | 'installation'
  readonly requestedAt: string
  readonly finishedAt: string | null
  /** null: not every processor has begun. */
  readonly totalHours: number | null
  readonly doneHours: number
}

/** What is being made again. */
export interface RecomputesAnswer {
  /** Machine-hours that wait for a change of records or late samples; the reports are behind by them. */
  readonly dirtyHours: number
  readonly since: string | null
  /** The latest first. */
  readonly rebuilds: readonly RebuildAnswer[]
}

const rebuildJson = object({
  id: uuid,
  of: { ...text, enum: ['company', 'installation'] },
  requestedAt: instant,
  finishedAt: nullable(instant),
  totalHours: nullable(int),
  doneHours: int,
})

export const rebuildAnswer = schema<RebuildAnswer>(rebuildJson)

export const recomputesAnswer = schema<RecomputesAnswer>(
  object({ dirtyHours: int, since: nullable(instant), rebuilds: list(rebuildJson) }),
)
