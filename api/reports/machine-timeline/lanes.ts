import type { TimelineInterval, MachineTimeline } from '../../../schema/requests/machine-timeline.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { Mode } from '../../../schema/document.ts'
import type { NamedView } from '../company/job-runs.ts'
import { reasonNames } from '../groupings/entity-resolvers.ts'

interface Interval {
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
  readonly #intervals: Interval[] = []
  /** Elements of the latest step or segment. */
  #latest = new Map<string, Interval>()
  #first: Interval | undefined

  /** Adds time of a value; null: there is none. */
  add(startMs: number, endMs: number, ms: number, id: string | null): void {
    if (this.#first && this.#first.startMs !== startMs && this.#first.endMs <= startMs) this.#close()
    if (id === null) return
    const known = this.#latest.get(id)
    if (known) known.ms += ms
    else {
      const interval = { id, startMs, endMs, ms }
      this.#first ??= interval
      this.#latest.set(id, interval)
    }
  }

  intervals(): readonly TimelineInterval[] {
    this.#close()
    return this.#intervals.map(({ id, startMs, endMs, ms }) => ({
      id,
      startAt: isoText(startMs),
      endAt: isoText(endMs),
      durationMs: ms,
    }))
  }

  #close(): void {
    for (const interval of this.#latest.values()) {
      const last = this.#intervals.at(-1)
      const joins =
        last?.id === interval.id &&
        last.endMs === interval.startMs &&
        isFull(last) &&
        isFull(interval) &&
        this.#latest.size === 1
      if (joins) {
        last.endMs = interval.endMs
        last.ms += interval.ms
      } else this.#intervals.push(interval)
    }
    this.#latest.clear()
    this.#first = undefined
  }
}

function isFull({ startMs, endMs, ms }: Interval): boolean {
  return ms === endMs - startMs
}

type Entities = MachineTimeline['entities']

/** Collects the entities of the intervals of a timeline by the refs in documents. Each method returns the id of an interval. */
export class TimelineEntities {
  readonly #view: NamedView
  readonly #shifts = new Map<number, Entities['shift'][string]>()
  readonly #jobs = new Map<string, Entities['job'][string]>()
  readonly #operators = new Map<string, Entities['operator'][string]>()
  readonly #reasons = new Map<number, Entities['reason'][string]>()

  constructor(view: NamedView) {
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
      const { jobName = '', lotName = '', operationName = '', partName = '' } = run?.operation ?? {}
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
