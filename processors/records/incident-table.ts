import { type IncidentRecord, type IncidentSubject, isUnresolved, settledAt } from '../../schema/records/incident.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { PlainTable } from './table.ts'

type OtherType = Exclude<IncidentSubject['type'], 'machine'>

/** The incidents in memory: those that are not settled, and recent ones; by id, by subject, and those not of machines by type. */
export class IncidentTable extends PlainTable<IncidentRecord> {
  readonly #bySubject = new Map<string, Map<string, IncidentRecord>>()
  readonly #byType = new Map<string, Map<string, IncidentRecord>>()
  readonly #unresolved = new Map<string, Map<string, IncidentRecord>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the incidents of a subject. */
  ofSubject(companyId: string, subjectId: string): readonly IncidentRecord[] {
    return [...(this.#bySubject.get(keyOf(companyId, subjectId))?.values() ?? [])]
  }

  /** Returns the incidents of a company whose subjects have a type. */
  ofType(companyId: string, type: OtherType): readonly IncidentRecord[] {
    return [...(this.#byType.get(keyOf(companyId, type))?.values() ?? [])]
  }

  /** Returns the unresolved incidents of a company. */
  unresolved(companyId: string): readonly IncidentRecord[] {
    return [...(this.#unresolved.get(companyId)?.values() ?? [])]
  }

  /** Returns the number of unresolved incidents of a company. */
  unresolvedCount(companyId: string): number {
    return this.#unresolved.get(companyId)?.size ?? 0
  }

  override put(companyId: string, id: string, incident: IncidentRecord): void {
    this.delete(companyId, id)
    super.put(companyId, id, incident)
    getOrCreate(this.#bySubject, subjectKey(incident), () => new Map()).set(id, incident)
    const { type } = incident.subject
    if (type !== 'machine') getOrCreate(this.#byType, keyOf(companyId, type), () => new Map()).set(id, incident)
    this.#size += 1
    if (isUnresolved(incident)) getOrCreate(this.#unresolved, companyId, () => new Map()).set(id, incident)
  }

  override delete(companyId: string, id: string): void {
    const incident = this.get(companyId, id)
    if (!incident) return
    super.delete(companyId, id)
    const key = subjectKey(incident)
    const ofSubject = this.#bySubject.get(key)
    ofSubject?.delete(id)
    if (ofSubject?.size === 0) this.#bySubject.delete(key)
    this.#byType.get(keyOf(companyId, incident.subject.type))?.delete(id)
    this.#size -= 1
    this.#unresolved.get(companyId)?.delete(id)
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

/** `name`: id or type of a subject. */
function keyOf(companyId: string, name: string): string {
  return JSON.stringify([companyId, name])
}
