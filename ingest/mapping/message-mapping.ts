import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import { latestUs } from '../decode/validate.ts'
import { timestampText } from '../shdr/timestamps.ts'
import { type CompiledRule, readTime, readValues } from './compile-rule.ts'
import { Problem, toNumber } from './convert-value.ts'
import { findElements } from './find-values.ts'
import { type NamedKey, type SampleNames, type TopicMachine, TopicRoutes } from './topic-routes.ts'
import { Unmapped } from './unmapped.ts'

/** A message of a broker. */
export interface Message {
  readonly topic: string
  readonly payload: Buffer
  /** UTC µs. */
  readonly receivedUs: number
}

interface SampleTime {
  /** UTC µs. */
  readonly atUs: number
  /** Whether the payload has the time; otherwise it is that of receipt. */
  readonly hasTime: boolean
}

/** A sample of a message. */
export interface MappedSample extends SampleTime {
  /** Names the machine and its key in `DeliveredKeys`. */
  readonly id: string
  readonly sample: WireSample
  /** Whether ingest rejects it, for its time or its machine: then it has no effect on later samples. */
  readonly isRejected: boolean
}

/** Last sample that a mapping has delivered for a key of a machine. */
export interface DeliveredKey extends SampleNames {
  /** Time of the newest sample, UTC µs. */
  readonly newestUs: number
  /** Value of the last sample, for `deadband`; null: it was not a number. */
  readonly number: number | null
}

/** The keys that a mapping has delivered; a `Map` or a part of a stored position. */
export interface DeliveredKeys {
  get(id: string): DeliveredKey | undefined
  set(id: string, key: DeliveredKey): unknown
  delete(id: string): unknown
  entries(): Iterable<readonly [string, DeliveredKey]>
}

/** The rule of a message and the machine to which it applies. */
interface Target {
  readonly compiled: CompiledRule
  readonly machine: TopicMachine
  readonly named: NamedKey | null
}

/** Limits of a message. */
const payloadBounds: JsonBounds = { ...defaultJsonBounds, bytes: 1_048_576 }
const maxSamples = 2_000

/** Limit of the keys of a connector. */
const maxKeys = 20_000

/**
 * Maps the messages of a connector to samples by its rules. What a message gives depends only on the message, the rules
 * and `delivered`. Never throws for a message. `map` changes `delivered` as if its samples were acknowledged: if they are
 * not, the caller continues with a mapping of the last acknowledged `delivered`.
 */
export class MessageMapping {
  readonly unmapped = new Unmapped()
  readonly #routes: TopicRoutes
  readonly #usesReceipt: boolean
  readonly #delivered: DeliveredKeys
  readonly #hasMachine: (id: string) => boolean
  #keyCount: number

  /** `hasMachine`: whether the company has a machine. */
  constructor(
    connector: Pick<ConnectorRecord, 'rules' | 'machines' | 'options'>,
    delivered: DeliveredKeys,
    hasMachine: (id: string) => boolean = () => true,
  ) {
    this.#hasMachine = hasMachine
    this.#routes = new TopicRoutes(connector)
    this.#usesReceipt = connector.options.time === 'received'
    this.#delivered = delivered
    this.#keyCount = [...delivered.entries()].length
  }

  /** Removes the keys that no message can have any more, by the rules and machines, and returns them. */
  removeFormer(): readonly (readonly [id: string, key: DeliveredKey])[] {
    const former = [...this.#delivered.entries()].filter(([, key]) => !this.#routes.mayName(key) || !this.has(key))
    for (const [id] of former) this.#delivered.delete(id)
    this.#keyCount -= former.length
    return former
  }

  /** Whether the connector reads a machine, and the company has it. */
  has({ machineId }: Pick<SampleNames, 'machineId'>): boolean {
    return this.#routes.mayRead(machineId) && this.#hasMachine(machineId)
  }

  /** Returns the samples of `observe`. */
  map(message: Message): readonly WireSample[] {
    return this.observe(message).map(({ sample }) => sample)
  }

  /** Returns at most 2,000 samples of a message, in the order of its elements, and adds them to `delivered`. */
  observe(message: Message): readonly MappedSample[] {
    const { topic, payload } = message
    const { rules, machine } = this.#routes.of(topic)
    const rule = findRule(rules, payload)
    if (rule === undefined) return this.#skip('no rule matches the topic and payload', message)
    if (machine === null) return this.#skip('machines has no entry for the topic', message)
    const json = readPayload(payload, rule)
    if (json instanceof Problem) return this.#skip(json.text, message)
    if (rule.rule.unavailable === true) return this.#mapUnavailable(rule, machine, json, message)
    return this.#mapElements(rule, machine, json, message)
  }

  #mapElements(
    compiled: CompiledRule,
    machine: TopicMachine,
    json: unknown,
    message: Message,
  ): readonly MappedSample[] {
    const { each } = compiled
    const target = { compiled, machine, named: this.#routes.namesOf(compiled, machine.id) }
    const samples: MappedSample[] = []
    if (each === null) {
      this.#addSample(samples, this.#mapElement(target, json, json, message), message)
      return samples
    }
    let elements = 0
    for (const element of findElements(json, each.steps)) {
      if (++elements > maxSamples) {
        this.#skip(`the message has more than ${maxSamples} elements`, message)
        break
      }
      const sample = element === undefined ? each.noMatch : this.#mapElement(target, json, element, message)
      this.#addSample(samples, sample, message)
    }
    return samples
  }

  #addSample(samples: MappedSample[], sample: MappedSample | Problem | null, message: Message): void {
    if (sample instanceof Problem) this.#skip(sample.text, message)
    else if (sample !== null) samples.push(sample)
  }

  /** Returns null for a value within the deadband. */
  #mapElement(
    { compiled, machine, named }: Target,
    json: unknown,
    element: unknown,
    { receivedUs }: Message,
  ): MappedSample | Problem | null {
    const { rule } = compiled
    const values = readValues(compiled, json, element)
    if (values instanceof Problem) return values
    const ownUs = this.#timeOf(compiled, machine, json, element)
    if (ownUs instanceof Problem) return ownUs
    if (named === null) return noName
    const atUs = ownUs ?? receivedUs
    const { value, texts } = values
    const timestamp = timestampText(atUs)
    const sample = sampleOf(named.names, timestamp, value)
    if (texts !== null) Object.assign(sample, texts)
    const isRejected = isAhead(atUs, receivedUs) || !this.#hasMachine(machine.id)
    const mapped = { id: named.id, sample, atUs, hasTime: ownUs !== null, isRejected }
    return isRejected ? mapped : this.#deliver(named.names, mapped, rule.deadband)
  }

  #deliver(names: SampleNames, mapped: MappedSample, deadband = 0): MappedSample | Problem | null {
    const { atUs, id, sample } = mapped
    const before = this.#delivered.get(id)
    const number = toNumber(sample.value)
    const last = before?.number ?? null
    if (number !== null && last !== null && Math.abs(number - last) < deadband) return null
    if (before === undefined && this.#keyCount >= maxKeys) return tooManyKeys
    if (before === undefined) this.#keyCount++
    this.#delivered.set(id, deliveredKey(names, Math.max(atUs, before?.newestUs ?? 0), number))
    return mapped
  }

  /** Returns UNAVAILABLE for all keys of the machine: at the rule's time, otherwise at receipt and after the key's newest sample. */
  #mapUnavailable(rule: CompiledRule, machine: TopicMachine, json: unknown, message: Message): readonly MappedSample[] {
    const ownUs = this.#timeOf(rule, machine, json, json)
    if (ownUs instanceof Problem) return this.#skip(ownUs.text, message)
    const known = [...this.#delivered.entries()].filter(([, { machineId }]) => machineId === machine.id)
    if (known.length > maxSamples) this.#skip(`the machine has more than ${maxSamples} keys`, message)
    return known.slice(0, maxSamples).map(([id, delivered]) => {
      const { newestUs, number: _, ...named } = delivered
      const atUs = ownUs ?? Math.max(message.receivedUs, newestUs + 1)
      const isRejected = isAhead(atUs, message.receivedUs)
      if (!isRejected) this.#delivered.set(id, { ...named, newestUs: Math.max(atUs, newestUs), number: null })
      const sample = { ...named, timestamp: timestampText(atUs), value: unavailableValue }
      return { id, sample, atUs, hasTime: ownUs !== null, isRejected }
    })
  }

  /** Returns the time of the payload in UTC µs; null: the time of receipt applies. */
  #timeOf(rule: CompiledRule, machine: TopicMachine, json: unknown, element: unknown): number | Problem | null {
    if (rule.time === null || this.#usesReceipt) return null
    const us = readTime(rule, json, element)
    return us instanceof Problem ? us : us + machine.offsetUs
  }

  #skip(reason: string, { topic, payload }: Message): readonly [] {
    this.unmapped.add(reason, () => `${topic} ${payload.toString('utf8', 0, maxExampleBytes)}`)
    return []
  }
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

/** Returns a sample with names. A copy by a spread costs more than all other steps. */
function sampleOf(names: SampleNames, timestamp: string, value: string | number): WireSample {
  const { machineId, key, type, subtype, category } = names
  const sample: Writable<WireSample> = { machineId, key, type, timestamp, value }
  if (subtype !== undefined) sample.subtype = subtype
  if (category !== undefined) sample.category = category
  return sample
}

function deliveredKey(names: SampleNames, newestUs: number, number: number | null): DeliveredKey {
  const { machineId, key, type, subtype, category } = names
  const delivered: Writable<DeliveredKey> = { machineId, key, type, newestUs, number }
  if (subtype !== undefined) delivered.subtype = subtype
  if (category !== undefined) delivered.category = category
  return delivered
}

/** Finds the first rule that applies to a payload. */
function findRule(rules: readonly CompiledRule[], payload: Buffer): CompiledRule | undefined {
  for (const rule of rules) if (rule.equals === null || rule.equals.equals(payload)) return rule
  return undefined
}

/** Whether ingest rejects a time of a wrong clock, UTC µs, of a message that is received then. */
function isAhead(atUs: number, receivedUs: number): boolean {
  return atUs > latestUs(receivedUs / 1000)
}

const noName = new Problem('the rule has no key or type')
const tooManyKeys = new Problem(`the connector has more than ${maxKeys} keys`)
const maxExampleBytes = 200

/** With `equals` the payload may be any text; without a path into it, it is not parsed. */
function readPayload(payload: Buffer, { equals, rule }: CompiledRule): unknown {
  if (payload.length > payloadBounds.bytes) return tooLong
  if (rule.unavailable === true && rule.time === undefined) return null
  try {
    return parseJson(payload, payloadBounds)
  } catch (error) {
    if (error instanceof JsonOutOfBounds) return new Problem(error.message)
    if (!(error instanceof SyntaxError)) throw error
    return equals === null ? notJson : payload.toString()
  }
}

const tooLong = new Problem(`the payload has more than ${payloadBounds.bytes} bytes`)
const notJson = new Problem('the payload is not JSON')
