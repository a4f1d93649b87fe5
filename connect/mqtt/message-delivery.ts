import type { IPublishPacket } from 'mqtt'
import { assignedMachines, templateName } from '../../schema/records/connector-machines.ts'
import type { WireSample } from '../../schema/topics.ts'
import type { SourceSession } from '../source/source.ts'
import { MessageRate } from './message-rate.ts'
import { type KeyChanges, MessageStream, type StreamSamples } from './message-stream.ts'
import { type Head, readStored } from './stored-position.ts'
import { hashOf, Unconfirmed } from './unconfirmed.ts'

/** Limit of a payload, bytes. */
const maxPayloadBytes = 1_048_576

/** Delivers the samples of messages. The position follows, then the acknowledgement, when the samples are safe. */
export class MessageDelivery {
  readonly #session: SourceSession
  readonly #stream: MessageStream
  readonly #rate = new MessageRate()
  readonly unconfirmed: Unconfirmed
  /** Last part of the position: its hashes are those of `unconfirmed`. */
  #head: Head
  /** Whether an earlier connection has stored a position. */
  readonly #isKnown: boolean
  #receivedUs = 0
  #safe: Promise<void> = Promise.resolve()
  #reasons = 0

  constructor(session: SourceSession) {
    this.#session = session
    const stored = readStored(session.position)
    if (stored === null && session.position.isLost)
      session.warn('The stored position cannot be read: values without a time may count twice')
    this.#isKnown = stored !== null
    this.unconfirmed = new Unconfirmed(stored?.head ?? { hashes: [] }, session.notes)
    const head = stored?.head ?? { contactUs: 0, perSecond: 0, filters: [] }
    const lastUs = (session.notes.at(-1)?.atMs ?? 0) * 1_000
    this.#head = { ...head, contactUs: Math.max(head.contactUs, lastUs), hashes: this.unconfirmed.hashes }
    this.#stream = new MessageStream(session.connector, stored?.keys ?? [], id => session.hasMachine(id))
  }

  get head(): Head {
    return this.#head
  }

  /** Resolves when all samples are safe and the position describes them. */
  async settle(): Promise<void> {
    await this.#safe
  }

  /** The broker has accepted a connection; `hasSession`: it has kept the messages since the previous one. */
  begin(hasSession: boolean): void {
    if (!hasSession) this.unconfirmed.clear()
    if (this.#isKnown) {
      this.#endFormerKeys()
      this.#reportLosses(hasSession)
    }
    this.heard()
  }

  subscribed(filters: readonly string[]): void {
    this.#follow(this.#session.deliver([]), () => this.#setHead({ filters }))
  }

  /** Delivers the samples of a message, and calls `acknowledge` when they are safe. */
  receive({ topic, payload, qos, retain, dup, messageId }: IPublishPacket, acknowledge: () => void): void {
    const { samplesTopic } = this.#session.connector.options
    const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(payload)
    const hash = qos > 0 && messageId !== undefined ? hashOf(messageId, topic, bytes) : null
    const note = hash === null ? undefined : this.unconfirmed.noteOf(hash)
    this.#rate.add(this.#session.clock())
    if (hash !== null && dup && this.unconfirmed.isRepeated(hash)) {
      this.#session.totals.duplicates++
      this.#follow(this.#session.deliver([]), () => this.#acknowledge(hash, acknowledge))
    } else if (topic === samplesTopic) {
      this.#session.totals.observations++
      this.#follow(this.#deliverBody(bytes), () => this.#acknowledge(hash, acknowledge))
    } else {
      const message = { topic, payload: bytes, receivedUs: this.#nextUs(), isRetained: retain, isQos0: qos === 0 }
      const { samples, changes } = this.#apply(() => this.#stream.apply(message))
      this.#follow(this.#session.deliver(samples, note), () => {
        this.#store(changes)
        this.#acknowledge(hash, acknowledge)
      })
    }
  }

  /** The broker has confirmed acknowledgements. */
  confirmed(): void {
    const before = this.unconfirmed.hashes.length
    this.unconfirmed.pingAnswered()
    if (this.unconfirmed.hashes.length < before) this.#session.positionChanged()
  }

  /** The broker was heard: the heartbeats follow the samples before. */
  heard(): void {
    const { clock, connector } = this.#session
    const contactMs = clock()
    const contact = { contactUs: contactMs * 1_000, perSecond: this.#rate.perSecond(contactMs) }
    this.#follow(this.#session.deliver([]), () => this.#setHead(contact))
    this.#session.heard(machinesOf(connector, this.#stream.machineIds))
  }

  #deliverBody(body: Buffer): Promise<void> {
    if (body.length <= maxPayloadBytes) return this.#session.deliverBody(body)
    this.#session.warn(`A message in the topic of samples is larger than ${maxPayloadBytes} bytes`)
    this.#reject('invalid_body')
    return this.#session.deliver([])
  }

  #acknowledge(hash: string | null, acknowledge: () => void): void {
    if (hash === null) return
    this.unconfirmed.acknowledged(hash)
    this.#setHead({})
    acknowledge()
  }

  /** The time of receipt; later than the previous one, so that equal values of one millisecond are two. */
  #nextUs(): number {
    this.#receivedUs = Math.max(this.#session.clock() * 1_000, this.#receivedUs + 1)
    return this.#receivedUs
  }

  #apply<T extends StreamSamples>(apply: () => T): T {
    const stream = this.#stream
    const before = {
      ...stream.totals,
      duplicates: stream.duplicates,
      backwards: stream.backwards,
      unmapped: stream.unmapped.total,
    }
    const applied = apply()
    const { totals } = this.#session
    totals.observations += stream.totals.observations - before.observations
    totals.duplicates += stream.duplicates - before.duplicates
    totals.backwards += stream.backwards - before.backwards
    totals.unmapped += stream.unmapped.total - before.unmapped
    if (stream.unmapped.total > before.unmapped) this.#warnUnmapped()
    return applied
  }

  /** Shows the first example of each reason. */
  #warnUnmapped(): void {
    const { byReason } = this.#stream.unmapped
    for (const [reason, { example }] of [...byReason].slice(this.#reasons))
      this.#session.warn(`A message gave no sample: ${reason}: ${example}`)
    this.#reasons = byReason.size
  }

  /** After a change of the settings. */
  #endFormerKeys(): void {
    const { samples, ids } = this.#stream.endFormer(this.#head.contactUs)
    if (ids.length === 0) return
    this.#follow(this.#session.deliver(samples), () => {
      for (const id of ids) this.#session.position.state.delete(id)
      this.#setHead({})
    })
  }

  #reportLosses(hasSession: boolean): void {
    const { contactUs, perSecond } = this.#head
    const toMs = this.#session.clock()
    const fromMs = Math.min(toMs, contactUs / 1_000)
    const { samples, changes, machineIds } = this.#stream.markGap(contactUs, hasSession)
    this.#follow(this.#session.deliver(samples), () => this.#store(changes))
    if (!hasSession) this.#session.lost({ fromMs, toMs, lost: null })
    else if (machineIds.size > 0) this.#session.lost({ machineIds: [...machineIds], fromMs, toMs, lost: null })
    const { brokerQueue } = this.#session.connector.options
    if (!hasSession || brokerQueue === 0 || (perSecond * (toMs - fromMs)) / 1_000 < brokerQueue) return
    this.#session.lost({ fromMs, toMs, lost: null, isUncertain: true })
    this.#session.warn(
      `broker_queue: the broker may have discarded messages, because it was not read for ${Math.round((toMs - fromMs) / 1_000)} s. ` +
        'Raise the limit of its queue, and options.brokerQueue to the same number',
    )
  }

  /** Changes the position when samples are safe. A rejection: the connector stops, and continues from the stored position later. */
  #follow(safe: Promise<void>, change: () => void): void {
    const changed = safe.then(change, () => undefined)
    // Without the results, which would contain those of all earlier deliveries.
    this.#safe = Promise.all([this.#safe, changed]).then(() => undefined)
  }

  #store(changes: KeyChanges): void {
    for (const [id, key] of changes) this.#session.position.state.set(id, key)
    if (changes.length > 0) this.#setHead({})
  }

  #setHead(changes: Partial<Head>): void {
    const { received } = this.unconfirmed
    this.#head = { ...this.#head, ...changes, received }
    Object.assign(this.#session.position, { head: this.#head, noted: received })
    this.#session.positionChanged()
  }

  #reject(reason: string): void {
    const { rejected } = this.#session.totals
    rejected[reason] = (rejected[reason] ?? 0) + 1
  }
}

/** The machines of a connector; undefined: only those that it names. */
function machinesOf(
  connector: SourceSession['connector'],
  delivered: ReadonlySet<string>,
): readonly WireSample['machineId'][] | undefined {
  if (connector.machines.every(({ machineId }) => templateName(machineId) === undefined)) return undefined
  return [...new Set([...[...assignedMachines(connector)].map(([, machineId]) => machineId), ...delivered])]
}
