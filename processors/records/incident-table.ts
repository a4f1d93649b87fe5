import { type IncidentRecord, settledAt } from '../../schema/records/incident.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { PlainTable, type RecordTable } from './table.ts'

/** The incidents in memory: those that are not settled, and recent ones; by id, and by subject. */
export class IncidentTable implements RecordTable<IncidentRecord> {
  readonly #byId = new PlainTable<IncidentRecord>()
  readonly #bySubject = new Map<string, Map<string, IncidentRecord>>()
  readonly #unresolved = new Map<string, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(companyId: string, id: string): IncidentRecord | null {
    return this.#byId.get(companyId, id)
  }

  list(companyId: string): readonly IncidentRecord[] {
    return this.#byId.list(companyId)
  }

  all(): Generator<IncidentRecord, void> {
    return this.#byId.all()
  }

  /** Returns the incidents of a subject. */
  ofSubject(companyId: string, subjectId: string): readonly IncidentRecord[] {
    return [...(this.#bySubject.get(keyOf(companyId, subjectId))?.values() ?? [])]
  }

  /** Returns the number of unresolved incidents of a company. */
  unresolvedCount(companyId: string): number {
    return this.#unresolved.get(companyId) ?? 0
  }

  put(companyId: string, id: string, incident: IncidentRecord): void {
    this.delete(companyId, id)
    this.#byId.put(companyId, id, incident)
    getOrCreate(this.#bySubject, subjectKey(incident), () => new Map()).set(id, incident)
    this.#count(incident, 1)
  }

  delete(companyId: string, id: string): void {
    const incident = this.get(companyId, id)
    if (!incident) return
    this.#byId.delete(companyId, id)
    const key = subjectKey(incident)
    const ofSubject = this.#bySubject.get(key)
    ofSubject?.delete(id)
    if (ofSubject?.size === 0) this.#bySubject.delete(key)
    this.#count(incident, -1)
  }

  /**
   * Removes the incidents that were settled before an instant, and the oldest settled ones above a number. Returns the
   * instant from which on none was removed. Instants are UTC ms.
   */
  removeSettled(beforeMs: number, maxSettled: number): number {
    const settled = [...this.all()].flatMap(incident => {
      const at = settledAt(incident)
      return at === null ? [] : [{ incident, ms: Date.parse(at) }]
    })
    const fromMs = Math.max(beforeMs, startOfNewest(settled, maxSettled))
    for (const { incident, ms } of settled) if (ms < fromMs) this.delete(incident.companyId, incident.id)
    return fromMs
  }

  #count({ companyId, state }: IncidentRecord, by: 1 | -1): void {
    this.#size += by
    if (state === 'open' || state === 'acknowledged')
      this.#unresolved.set(companyId, this.unresolvedCount(companyId) + by)
  }
}

/** Returns when the newest ones of a number begin, UTC ms; -Infinity: there are not more. */
function startOfNewest(settled: readonly { readonly ms: number }[], count: number): number {
  if (settled.length <= count) return -Infinity
  const instants = Float64Array.from(settled, ({ ms }) => ms).sort()
  return instants.at(-count) ?? -Infinity
}

function subjectKey({ companyId, subject }: IncidentRecord): string {
  return keyOf(companyId, subject.id)
}

function keyOf(companyId: string, subjectId: string): string {
  return JSON.stringify([companyId, subjectId])
}
