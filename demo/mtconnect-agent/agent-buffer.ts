import type { AgentDevice, AgentItem, AgentObservation, NumberedObservation } from './agent-model.ts'

/** A run of an agent: numbers observations, keeps the last ones, and the present ones of each item. */
export class AgentBuffer {
  readonly instanceId: string
  readonly size: number
  /** Sequence of the next observation. */
  next = 1
  readonly #items = new Map<string, AgentItem>()
  /** The last observations, and up to as many that are discarded. */
  #observations: NumberedObservation[] = []
  readonly #present = new Map<string, readonly NumberedObservation[]>()

  constructor(instanceId: string, size: number) {
    this.instanceId = instanceId
    this.size = size
  }

  /** Lowest sequence in the buffer. */
  get first(): number {
    return Math.max(1, this.next - this.size)
  }

  /** Adds the items of devices; those that are new become UNAVAILABLE. */
  addDevices(devices: readonly AgentDevice[], timestamp: string): void {
    for (const item of devices.flatMap(device => device.items)) {
      const isNew = !this.#items.has(item.id)
      this.#items.set(item.id, item)
      const value = item.category === 'CONDITION' ? 'Unavailable' : 'UNAVAILABLE'
      if (isNew) this.add({ dataItemId: item.id, timestamp, value })
    }
  }

  /** Adds an observation and returns it. Throws a `RangeError` if no device has the item. */
  add(observation: AgentObservation): NumberedObservation {
    const item = this.#items.get(observation.dataItemId)
    if (item === undefined) throw new RangeError(`No device has the data item ${observation.dataItemId}`)
    const numbered = { ...observation, sequence: this.next++ }
    this.#observations.push(numbered)
    if (this.#observations.length > 2 * this.size) this.#observations = this.#observations.slice(-this.size)
    const present = item.category === 'CONDITION' ? this.#withCondition(numbered) : [numbered]
    this.#present.set(item.id, present)
    return numbered
  }

  /** Observations from a sequence on, at most `count`. */
  from(sequence: number, count: number): readonly NumberedObservation[] {
    const index = Math.max(sequence, this.first) - (this.#observations[0]?.sequence ?? 0)
    return this.#observations.slice(index, index + count)
  }

  /** The last observation of each item; of a condition those of its active codes. */
  present(): readonly NumberedObservation[] {
    return [...this.#present.values()].flat()
  }

  #withCondition(observation: NumberedObservation): readonly NumberedObservation[] {
    const code = codeOf(observation)
    const isActive = isRaised(observation)
    if (!isActive && code === '') return [observation]
    const before = this.#present.get(observation.dataItemId) ?? []
    const others = before.filter(other => isRaised(other) && codeOf(other) !== code)
    return isActive || others.length === 0 ? [...others, observation] : others
  }
}

function codeOf({ attributes }: AgentObservation): string {
  return attributes?.['nativeCode'] ?? ''
}

function isRaised({ value }: AgentObservation): boolean {
  return value === 'Warning' || value === 'Fault'
}
