import type { LogRecord } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { hourMs, minuteMs, secondMs } from '../../shared/time/units.ts'
import { isReplay } from './dead-letters.ts'
import type { SampleIssueReporter } from './ports.ts'
import type { Run } from './accepted-samples.ts'

/** Limit of the time that a sample may be ahead of its receipt with a correct clock. */
const maxAheadMs = minuteMs
/** Offsets of time zones are multiples of this. */
const stepMs = 15 * minuteMs
/** Largest distance of a delay from a multiple of `stepMs`, because samples take time to arrive. */
const toleranceMs = 2 * minuteMs
/** Time for which a delay must persist, and longest pause within it. */
const observedMs = 10 * minuteMs
/** The least delay of a wrong clock stays within this range; that of a source that catches up changes by more. */
const maxDriftMs = 45 * secondMs
/** Largest and smallest offset of a time zone. */
const maxOffsetMs = 14 * hourMs
const minOffsetMs = -12 * hourMs

/** A machine's delay while it stays near one multiple of `stepMs`. */
interface Delay {
  readonly steps: number
  /** Receipt of the first and the last record, UTC ms. */
  readonly sinceMs: number
  lastMs: number
  /** Least delay in the first half of `observedMs`, and after it. */
  earlyMs: number
  lateMs: number
}

/** Samples of a machine in one record. */
interface Received {
  newestMs: number
  samples: number
}

/** Detects machines with a wrong clock, by the newest sample of each machine in each record. */
export class MachineClocks {
  readonly #issues: SampleIssueReporter
  /** Machines with such a delay in their last record. */
  readonly #delays = new Map<MachineRef, Delay>()

  constructor(sampleIssues: SampleIssueReporter) {
    this.#issues = sampleIssues
  }

  /** Checks the samples of whole records; `atUs` has the times of all samples. Skips replayed records. */
  check(runs: readonly Run[], atUs: Float64Array): void {
    const delayed: Run[] = []
    for (const run of runs) {
      const aheadMs = newestMs(run, atUs) - run.source.timestampMs
      if (aheadMs <= toleranceMs - stepMs) delayed.push(run)
      else if (this.#delays.size > 0) this.#delays.delete(run.machine.ref)
      if (aheadMs > maxAheadMs && !isReplay(run.source)) this.#reportAhead(run, atUs, aheadMs)
    }
    for (const [source, received] of byRecord(delayed, atUs))
      if (!isReplay(source))
        for (const [machineRef, each] of received) this.#observe(machineRef, source.timestampMs, each)
  }

  #reportAhead({ machine, source, first, end }: Run, atUs: Float64Array, aheadMs: number): void {
    const limitUs = (source.timestampMs + maxAheadMs) * 1000
    let samples = 0
    for (let index = first; index < end; index++) if ((atUs[index] ?? 0) > limitUs) samples++
    this.#issues.report(machine.ref, 'clock_ahead', messageOf(aheadMs), samples, null)
  }

  #observe(machineRef: MachineRef, receivedMs: number, { newestMs: newest, samples }: Received): void {
    const delayMs = receivedMs - newest
    const steps = Math.round(delayMs / stepMs)
    if (Math.abs(delayMs - steps * stepMs) > toleranceMs) {
      this.#delays.delete(machineRef)
      return
    }
    const delay = this.#delays.get(machineRef)
    if (delay?.steps !== steps || receivedMs - delay.lastMs > observedMs)
      return this.#begin(machineRef, receivedMs, delayMs)
    delay.lastMs = receivedMs
    const isEarly = receivedMs - delay.sinceMs < observedMs / 2
    if (isEarly) delay.earlyMs = Math.min(delay.earlyMs, delayMs)
    else delay.lateMs = Math.min(delay.lateMs, delayMs)
    if (receivedMs - delay.sinceMs < observedMs) return
    if (Math.abs(delay.earlyMs - delay.lateMs) > maxDriftMs) return this.#begin(machineRef, receivedMs, delayMs)
    this.#issues.report(machineRef, 'clock_behind', messageOf(-delayMs), samples, null)
  }

  #begin(machineRef: MachineRef, receivedMs: number, delayMs: number): void {
    const steps = Math.round(delayMs / stepMs)
    const begun = { steps, sinceMs: receivedMs, lastMs: receivedMs, earlyMs: delayMs, lateMs: Infinity }
    this.#delays.set(machineRef, begun)
  }
}

function newestMs({ first, end }: Run, atUs: Float64Array): number {
  let newestUs = -Infinity
  for (let index = first; index < end; index++) newestUs = Math.max(newestUs, atUs[index] ?? 0)
  return newestUs / 1000
}

/** Groups runs by record and machine. */
function byRecord(runs: readonly Run[], atUs: Float64Array): ReadonlyMap<LogRecord, ReadonlyMap<MachineRef, Received>> {
  const records = new Map<LogRecord, Map<MachineRef, Received>>()
  for (const run of runs) {
    const machines = records.get(run.source) ?? new Map<MachineRef, Received>()
    const received = machines.get(run.machine.ref) ?? { newestMs: -Infinity, samples: 0 }
    received.newestMs = Math.max(received.newestMs, newestMs(run, atUs))
    received.samples += run.end - run.first
    machines.set(run.machine.ref, received)
    records.set(run.source, machines)
  }
  return records
}

/** Message about samples that are ahead of their receipt, or behind it if `aheadMs` is negative. */
function messageOf(aheadMs: number): string {
  const difference = `The newest timestamp is ${durationText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} the time of receipt`
  const steps = Math.round(aheadMs / stepMs)
  const offsetMs = steps * stepMs
  const isZone = steps !== 0 && offsetMs <= maxOffsetMs && offsetMs >= minOffsetMs
  if (!isZone || Math.abs(aheadMs - offsetMs) > toleranceMs) {
    const seconds = Math.round(aheadMs / secondMs)
    return `${difference}. Set the clock of the machine or gateway${connectorText(seconds * secondMs)}.`
  }
  return `${difference}: it is probably local time of ${zoneText(offsetMs)} without an offset. Send UTC, or add the offset${connectorText(offsetMs)}.`
}

/** Describes the setting that corrects the times of a machine that a connector reads. */
function connectorText(aheadMs: number): string {
  return `, or add ${-aheadMs} to timeOffsetMs of the machine in its connector`
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / minuteMs)
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  const seconds = Math.round(ms / secondMs)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function zoneText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / minuteMs
  const two = (number: number) => String(number).padStart(2, '0')
  return `UTC${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
