import type { MachineRef } from '../../schema/refs.ts'
import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import { stateSamplesPartition, type StateSamplesMessage, type LiveMessage } from '../../schema/topics.ts'
import { decidesState } from '../../processors/timeline/deciding.ts'
import type { Accepted } from '../decode/record.ts'

/** Limits of one message, so that it fits a record of the log; lengths in UTF-16 units of texts. */
const limits = { samples: 1_000, length: 150_000, seen: 5_000 } as const

type Seen = StateSamplesMessage['seen'][number]

/**
 * State samples for the partition of each machine, in their order: the samples that decide state, and every minute in which a
 * machine was seen.
 */
export function stateSampleRecords(accepted: readonly Accepted[], partitions: number): readonly NewRecord[] {
  const deciding = accepted.filter(({ sample, machine }) => decidesState(sample, machine.namedKeys))
  const samples = groupBy(deciding, ({ sample }) => stateSamplesPartition(sample.machineRef, partitions))
  const seen = groupBy(seenMinutes(accepted), ([machineRef]) => stateSamplesPartition(machineRef, partitions))
  return [...seen].flatMap(([partition, minutes]) => {
    const own = (samples.get(partition) ?? []).map(({ sample }) => sample)
    return stateSampleMessages(own, minutes).map(message => stateSampleRecord(partition, message))
  })
}

/** A marker for every partition of state samples: ingest of the samples partition follows the records up to the offset. */
export function markerRecords(
  partitions: number,
  marker: { readonly samplesPartition: number; readonly recordsOffset: number },
): readonly NewRecord[] {
  return Array.from({ length: partitions }, (_, partition) =>
    stateSampleRecord(partition, { samples: [], seen: [], marker }),
  )
}

/** Live values of the samples, all in one partition, as their order matters. */
export function liveRecords(accepted: readonly Sample[], partition: number): readonly NewRecord[] {
  return cutSamples(accepted).map(samples => {
    const message: LiveMessage = { kind: 'values', samples }
    return { key: null, partition, value: Buffer.from(JSON.stringify(message)) }
  })
}

function stateSampleRecord(partition: number, message: StateSamplesMessage): NewRecord {
  return { key: null, partition, value: Buffer.from(JSON.stringify(message)) }
}

/** The first message carries samples and minutes; more follow only where one would grow too large. */
function stateSampleMessages(samples: readonly Sample[], seen: readonly Seen[]): readonly StateSamplesMessage[] {
  const samplesParts = cutSamples(samples)
  const seenParts = Array.from({ length: Math.ceil(seen.length / limits.seen) }, (_, i) =>
    seen.slice(i * limits.seen, (i + 1) * limits.seen),
  )
  return Array.from({ length: Math.max(samplesParts.length, seenParts.length) }, (_, i) => ({
    samples: samplesParts[i] ?? [],
    seen: seenParts[i] ?? [],
  }))
}

/** First and last sample of every machine and UTC minute. */
function seenMinutes(accepted: readonly Accepted[]): readonly Seen[] {
  const byMachine = new Map<MachineRef, Map<number, [MachineRef, number, number]>>()
  const all: [MachineRef, number, number][] = []
  for (const { sample } of accepted) {
    const atMs = Math.floor(sample.atUs / 1000)
    const minute = Math.floor(atMs / 60_000)
    let minutes = byMachine.get(sample.machineRef)
    if (minutes === undefined) byMachine.set(sample.machineRef, (minutes = new Map()))
    let seen = minutes.get(minute)
    if (seen === undefined) {
      seen = [sample.machineRef, atMs, atMs]
      minutes.set(minute, seen)
      all.push(seen)
    }
    seen[1] = Math.min(seen[1], atMs)
    seen[2] = Math.max(seen[2], atMs)
  }
  return all
}

function cutSamples(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const parts: Sample[][] = []
  let part: Sample[] = []
  let length = 0
  for (const sample of samples) {
    const own = textLength(sample)
    if (part.length === limits.samples || (part.length > 0 && length + own > limits.length)) {
      parts.push(part)
      part = []
      length = 0
    }
    part.push(sample)
    length += own
  }
  return part.length > 0 ? [...parts, part] : parts
}

function textLength({ key, type, subtype, value, nativeCode, nativeSeverity, qualifier, message }: Sample): number {
  const names = key.length + type.length + subtype.length + qualifier.length
  return names + value.length + nativeCode.length + nativeSeverity.length + message.length
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
