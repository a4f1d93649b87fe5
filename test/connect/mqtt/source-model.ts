/** A sample that a connector must deliver. */
export interface Expected {
  readonly value: string
  readonly code: string
  /** UTC µs; null: only its place among the samples of the key is known. */
  readonly atUs: number | null
}

interface ModelKey {
  readonly samples: Expected[]
  readonly holds: boolean
  isQos0: boolean
}

/**
 * Naive model of what a connector must deliver: the test reports what devices publish and what happens to the broker.
 * Shares no code with the connector.
 */
export class SourceModel {
  readonly #keys = new Map<string, ModelKey>()

  /** A device publishes a value; equal ones of one time are one. */
  publish(
    key: string,
    value: string,
    { atUs = null, code = '', isQos0 = false, holds = true }: PublishedValue = {},
  ): void {
    const found = this.#keys.get(key) ?? { samples: [], holds, isQos0 }
    this.#keys.set(key, found)
    found.isQos0 = isQos0
    const isKnown = (each: Expected) => each.atUs === atUs && each.value === value && each.code === code
    if (atUs === null || !found.samples.some(isKnown)) found.samples.push({ value, code, atUs })
  }

  /** The connector may have missed messages: those of QoS 0, or all. */
  lose(which: 'qos0' | 'all'): void {
    for (const { samples, holds, isQos0 } of this.#keys.values())
      if (holds && (which === 'all' || isQos0)) samples.push({ value: 'UNAVAILABLE', code: '', atUs: null })
  }

  /** The device is offline. */
  loseDevice(): void {
    for (const { samples } of this.#keys.values()) samples.push({ value: 'UNAVAILABLE', code: '', atUs: null })
  }

  get keys(): readonly string[] {
    return [...this.#keys.keys()].sort()
  }

  /** Expected samples of a key in their order of time. */
  of(key: string): readonly Expected[] {
    const samples = this.#keys.get(key)?.samples ?? []
    const isKnown = samples.every(({ atUs }) => atUs !== null)
    return isKnown ? samples.toSorted((a, b) => (a.atUs ?? 0) - (b.atUs ?? 0)) : samples
  }

  get count(): number {
    return [...this.#keys.values()].reduce((sum, { samples }) => sum + samples.length, 0)
  }
}

export interface PublishedValue {
  readonly atUs?: number | null
  readonly code?: string
  readonly isQos0?: boolean
  /** Whether the key is an EVENT or CONDITION. */
  readonly holds?: boolean
}
