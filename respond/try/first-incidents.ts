import type { AlertStep } from '../../schema/records/alert-rule.ts'
import type { Span } from '../spans/spans.ts'
import { plannedNotices, type PlannedNotice, startingEpisodes } from '../steps/planned-notices.ts'

/** The parts of a rule that decide its notices. */
export interface NotifyingRule {
  readonly steps: readonly AlertStep[]
  readonly resolveAfterMs: number
}

/** An incident of a subject; `limitMs`: until when its history is known, UTC ms. */
export interface TriedIncident<Subject> {
  readonly subject: Subject
  readonly span: Span
  readonly limitMs: number
}

/**
 * The incidents of a rule that open first, at most `max`, in memory for twice as many. Of their episodes, of which a
 * flapping condition may have thousands, only those in which steps start stay.
 */
export class FirstIncidents<Subject extends { readonly id: string }> {
  readonly #rule: NotifyingRule
  readonly #max: number
  #kept: TriedIncident<Subject>[] = []
  #hasMore = false

  constructor(rule: NotifyingRule, max: number) {
    this.#rule = rule
    this.#max = max
  }

  /** Whether there are more than `max`. */
  get hasMore(): boolean {
    return this.#hasMore || this.#kept.length > this.#max
  }

  add({ subject, span, limitMs }: TriedIncident<Subject>): void {
    const { steps, resolveAfterMs } = this.#rule
    const episodes = startingEpisodes(steps, span, resolveAfterMs, limitMs)
    this.#kept.push({ subject, span: { ...span, episodes }, limitMs })
    if (this.#kept.length >= 2 * this.#max) this.#kept = this.#first()
  }

  /** Returns the first ones by opening, then subject. */
  list(): readonly TriedIncident<Subject>[] {
    return this.#first()
  }

  #first(): TriedIncident<Subject>[] {
    this.#hasMore = this.hasMore
    return this.#kept.toSorted(byOpening).slice(0, this.#max)
  }
}

function byOpening(a: TriedIncident<{ readonly id: string }>, b: TriedIncident<{ readonly id: string }>): number {
  return a.span.openedMs - b.span.openedMs || (a.subject.id < b.subject.id ? -1 : 1)
}

/** Notices of each of several incidents. */
export interface FirstNotices {
  readonly notices: readonly (readonly PlannedNotice[])[]
  /** Whether there are more than `max`. */
  readonly hasMore: boolean
}

/** Returns the notices of the incidents, if they are never acknowledged; of more than `max`, those of the first incidents. */
export function firstNotices(
  { steps, resolveAfterMs }: NotifyingRule,
  incidents: readonly Pick<TriedIncident<unknown>, 'span' | 'limitMs'>[],
  max: number,
): FirstNotices {
  let remaining = max
  let hasMore = false
  const notices = incidents.map(({ span, limitMs }) => {
    if (hasMore) return []
    const found = plannedNotices(steps, span, resolveAfterMs, limitMs, remaining + 1)
    hasMore = found.length > remaining
    const kept = found.slice(0, remaining)
    remaining -= kept.length
    return kept
  })
  return { notices, hasMore }
}
