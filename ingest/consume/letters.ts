import type { LogRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { DeadLetter, WireSample } from '../../schema/topics.ts'
import { maxLetterLength } from '../decode/dead-letter.ts'
import type { Decoded } from '../decode/record.ts'

/** Dead letters of a record: one for each sample that was rejected, or one for the record where all of it was, for one reason. */
export function deadLetters(record: LogRecord, { accepted, rejected }: Decoded): readonly DeadLetter[] {
  const [first, ...others] = rejected
  if (first === undefined) return []
  const isOne = others.every(({ reason, message }) => reason === first.reason && message === first.message)
  const isWhole = isOne && accepted.length === 0 && record.value.length <= maxLetterLength
  const letters = isWhole ? [{ ...first, value: record.value.toString() }] : rejected
  return letters.map(letter => deadLetter(record, letter))
}

/** The dead letter of a sample that was decoded and is not taken all the same. */
export function refusedSample(
  record: LogRecord,
  machineId: string,
  sample: Sample,
  { reason, message }: Pick<DeadLetter, 'reason' | 'message'>,
): DeadLetter {
  return deadLetter(record, { reason, message, value: JSON.stringify(wireSample(machineId, sample)) })
}

function deadLetter(
  { topic, partition, offset, timestampMs }: LogRecord,
  { reason, message, value }: Pick<DeadLetter, 'reason' | 'message' | 'value'>,
): DeadLetter {
  return { reason, message, value, topic, partition, offset, appendedAtMs: timestampMs }
}

/** A sample as a sender would write it. */
function wireSample(machineId: string, sample: Sample): WireSample {
  const { key, type, value, category, instanceId, sequence } = sample
  const texts = { subtype: sample.subtype, nativeCode: sample.nativeCode, nativeSeverity: sample.nativeSeverity }
  const details = { ...texts, qualifier: sample.qualifier, message: sample.message }
  const filled = Object.fromEntries(Object.entries(details).filter(([, text]) => text !== ''))
  const identity = instanceId === null || sequence === null ? {} : { instanceId, sequence }
  return { machineId, timestamp: isoMicroseconds(sample.atUs), key, type, value, category, ...filled, ...identity }
}

/** `YYYY-MM-DDTHH:mm:ss.SSSSSSZ` */
function isoMicroseconds(atUs: number): string {
  const atMs = Math.floor(atUs / 1000)
  const micros = String(atUs - atMs * 1000).padStart(3, '0')
  return `${new Date(atMs).toISOString().slice(0, -1)}${micros}Z`
}
