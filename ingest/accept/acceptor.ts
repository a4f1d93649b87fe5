import type { Log } from '../../log/log.ts'
import { topics, type DeadLetter, type DeadLetterReason, type WireSample } from '../../schema/topics.ts'
import { deadLetterRecord } from '../decode/dead-letter.ts'
import type { MachineInfo, MachineLookup } from '../decode/machine.ts'
import { decodeSamples, machineIdOf, type Accepted, type Flat, type Rejection } from '../decode/record.ts'
import { toBatches, type MachineSample } from './batches.ts'
import { parseBody } from './parse.ts'

export interface AcceptorPorts {
  readonly log: Pick<Log, 'append'>
  /** Finds a machine of any company by its id in lower case. */
  readonly machines: { readonly find: MachineLookup }
  /** Resolves when `machines` knows every record that is there now: asked before a machine counts as unknown. */
  readonly catchUpRecords?: () => Promise<void>
  /** UTC ms; the system's clock by default. */
  readonly now?: () => number
}

export interface AcceptRequest {
  /** `CompanyRecord.ref` of the key that sent it: machines of other companies do not exist for it. */
  readonly company: number
  /** Unzipped. */
  readonly body: Buffer
  readonly contentType?: string | undefined
}

/** The answer to `POST /ingest/samples`. */
export interface AcceptResult {
  readonly accepted: number
  /** `index` counts the body's samples from 0, those of batches each for itself. */
  readonly rejected: readonly { readonly index: number; readonly code: DeadLetterReason; readonly message: string }[]
}

export interface Acceptor {
  /**
   * Resolves when every good sample is durable in samples.v1. Throws an `ApiError` 400 for a body that is no JSON, and what the
   * log throws when it can't take records.
   */
  accept(request: AcceptRequest): Promise<AcceptResult>
}

/** What `POST /ingest/samples` does: the edge at which samples from HTTP are judged, by the rules of the log's own consumer. */
export function createAcceptor({ log, machines, catchUpRecords, now = Date.now }: AcceptorPorts): Acceptor {
  return {
    async accept({ company, body, contentType }) {
      const samples = parseBody(body, contentType)
      const machine = (id: string) => ownMachine(machines.find(id), company)
      const appendedAtMs = now()
      const decode = () => decodeSamples(samples, { machine, appendedAtMs })
      let { accepted, rejected } = decode()
      if (catchUpRecords && rejected.some(({ reason }) => reason === 'unknown_machine')) {
        await catchUpRecords()
        ;({ accepted, rejected } = decode())
      }
      const letters = rejected
        .filter(rejection => isReplayable(rejection, samples, machines.find))
        .map(rejection => unknownMachineLetter(rejection, company, appendedAtMs))
      const batches = toBatches(accepted.map(each => wireSample(each, samples)))
      await Promise.all([
        batches.length > 0 && log.append(topics.samples, batches),
        letters.length > 0 && log.append(topics.deadLetters, letters.map(deadLetterRecord)),
      ])
      return {
        accepted: accepted.length,
        rejected: rejected.map(({ index, reason, message }) => ({ index, code: reason, message })),
      }
    },
  }
}

function ownMachine(machine: MachineInfo | undefined, company: number): MachineInfo | undefined {
  return machine?.company === company ? machine : undefined
}

/** As it came, but for what no sample has: the log keeps what was sent, decoding is its readers' work. */
function wireSample({ index }: Accepted, samples: readonly Flat[]): MachineSample {
  const flat = samples[index] ?? { raw: null, machineId: undefined }
  return { machineId: machineIdOf(flat) ?? '', json: JSON.stringify(flat.raw, wireFields) }
}

const wireFields = [
  'timestamp',
  'key',
  'type',
  'subtype',
  'value',
  'category',
  'nativeCode',
  'nativeSeverity',
  'qualifier',
  'message',
  'instanceId',
  'sequence',
] satisfies (keyof WireSample)[]

/** A machine that exists, but is another company's, must not get these samples on replay. */
function isReplayable({ reason, index }: Rejection, samples: readonly Flat[], find: MachineLookup): boolean {
  const machineId = samples[index] && machineIdOf(samples[index])
  return reason === 'unknown_machine' && machineId !== undefined && find(machineId) === undefined
}

function unknownMachineLetter(
  { reason, message, value }: Rejection,
  company: number,
  appendedAtMs: number,
): DeadLetter {
  return { reason, message, value, topic: topics.samples, partition: -1, offset: -1, appendedAtMs, company }
}
