import { readBody } from '../../ingest/accept/parse.ts'
import type { RawSample } from '../../ingest/decode/fields.ts'
import { wireSample } from '../../ingest/decode/dead-letters.ts'
import {
  type DecodeContext,
  isAccepted,
  isObject,
  machineIdOf,
  type SentSample,
  validateSample,
} from '../../ingest/decode/validate.ts'
import { Problem } from '../../ingest/mapping/convert-value.ts'
import { KeyRules } from '../../ingest/mapping/key-rules.ts'
import { type DeliveredKey, type Message, MessageMapping } from '../../ingest/mapping/message-mapping.ts'
import { Unmapped } from '../../ingest/mapping/unmapped.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultJsonBounds } from '../../shared/json/bounds.ts'
import { defaultChunkBytes } from '../../shared/json/large-json.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { AdapterStream } from '../shdr/adapter-stream.ts'
import { sourceDevices } from '../shdr/source-devices.ts'
import { samplesOfDocuments } from './recorded-documents.ts'
import { trialMachineInfo } from './trial-machines.ts'

/** Maps a recording without storing anything. Values without a sample are counted in `skipped`. */
export class ConnectorTrial {
  readonly skipped = new Unmapped()
  readonly #connector: ConnectorRecord
  readonly #context: DecodeContext

  /** `nowMs`: UTC ms, for the limits of timestamps. */
  constructor(connector: ConnectorRecord, nowMs: number) {
    this.#connector = connector
    this.#context = { machine: trialMachineInfo, appendedAtMs: nowMs }
  }

  /**
   * Yields the samples of recorded messages: lines of JSON with `at`, `topic` and `payload`, a text or any JSON. A line
   * that is too long is null.
   */
  async *messages(lines: AsyncIterable<string | null>): AsyncGenerator<WireSample> {
    const mapping = new MessageMapping(this.#connector, new Map<string, DeliveredKey>())
    for await (const line of lines) {
      const message = line === null ? null : readMessage(line)
      if (message === null) this.skipped.add('the line is not {"at", "topic", "payload"}', () => line ?? '')
      else for (const sample of mapping.map(message)) yield* this.#valid({ raw: sample, machineId: undefined })
    }
    for (const [reason, { count, example }] of mapping.unmapped.byReason) this.skipped.add(reason, () => example, count)
  }

  /**
   * Yields the samples of the lines of an SHDR adapter; a line that is too long is null. Lines without a time have that of
   * the trial. Throws a `SourceError` if the devices of the connector cannot be read.
   */
  async *lines(lines: AsyncIterable<string | null>): AsyncGenerator<WireSample> {
    const { options, rules } = this.#connector
    const stream = new AdapterStream({ ...sourceDevices(this.#connector), time: options.time }, null)
    const keyRules = new KeyRules(rules)
    const receivedUs = this.#context.appendedAtMs * 1000
    for await (const line of lines) {
      const text = line ?? ''
      if (line === null) this.skipped.add('the line is longer than 1 MiB', () => text)
      const { unmapped } = stream.totals
      for (const { code, detail } of stream.apply(text, receivedUs).faults)
        this.skipped.add(`${code} ${detail}`.trimEnd(), () => text)
      const count = stream.totals.unmapped - unmapped
      if (count > 0) this.skipped.add('the device has no machine, or the key no rule', () => text, count)
      for (const sample of stream.takeSamples()) yield* this.#mapped(keyRules, { ...sample })
    }
  }

  /** Yields the samples of the documents of an agent, one after the other. */
  async *documents(recording: string): AsyncGenerator<WireSample> {
    const skip = this.skipped.add.bind(this.skipped)
    const nowUs = this.#context.appendedAtMs * 1000
    for await (const sample of samplesOfDocuments(recording, this.#connector, { nowUs, skip }))
      yield* this.#valid({ raw: { ...sample }, machineId: undefined })
  }

  #mapped(rules: KeyRules, sample: RawSample): readonly WireSample[] {
    const raw = rules.map(sample)
    if (!(raw instanceof Problem)) return this.#valid({ raw, machineId: undefined })
    this.skipped.add(raw.text, () => JSON.stringify(sample))
    return []
  }

  /** Yields the samples of a body of `POST /ingest/samples`. Throws an `ApiError` or a `JsonOutOfBounds`. */
  async posts(body: Buffer): Promise<readonly WireSample[]> {
    const rules = new KeyRules(this.#connector.rules)
    const machines = new Set(this.#connector.machines.map(({ machineId }) => machineId))
    const bodyRules = { bounds: postBounds, chunks: { bytes: defaultChunkBytes, slice: new TimeSlice() } }
    return readBody(body, undefined, bodyRules, async samples => {
      const mapped: WireSample[] = []
      for await (const some of samples)
        for (const sent of some) {
          const isOwn = machines.has(machineIdOf(sent) ?? '')
          const raw = isOwn && isObject(sent.raw) ? rules.map(sent.raw) : sent.raw
          if (raw instanceof Problem) this.skipped.add(raw.text, () => JSON.stringify(sent.raw))
          else mapped.push(...this.#valid({ raw, machineId: sent.machineId }))
        }
      return mapped
    })
  }

  /** Returns a sample as it would be stored; none if it is invalid. */
  #valid(sent: SentSample): readonly WireSample[] {
    const result = validateSample(sent, 0, this.#context)
    if (isAccepted(result)) return [wireSample(result.machine.id, result.sample)]
    this.skipped.add(`${result.reason}: ${result.message}`, () => JSON.stringify(sent.raw) ?? 'nothing')
    return []
  }
}

/** A recording may be as large as several bodies. */
const postBounds = { ...defaultJsonBounds, bytes: 67_108_864, elements: 1_000_000, values: 16_000_000 }

function readMessage(line: string): Message | null {
  try {
    const recorded: unknown = JSON.parse(line)
    if (!isRecorded(recorded)) return null
    const { at, topic, payload } = recorded
    const receivedUs = parseInstantUs(at)
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return receivedUs === null ? null : { topic, payload: Buffer.from(text), receivedUs }
  } catch {
    return null
  }
}

function isRecorded(json: unknown): json is { readonly at: string; readonly topic: string; readonly payload: unknown } {
  if (typeof json !== 'object' || json === null || !('at' in json && 'topic' in json && 'payload' in json)) return false
  return typeof json.at === 'string' && typeof json.topic === 'string'
}
