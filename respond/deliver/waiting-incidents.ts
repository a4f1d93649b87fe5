import { type TargetName, targetKey } from '../../processors/records/delivery-table.ts'
import type { Records } from '../../processors/records/records.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'

interface WaitingTarget extends TargetName {
  readonly incidents: Map<string, IncidentRecord>
}

/** The incidents with notices that no delivery contains yet, by target. */
export class WaitingIncidents {
  readonly #targets = new Map<string, WaitingTarget>()
  readonly #onChange: (target: TargetName) => void
  readonly #stopListening: () => void

  /** `onChange`: called when the waiting notices of a target may have changed. */
  constructor(records: Records, onChange: (target: TargetName) => void) {
    this.#onChange = onChange
    this.#stopListening = records.onChange(change => {
      if (change.kind === 'incident') this.#replace(change.before, change.after)
    })
    for (const { id } of records.companies())
      for (const incident of records.list('incident', id)) this.#replace(null, incident)
  }

  stop(): void {
    this.#stopListening()
  }

  targets(): IterableIterator<TargetName> {
    return this.#targets.values()
  }

  ofTarget(target: TargetName): readonly IncidentRecord[] {
    return [...(this.#targets.get(targetKey(target))?.incidents.values() ?? [])]
  }

  #replace(before: IncidentRecord | null, after: IncidentRecord | null): void {
    const record = after ?? before
    if (!record) return
    const { companyId, id } = record
    const waiting = waitingTargets(after)
    for (const targetId of waitingTargets(before)) if (!waiting.has(targetId)) this.#remove({ companyId, targetId }, id)
    if (after) for (const targetId of waiting) this.#add({ companyId, targetId }, after)
  }

  #add(target: TargetName, incident: IncidentRecord): void {
    const create = (): WaitingTarget => ({ ...target, incidents: new Map() })
    getOrCreate(this.#targets, targetKey(target), create).incidents.set(incident.id, incident)
    this.#onChange(target)
  }

  #remove(target: TargetName, incidentId: string): void {
    const waiting = this.#targets.get(targetKey(target))
    waiting?.incidents.delete(incidentId)
    if (waiting?.incidents.size === 0) this.#targets.delete(targetKey(target))
    this.#onChange(target)
  }
}

function waitingTargets(incident: IncidentRecord | null): ReadonlySet<string> {
  const waiting = incident?.notices.filter(({ deliveryId }) => deliveryId === null) ?? []
  return new Set(waiting.map(({ targetId }) => targetId))
}
