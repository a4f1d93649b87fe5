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
  /** Keys that no message can have any more, which still have a state. */
  readonly #former: ReadonlyMap<string, DeliveredKey>
  /** Counters since the start. */
  readonly totals = { observations: 0, gaps: 0 }

  /** `hasMachine`: whether the company has a machine. */
  constructor(
    connector: ConnectorRecord,
    stored: Iterable<readonly [string, StoredKey]>,
    hasMachine?: (id: string) => boolean,
  ) {
    for (const [id, [delivered, state]] of stored) {
      this.#delivered.set(id, delivered)
      this.#states.restore(id, state)
    }
    this.#mapping = new MessageMapping(connector, this.#delivered, hasMachine)
    this.#former = new Map(this.#mapping.removeFormer())
    for (const { machineId } of this.#delivered.values()) this.#machineIds.add(machineId)
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
      if (!each.isRejected) this.#machineIds.add(each.sample.machineId)
    }
    return { samples, changes: this.#takeChanges() }
  }

  /**
   * Marks a gap after the last contact, UTC µs: for all keys, or those whose last message had QoS 0. `machineIds`: the
   * machines with markers.
   */
  markGap(contactUs: number, isQos0Only: boolean): StreamSamples & { readonly machineIds: ReadonlySet<string> } {
    const samples: WireSample[] = []
    const isMarked = (_id: string, { isQos0 }: KeyState) => isQos0 || !isQos0Only
    const machineIds = this.#states.markGap(id => this.#namesOf(id), contactUs, isMarked, samples)
    return { samples, changes: this.#takeChanges(), machineIds }
  }

  /**
   * Ends the keys that no message can have any more, because the settings of the connector have changed: the last value of
   * an EVENT or CONDITION would hold for ever. Those of machines that the connector still reads become UNAVAILABLE. Returns
   * their ids, and the samples.
   */
  endFormer(contactUs: number): { readonly samples: readonly WireSample[]; readonly ids: readonly string[] } {
    const samples: WireSample[] = []
    const isMarked = (id: string) => this.#former.has(id) && this.#mapping.has(this.#deliveredKey(id))
    this.#states.markGap(id => this.#namesOf(id), contactUs, isMarked, samples)
    const ids = [...this.#former.keys()].filter(id => this.#states.remove(id))
    return { samples, ids }
  }

  #namesOf(id: string) {
    const { newestUs: _newest, number: _number, ...names } = this.#deliveredKey(id)
    return names
  }

  #deliveredKey(id: string): DeliveredKey {
    const delivered = this.#delivered.get(id) ?? this.#former.get(id)
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
