import { type DeliveredKey, MessageMapping } from '../../ingest/mapping/message-mapping.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import type { KeyState } from './key-state.ts'
import { KeyStates, type Origin } from './key-states.ts'

/** A message of the broker. */
export interface BrokerMessage extends Origin {
  readonly topic: string
  readonly payload: Buffer
}

/** State of a key: that of the rules, and that of its samples. */
export type StoredKey = readonly [DeliveredKey, KeyState]

/** Changed keys after a message. */
export type KeyChanges = readonly (readonly [id: string, key: StoredKey])[]

/** Samples, and the state of their keys after them. */
export interface StreamSamples {
  readonly samples: readonly WireSample[]
  readonly changes: KeyChanges
}

/**
 * Converts the messages of a broker to samples. A pure function of the stored keys and the messages: it reads no clock,
 * and a message that is read again at the same time gives the same samples.
 */
export class MessageStream {
  readonly #delivered = new Map<string, DeliveredKey>()
  readonly #states = new KeyStates()
  readonly #mapping: MessageMapping
  readonly #machineIds = new Set<string>()
  /** Counters since the start. */
  readonly totals = { observations: 0, gaps: 0 }

  constructor(connector: ConnectorRecord, stored: Iterable<readonly [string, StoredKey]>) {
    for (const [id, [delivered, state]] of stored) {
      this.#delivered.set(id, delivered)
      this.#states.restore(id, state)
      this.#machineIds.add(delivered.machineId)
    }
    this.#mapping = new MessageMapping(connector, this.#delivered)
  }

  /** Machines that have samples. */
  get machineIds(): ReadonlySet<string> {
    return this.#machineIds
  }

  /** Values that gave no sample. */
  get unmapped(): MessageMapping['unmapped'] {
    return this.#mapping.unmapped
  }

  get duplicates(): number {
    return this.#states.totals.duplicates
  }

  get backwards(): number {
    return this.#states.totals.backwards
  }

  apply(message: BrokerMessage): StreamSamples {
    const samples: WireSample[] = []
    const observed = this.#mapping.observe(message)
    this.totals.observations += observed.length
    for (const each of observed) {
      this.#states.observe(each, message, samples)
      this.#machineIds.add(each.sample.machineId)
    }
    return { samples, changes: this.#takeChanges() }
  }

  /**
   * Marks a gap after the last contact, UTC µs: for all keys, or those whose last message had QoS 0. `machineIds`: the
   * machines with markers.
   */
  markGap(contactUs: number, isQos0Only: boolean): StreamSamples & { readonly machineIds: ReadonlySet<string> } {
    const samples: WireSample[] = []
    const machineIds = this.#states.markGap(id => this.#namesOf(id), contactUs, isQos0Only, samples)
    return { samples, changes: this.#takeChanges(), machineIds }
  }

  #namesOf(id: string) {
    const { newestUs: _newest, number: _number, ...names } = this.#deliveredKey(id)
    return names
  }

  #deliveredKey(id: string): DeliveredKey {
    const delivered = this.#delivered.get(id)
    if (delivered === undefined) throw new Error('invariant: a key with a state was delivered')
    return delivered
  }

  #takeChanges(): KeyChanges {
    return this.#states.takeChanged().map(id => {
      const state = this.#states.get(id)
      if (state === undefined) throw new Error('invariant: a changed key has a state')
      return [id, [this.#deliveredKey(id), state]] as const
    })
  }
}
