import type { Log } from '../../log/log.ts'
import { partitionOfKey } from '../../log/partitioner.ts'
import type { IngestAnswer } from '../../schema/requests/ingest.ts'
import { topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultJsonBounds, type JsonBounds } from '../../shared/json/bounds.ts'
import type { MachineInfo, MachineLookup } from '../decode/machine.ts'
import { type PlainSample, PlainSamples } from '../decode/plain-json.ts'
import {
  type Accepted,
  type DecodeContext,
  isAccepted,
  machineIdOf,
  plainValidator,
  type SampleRejection,
  type SentSample,
  validateSample,
} from '../decode/validate.ts'
import { defaultPieceBytes, type Pieces } from '../../shared/json/large-json.ts'
import { Batches, type PartitionOf } from './batches.ts'
import { type BodyRules, cutLine, readBody, type Samples } from './parse.ts'
import { Rejections } from './rejections.ts'
import { UnknownMachines } from './unknown-machines.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export interface AcceptorPorts {
  readonly log: Pick<Log, 'append' | 'partitionCount'>
  /** Finds a machine of any company by its id in lower case. */
  readonly machines: { readonly find: MachineLookup }
  /** Resolves when `machines` contains every existing record; called before a machine is reported as unknown. */
  readonly catchUpRecords?: () => Promise<void>
  /** UTC ms; the system's clock by default. */
  readonly now?: () => number
  /** Limits of one body; `bodyBounds` by default. */
  readonly bounds?: JsonBounds
  /** Size of the chunks in which bodies are parsed; 64 KiB by default. */
  readonly pieceBytes?: number
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
}

export interface Acceptor {
  /**
   * Resolves when every valid sample is durable in samples.v1. Throws an `ApiError` 400 for a body that is not JSON, a
   * `JsonOutOfBounds`, and the log's errors.
   */
  accept(request: AcceptRequest): Promise<IngestAnswer>
}

/**
 * Creates the handler of `POST /ingest/samples`, which validates samples by the same rules as the consumer of the log.
 */
export function createAcceptor(ports: AcceptorPorts): Acceptor {
  const { log, bounds = bodyBounds, pieceBytes = defaultPieceBytes } = ports
  const partitions = new Partitions()
  return {
    async accept({ companyRef, body, contentType }) {
      const pieces = { bytes: pieceBytes, slice: new TimeSlice() }
      const rules = { bounds, pieces }
      const partitionOf = partitions.among(await log.partitionCount(topics.samples))
      const begin = () => emptySorted(companyRef, partitionOf, ports)
      const sorted =
        (await sortPlain(body, begin(), companyRef, ports, rules)) ??
        (await readBody(body, contentType, rules, some => sort(some, begin(), companyRef, ports, pieces)))
      const [samples, deadLetters] = [sorted.batches.records(), sorted.unknown.records()]
      await Promise.all([
        samples.length > 0 && log.append(topics.samples, samples),
        deadLetters.length > 0 && log.append(topics.deadLetters, deadLetters),
      ])
      return sorted.rejections.answer(sorted.accepted)
    },
  }
}

/** Caches the partitions of machines: the hash takes longer than the rest of a sample's processing. */
class Partitions {
  #count = 0
  #known = new WeakMap<MachineInfo, number>()

  /** Returns the lookup of partitions for this number, equal to the log's choice for the machine id as key. */
  among(count: number): PartitionOf {
    if (count !== this.#count) this.#known = new WeakMap()
    this.#count = count
    const known = this.#known
    return (machine, machineId) => {
      let partition = known.get(machine)
      if (partition === undefined) known.set(machine, (partition = partitionOfKey(machineId, count)))
      return partition
    }
  }
}

interface Sorted {
  readonly accepted: number
  readonly batches: Batches
  readonly rejections: Rejections
  /** Samples for a replay. */
  readonly unknown: UnknownMachines
}

/** Samples that are validated between two yields to the event loop. */
const plainAtOnce = 200

/**
 * Accepts a plain body without errors, which nearly all bodies are; null: the body is not plain, and no sample is
 * accepted here.
 */
async function sortPlain(
  body: Buffer,
  empty: Empty,
  companyRef: CompanyRef,
  ports: AcceptorPorts,
  { bounds, pieces }: BodyRules,
): Promise<Sorted | null> {
  const validate = plainValidator(contextOf(companyRef, ports, empty.appendedAtMs))
  let accepted = 0
  const plain = new PlainSamples(body, bounds, true)
  const accept = (sample: PlainSample): boolean => {
    const valid = validate(sample)
    if (valid === null) return false
    accepted += 1
    empty.batches.addPlain(valid)
    return true
  }
  for (;;) {
    const state = plain.read(plainAtOnce, accept, pieces.bytes)
    if (state === 'unknown') return null
    if (state === 'done') return { accepted, ...empty }
    if (pieces.slice.isOver) await pieces.slice.next()
  }
}

function contextOf(companyRef: CompanyRef, { machines }: AcceptorPorts, appendedAtMs: number): DecodeContext {
  return { machine: id => ownMachine(machines.find(id), companyRef), appendedAtMs }
}

type Empty = ReturnType<typeof emptySorted>

function emptySorted(companyRef: CompanyRef, partitionOf: PartitionOf, { now = Date.now }: AcceptorPorts) {
  const appendedAtMs = now()
  return {
    appendedAtMs,
    batches: new Batches(partitionOf),
    rejections: new Rejections(),
    unknown: new UnknownMachines(companyRef, appendedAtMs),
  }
}

/** Validates every sample, and yields to the event loop in between. */
async function sort(
  samples: Samples,
  sorted: Empty,
  companyRef: CompanyRef,
  ports: AcceptorPorts,
  { slice }: Pieces,
): Promise<Sorted> {
  const { machines, catchUpRecords } = ports
  const context = contextOf(companyRef, ports, sorted.appendedAtMs)
  let accepted = 0
  let isCaughtUp = catchUpRecords === undefined
  let index = 0
  for await (const some of samples)
    for (const flat of some) {
      let verdict = judge(flat, index, context)
      if (!isCaughtUp && !isAccepted(verdict) && verdict.reason === 'unknown_machine') {
        await catchUpRecords?.()
        isCaughtUp = true
        verdict = validateSample(flat, index, context)
      }
      if (isAccepted(verdict)) {
        accepted += 1
        const { sample, machine } = verdict
        sorted.batches.add(machineIdOf(flat) ?? '', machine, sample)
      } else {
        sorted.rejections.add(verdict)
        if (isReplayable(verdict, flat, machines.find)) sorted.unknown.add(flat, verdict.message)
      }
      index += 1
      if (slice.isOver) await slice.next()
    }
  return { accepted, ...sorted }
}

function judge(flat: SentSample, index: number, context: DecodeContext): Accepted | SampleRejection {
  if (flat.raw !== cutLine) return validateSample(flat, index, context)
  return { index, reason: 'invalid_json', message: 'The last line is incomplete: send it again' }
}

function ownMachine(machine: MachineInfo | undefined, companyRef: CompanyRef): MachineInfo | undefined {
  return machine?.companyRef === companyRef ? machine : undefined
}

/** Excludes a machine of another company, which must not receive these samples on replay. */
function isReplayable({ reason }: SampleRejection, flat: SentSample, find: MachineLookup): boolean {
  const machineId = machineIdOf(flat)
  return reason === 'unknown_machine' && machineId !== undefined && find(machineId) === undefined
}
