import type { MachineRef } from '../../schema/refs.ts'
import type { LogRecord, NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import { stateSamplesPartition, type StateSamplesMessage } from '../../schema/topics.ts'
import { CompactSamples, hasRefs } from '../decode/compact-writer.ts'
import type { MachineInfo } from '../decode/validate.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { Run, AcceptedSamples, MachineHeartbeat } from './accepted-samples.ts'

/** Limits of one message, so that it fits a record of the log; lengths in UTF-16 units of strings. */
const limits = { samples: 1_000, length: 150_000, seen: 5_000 } as const

type Seen = StateSamplesMessage['seen'][number]

/**
 * Builds records of state samples for the partition of each machine, in order: the state samples, which are visited,
 * and every activity minute.
 */
export function stateSampleRecords(
  samples: AcceptedSamples,
  runs: readonly Run[],
  partitions: number,
  visit: (deciding: Sample, machine: MachineInfo) => void = () => undefined,
): readonly NewRecord[] {
  const own = new Map<number, { readonly samples: Sample[]; readonly seen: SeenMinutes }>()
  const { atUs } = samples.rows
  for (const run of runs) {
    const partition = stateSamplesPartition(run.machine.ref, partitions)
    let its = own.get(partition)
    if (its === undefined) own.set(partition, (its = { samples: [], seen: new SeenMinutes() }))
    its.seen.add(run, atUs)
    for (const sample of samples.stateSamples(run)) {
      its.samples.push(sample)
      visit(sample, run.machine)
    }
  }
  return [...own].flatMap(([partition, { samples, seen }]) =>
    stateSampleMessages(samples, seen.all).map(message => stateSampleRecord(partition, message)),
  )
}

/** Builds records of the activity minutes of heartbeats for the partition of each machine. */
export function heartbeatRecords(heartbeats: readonly MachineHeartbeat[], partitions: number): readonly NewRecord[] {
  const own = new Map<number, SeenMinutes>()
  for (const { machine, atUs } of heartbeats)
    getOrCreate(own, stateSamplesPartition(machine.ref, partitions), () => new SeenMinutes()).addAt(machine.ref, atUs)
  return [...own].flatMap(([partition, seen]) =>
    stateSampleMessages([], seen.all).map(message => stateSampleRecord(partition, { ...message, areHeartbeats: true })),
  )
}

/**
 * Builds a marker for every partition of state samples: ingest of the samples partition follows the records up to the
 * offset.
 */
export function markerRecords(
  partitions: number,
  marker: { readonly samplesPartition: number; readonly recordsOffset: number },
): readonly NewRecord[] {
  return Array.from({ length: partitions }, (_, partition) =>
    stateSampleRecord(partition, { samples: [], seen: [], marker }),
  )
}

function stateSampleRecord(partition: number, message: StateSamplesMessage): NewRecord {
  return { key: null, partition, value: Buffer.from(JSON.stringify(message)) }
}

/** The first message contains samples and minutes; further ones follow only beyond the limits. */
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
class SeenMinutes {
  readonly all: [MachineRef, number, number][] = []
  readonly #machines = new Map<MachineRef, Map<number, [MachineRef, number, number]>>()

  addAt(ref: MachineRef, us: number): void {
    this.add({ machine: { ref }, first: 0, end: 1 }, [us])
  }

  add(
    { machine: { ref }, first, end }: { machine: { ref: MachineRef }; first: number; end: number },
    atUs: ArrayLike<number>,
  ): void {
    let minutes = this.#machines.get(ref)
    if (minutes === undefined) this.#machines.set(ref, (minutes = new Map()))
    let fromUs = 0
    let toUs = 0
    let seen: [MachineRef, number, number] | undefined
    for (let index = first; index < end; index++) {
      const us = atUs[index] ?? 0
      if (seen === undefined || us < fromUs || us >= toUs) {
        fromUs = Math.floor(us / minuteUs) * minuteUs
        toUs = fromUs + minuteUs
        seen = minutes.get(fromUs)
        if (seen === undefined) {
          const atMs = Math.floor(us / 1000)
          minutes.set(fromUs, (seen = [ref, atMs, atMs]))
          this.all.push(seen)
        }
      }
      const atMs = Math.floor(us / 1000)
      if (atMs < seen[1]) seen[1] = atMs
      if (atMs > seen[2]) seen[2] = atMs
    }
  }
}

const minuteUs = 60_000_000

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

/**
 * Builds records of live.v1, all in one partition because their order matters: compact samples with machines by ref. A compact record of plain
 * samples with such machines is passed on unchanged.
 */
export function liveRecords({ runs, rows }: AcceptedSamples, partition: number): readonly NewRecord[] {
  const { named, names, atUs, values: bytes, valueEnd } = rows
  const values: Buffer[] = []
  let open: CompactSamples | null = null
  let unchanged: LogRecord | null = null
  const end = () => {
    if (open !== null) values.push(open.bytes())
    open = null
  }
  for (const { source, isPlain, machine, first, end: last } of runs) {
    if (isPlain && hasRefs(source.value)) {
      if (source === unchanged) continue
      end()
      values.push(source.value)
      unchanged = source
      continue
    }
    for (let index = first; index < last; index++) {
      if (open?.isFull) end()
      open ??= new CompactSamples(null)
      open.of(machine.ref)
      const own = isPlain ? names[named[index] ?? 0] : undefined
      if (own === undefined) open.add(rows.at(index).sample)
      else
        open.addPlain({
          names: own,
          atUs: atUs[index] ?? 0,
          bytes,
          start: valueEnd[index - 1] ?? 0,
          end: valueEnd[index] ?? 0,
        })
    }
  }
  end()
  return values.map(value => ({ key: null, partition, value }))
}
