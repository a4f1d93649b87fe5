import type { TimelinePiece, MachineTimeline } from '../../../schema/requests/machine-timeline.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { Mode } from '../../../schema/document.ts'
import type { CompanyView } from '../company/company-view.ts'
import { reasonNames } from '../groupings/entity-resolvers.ts'

interface Piece {
  readonly id: string
  readonly startMs: number
  endMs: number
  ms: number
}

/**
 * One lane of a timeline: time by value. Parts come by start; those of one step share its start and end. Neighbours of one value that
 * fill their time are joined.
 */
export class Lane {
  readonly #pieces: Piece[] = []
  /** Pieces of the step, or of the segment, that came last. */
  #latest = new Map<string, Piece>()
  #first: Piece | undefined

  /** Adds time of a value; null: there is none. */
  add(startMs: number, endMs: number, ms: number, id: string | null): void {
    if (this.#first && this.#first.startMs !== startMs && this.#first.endMs <= startMs) this.#close()
    if (id === null) return
    const known = this.#latest.get(id)
    if (known) known.ms += ms
    else {
      const piece = { id, startMs, endMs, ms }
      this.#first ??= piece
      this.#latest.set(id, piece)
    }
  }

  pieces(): readonly TimelinePiece[] {
    this.#close()
    return this.#pieces.map(({ id, startMs, endMs, ms }) => ({
      id,
      startAt: isoText(startMs),
      endAt: isoText(endMs),
      durationMs: ms,
    }))
  }

  #close(): void {
    for (const piece of this.#latest.values()) {
      const last = this.#pieces.at(-1)
      const joins =
        last?.id === piece.id &&
        last.endMs === piece.startMs &&
        isFull(last) &&
        isFull(piece) &&
        this.#latest.size === 1
      if (joins) {
        last.endMs = piece.endMs
        last.ms += piece.ms
      } else this.#pieces.push(piece)
    }
    this.#latest.clear()
    this.#first = undefined
  }
}

function isFull({ startMs, endMs, ms }: Piece): boolean {
  return ms === endMs - startMs
}

type Entities = MachineTimeline['entities']

/** Gathers what the pieces of a timeline stand for, by the refs that documents hold. Each answers the id of a piece. */
export class TimelineEntities {
  readonly #view: CompanyView
  readonly #shifts = new Map<number, Entities['shift'][string]>()
  readonly #jobs = new Map<string, Entities['job'][string]>()
  readonly #operators = new Map<string, Entities['operator'][string]>()
  readonly #reasons = new Map<number, Entities['reason'][string]>()

  constructor(view: CompanyView) {
    this.#view = view
  }

  shift(ref: number): string | null {
    if (ref === 0) return null
    return idOf(this.#shifts, ref, () => {
      const found = this.#view.shifts.get(ref)
      return { id: found?.id ?? String(ref), name: found?.name ?? String(ref) }
    })
  }

  job(ref: number, mode: Mode): string | null {
    if (ref === 0) return null
    return idOf(this.#jobs, `${ref}${mode}`, () => {
      const run = this.#view.runs.get(ref)
      const isSetup = mode === 'setup'
      const operation = run ? this.#view.operation(run.jobOperationId) : null
      const { jobName = '', lotName = '', operationName = '', partName = '' } = operation ?? {}
      const id = `${run?.id ?? ref}${isSetup ? ':setup' : ''}`
      return { id, jobName, lotName, operationName, partName, isSetup }
    })
  }

  operators(refs: readonly number[]): string | null {
    if (refs.length === 0) return null
    return idOf(this.#operators, refs.join('+'), () => {
      const found = refs.map(ref => this.#view.operators.get(ref) ?? { id: String(ref), name: String(ref) })
      return { id: found.map(({ id }) => id).join('+'), name: found.map(({ name }) => name).join(', ') }
    })
  }

  reason(code: number): string {
    return idOf(this.#reasons, code, () => reasonNames(this.#view.reasons)(code))
  }

  all(): Entities {
    const byId = <T extends { readonly id: string }>(entities: Iterable<T>) =>
      Object.fromEntries([...entities].map(entity => [entity.id, entity]))
    return {
      shift: byId(this.#shifts.values()),
      job: byId(this.#jobs.values()),
      operator: byId(this.#operators.values()),
      reason: byId(this.#reasons.values()),
    }
  }
}

/** The id of a cached entity, which is created at the first access. */
function idOf<Key, Entity extends { readonly id: string }>(
  known: Map<Key, Entity>,
  key: Key,
  create: () => Entity,
): string {
  const entity = known.get(key) ?? create()
  known.set(key, entity)
  return entity.id
}
