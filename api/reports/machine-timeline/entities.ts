import type { Mode } from '../../../schema/document.ts'
import type { MachineTimeline } from '../../../schema/requests/machine-timeline.ts'
import type { CompanyView } from '../company/company-view.ts'
import { reasonNames } from '../groupings/reasons.ts'

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
    const known = this.#shifts.get(ref)
    if (known) return known.id
    const found = this.#view.shifts.get(ref)
    const shift = { id: found?.id ?? String(ref), name: found?.name ?? String(ref) }
    this.#shifts.set(ref, shift)
    return shift.id
  }

  job(ref: number, mode: Mode): string | null {
    if (ref === 0) return null
    const key = `${ref}${mode}`
    const known = this.#jobs.get(key)
    if (known) return known.id
    const run = this.#view.runs.get(ref)
    const isSetup = mode === 'setup'
    const operation = run ? this.#view.operation(run.jobOperationId) : null
    const job = {
      id: `${run?.id ?? ref}${isSetup ? ':setup' : ''}`,
      jobName: operation?.jobName ?? '',
      lotName: operation?.lotName ?? '',
      operationName: operation?.operationName ?? '',
      partName: operation?.partName ?? '',
      isSetup,
    }
    this.#jobs.set(key, job)
    return job.id
  }

  operators(refs: readonly number[]): string | null {
    if (refs.length === 0) return null
    const key = refs.join('+')
    const known = this.#operators.get(key)
    if (known) return known.id
    const found = refs.map(ref => this.#view.operators.get(ref) ?? { id: String(ref), name: String(ref) })
    const operators = { id: found.map(({ id }) => id).join('+'), name: found.map(({ name }) => name).join(', ') }
    this.#operators.set(key, operators)
    return operators.id
  }

  reason(code: number): string {
    const known = this.#reasons.get(code)
    if (known) return known.id
    const reason = reasonNames(this.#view.reasons)(code)
    this.#reasons.set(code, reason)
    return reason.id
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
