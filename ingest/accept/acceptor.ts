import type { Log } from '../../log/log.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { IngestResponse } from '../../schema/requests/ingest.ts'
import { topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { defaultChunkBytes } from '../../shared/json/large-json.ts'
import { PlainJson } from '../decode/plain-json.ts'
import {
  type Accepted,
  type DecodeContext,
  isAccepted,
  isObject,
  machineIdOf,
  type MachineLookup,
  type SentSample,
  validateSample,
} from '../decode/validate.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { Problem } from '../mapping/convert-value.ts'
import type { PostedMappings } from '../mapping/posted-mappings.ts'
import { Batches, Partitions } from './batches.ts'
import { cutLine, readBody, type Samples } from './parse.ts'
import { type PostRejection, Rejections } from './rejections.ts'

export interface AcceptorPorts {
  readonly log: Pick<Log, 'append' | 'partitionCount'>
  /** Finds a machine of any company by its id in lower case. */
  readonly machines: { readonly find: MachineLookup }
  /** Resolves when `machines` contains every existing record; called before a machine is reported as unknown. */
  readonly catchUpRecords?: () => Promise<void>
  /** Returns the rules of connectors of kind `http`; null: there are none. By default there are none. */
  readonly mappings?: () => PostedMappings | null
  /**
   * Resolves when older samples do not delay the live hours; called after samples of older hours were stored. By default there is no wait.
   */
  readonly waitForLiveHours?: () => Promise<void>
  /** UTC ms; the system's clock by default. */
  readonly now?: () => number
  /** Limits of one body; `bodyBounds` by default. */
  readonly bounds?: JsonBounds
  /** Size of the chunks in which bodies are parsed; 64 KiB by default. */
  readonly chunkBytes?: number
}

/** Limits of a body of samples: 32 MiB of the shortest samples. */
const bodyBounds: JsonBounds = {
  ...defaultJsonBounds,
  bytes: 33_554_432,
  elements: 500_000,
  values: 8_000_000,
}

export interface AcceptRequest {
  /** `CompanyRecord.ref` of the API key; machines of other companies are unknown to it. */
  readonly companyRef: CompanyRef
  /** Decompressed. */
  readonly body: Buffer
  readonly contentType?: string | undefined
  /**
   * Whether every rejected sample becomes a dead letter, because no sender reads the response; default: only samples of
   * unknown machines.
   */
  readonly storesRejected?: boolean
}

export interface Acceptor {
  /**
   * Resolves when every valid sample is durable in samples.v1. Throws an `ApiError` 400 for a body that is not JSON, a
   * `JsonOutOfBounds`, and the log's errors.
   */
  accept(request: AcceptRequest): Promise<IngestResponse>
}

/**
 * Creates the handler of `POST /ingest/samples`, which validates samples by the same rules as the consumer of the log.
 */
export function createAcceptor(ports: AcceptorPorts): Acceptor {
  const { log, machines, catchUpRecords, mappings = () => null, waitForLiveHours } = ports
  const { now = Date.now, bounds = bodyBounds, chunkBytes = defaultChunkBytes } = ports
  const partitions = new Partitions()
  return {
    async accept({ companyRef, body, contentType, storesRejected = false }) {
      const slice = new TimeSlice()
      const partitionOf = partitions.among(await log.partitionCount(topics.samples))
      const ownMachine: MachineLookup = id => {
        const machine = machines.find(id)
        return machine?.companyRef === companyRef ? machine : undefined
      }
      const context = { machine: ownMachine, appendedAtMs: now(), bounds, mappings: mappings() }
      const begin = () => ({
        batches: new Batches(partitionOf),
        rejections: new Rejections(companyRef, context.appendedAtMs, machines.find, storesRejected),
      })
      const rules = { bounds, chunks: { bytes: chunkBytes, slice } }
      const { batches, rejections } =
        (await sortPlain(body, context, begin(), slice)) ??
        (await readBody(body, contentType, rules, samples => sort(samples, context, begin(), slice, catchUpRecords)))
      const [samples, deadLetters] = [batches.records(), rejections.deadLetters()]
      await Promise.all([
        samples.length > 0 && log.append(topics.samples, samples),
        deadLetters.length > 0 && log.append(topics.deadLetters, deadLetters),
      ])
      if (batches.oldestUs < liveFromMs(context.appendedAtMs) * 1000) await waitForLiveHours?.()
      return rejections.toResponse(batches.count)
    },
  }
}

/** Returns the start of the hour before the current one. */
function liveFromMs(nowMs: number): number {
  return slotOf(nowMs) - hourMs
}

/** Facts by which the samples of a body are validated. */
type AcceptContext = DecodeContext & { readonly bounds: JsonBounds; readonly mappings: PostedMappings | null }

/** The samples of a body. */
interface Sorted {
  readonly batches: Batches
  readonly rejections: Rejections
}

/** Plain samples that are read before the time slice is checked: at most about a millisecond of work. */
const plainAtOnce = 20

/**
 * Accepts a plain body without errors, which nearly all bodies are; null: the body is not plain or a rule of a connector
 * changes a sample, and no sample is accepted here.
 */
async function sortPlain(
  body: Buffer,
  context: AcceptContext,
  sorted: Sorted,
  slice: TimeSlice,
): Promise<Sorted | null> {
  const { mappings } = context
  const reader = new PlainJson(body, context, true)
  for (let left = plainAtOnce; ; left--) {
    const read = reader.next()
    if (read === 'other') return null
    if (read === 'end') return sorted
    if (mappings !== null && mappings.get(reader.machine.id)?.has(reader.names.key) === true) return null
    sorted.batches.addPlain(reader)
    if (left > 0) continue
    left = plainAtOnce
    if (slice.isOver) await slice.next()
  }
}

/** Validates every sample, and yields to the event loop in between. Throws a `JsonOutOfBounds` after the last one if there are too many. */
async function sort(
  samples: Samples,
  context: AcceptContext,
  sorted: Sorted,
  slice: TimeSlice,
  catchUpRecords: (() => Promise<void>) | undefined,
): Promise<Sorted> {
  let isCaughtUp = catchUpRecords === undefined
  const { elements } = context.bounds
  let index = 0
  for await (const some of samples)
    for (const sent of some) {
      if (index >= elements) {
        index += 1
        continue
      }
      let result = validateMapped(sent, index, context)
      if (!isCaughtUp && !isAccepted(result) && result.reason === 'unknown_machine') {
        await catchUpRecords?.()
        isCaughtUp = true
        result = validateMapped(sent, index, context)
      }
      if (isAccepted(result)) sorted.batches.add(result)
      else if (sent.raw === cutLine) sorted.rejections.addCutLine(index)
      else sorted.rejections.add(result, sent)
      index += 1
      if (slice.isOver) await slice.next()
    }
  // Invalid JSON is reported first.
  if (index > elements) throw new JsonOutOfBounds('elements', elements)
  return sorted
}

/** Validates a sample after the rules of its machine were applied. */
function validateMapped(sent: SentSample, index: number, context: AcceptContext): Accepted | PostRejection {
  const machineId = context.mappings === null ? undefined : machineIdOf(sent)
  const machine = machineId === undefined ? undefined : context.machine(machineId)
  const rules = machine && context.mappings?.get(machine.id)
  if (rules === undefined || !isObject(sent.raw)) return validateSample(sent, index, context)
  const raw = rules.map(sent.raw)
  if (raw instanceof Problem) return { index, reason: 'unmapped', message: raw.text }
  return validateSample({ raw, machineId: sent.machineId }, index, context)
}
