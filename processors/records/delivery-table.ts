import { type DeliveryRecord, isUndecided } from '../../schema/records/delivery.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { PlainTable } from './table.ts'

/** A target of a company. */
export interface TargetName {
  readonly companyId: string
  readonly targetId: string
}

interface OfTarget extends TargetName {
  readonly deliveries: Map<string, DeliveryRecord>
  readonly undecided: Set<string>
}

/** The deliveries in memory: those that are undecided, and recent ones; by id, and by target. */
export class DeliveryTable extends PlainTable<DeliveryRecord> {
  readonly #byTarget = new Map<string, OfTarget>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the deliveries of a target that were due at an instant (ISO text) or later, in no order. */
  dueFrom(target: TargetName, instant: string): readonly DeliveryRecord[] {
    const found: DeliveryRecord[] = []
    for (const delivery of this.#byTarget.get(targetKey(target))?.deliveries.values() ?? [])
      if (delivery.dueAt >= instant) found.push(delivery)
    return found
  }

  /** Returns the undecided deliveries of a target, in the order of their creation. */
  undecidedOfTarget(target: TargetName): readonly DeliveryRecord[] {
    const ofTarget = this.#byTarget.get(targetKey(target))
    return [...(ofTarget?.undecided ?? [])]
      .flatMap(id => ofTarget?.deliveries.get(id) ?? [])
      .sort((a, b) => (a.createdAt === b.createdAt ? a.index - b.index : a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Returns the targets that have undecided deliveries. */
  targetsWithUndecided(): readonly TargetName[] {
    return [...this.#byTarget.values()].filter(({ undecided }) => undecided.size > 0)
  }

  override put(companyId: string, id: string, delivery: DeliveryRecord): void {
    if (!this.get(companyId, id)) this.#size++
    super.put(companyId, id, delivery)
    const { targetId } = delivery
    const create = (): OfTarget => ({ companyId, targetId, deliveries: new Map(), undecided: new Set() })
    const ofTarget = getOrCreate(this.#byTarget, targetKey({ companyId, targetId }), create)
    ofTarget.deliveries.set(id, delivery)
    if (isUndecided(delivery)) ofTarget.undecided.add(id)
    else ofTarget.undecided.delete(id)
  }

  override delete(companyId: string, id: string): void {
    const delivery = this.get(companyId, id)
    if (!delivery) return
    this.#size--
    super.delete(companyId, id)
    const key = targetKey({ companyId, targetId: delivery.targetId })
    const ofTarget = this.#byTarget.get(key)
    ofTarget?.deliveries.delete(id)
    ofTarget?.undecided.delete(id)
    if (ofTarget?.deliveries.size === 0) this.#byTarget.delete(key)
  }

  /** Removes the decided deliveries that were created before an instant (ISO text). */
  removeCreatedBefore(instant: string): void {
    for (const delivery of this.all())
      if (delivery.createdAt < instant && !isUndecided(delivery)) this.delete(delivery.companyId, delivery.id)
  }
}

/** Returns a text that names a target. */
export function targetKey({ companyId, targetId }: TargetName): string {
  return JSON.stringify([companyId, targetId])
}
