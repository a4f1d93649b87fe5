import { hourMs } from '../../shared/time/units.ts'
import type { MachineState } from '../timeline/state.ts'
import type { MachineParameters } from '../timeline/types.ts'
import { HourRanges } from '../../shared/time/hour-ranges.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { PackedSamples } from './packed-samples.ts'
import { SeenMinutes } from './seen-minutes.ts'

/** One hour in memory: all of its input, and the hash and state that were last written. */
export interface TrackedHour {
  readonly samples: PackedSamples
  readonly seen: SeenMinutes
  hashIn: string | null
  stateOut: MachineState | null
  /** Number of samples that the last computation skipped (`HourResult.skippedSamples`). */
  skippedSamples: number
}

/**
 * Content of the live hours of a machine while a previous hour is dirty. `exact`: all samples and records. `outdated`: not the latest ones,
 * so `liveStart` is to be derived. `unknown`: the longest window does not show their start, so the previous hours are computed first.
 */
type Liveness = 'exact' | 'outdated' | 'unknown'

/** Window that shows the state of most machines. */
export const firstWindowHours = 8

/** One machine of an owned partition. Memory is only a cache: all of it can be read back from the store. */
export interface MachineTrack {
  readonly machineRef: MachineRef
  readonly companyRef: CompanyRef
  parameters: MachineParameters
  /** The existing hours are [firstSlotMs, lastSlotMs], without a gap when no hour is dirty. */
  firstSlotMs: number
  /** Last written hour; the hour before the first one if none is written yet. */
  lastSlotMs: number
  /** Hours whose documents must be recomputed. */
  readonly dirty: HourRanges
  readonly hours: Map<number, TrackedHour>
  /** Hours that the next slice of a propagating change reads; grows while the change propagates. */
  reachHours: number
  /** Hours of a slice of this machine alone: many if the previous hours had no samples. */
  sliceHours: number
  /** Whether its hours of the last slice had no samples. */
  isQuiet: boolean
  /** End of the back-off after a slow hour (`performance.now()`), in which other machines are computed. */
  backOffUntilMs: number
  /** Start state of the first live hour, derived from samples while a previous hour is dirty. */
  liveStart: { readonly slotMs: number; readonly state: MachineState } | null
  liveness: Liveness
  /** Hours whose documents may start from a derived state: they are computed again when the hours before them are complete. */
  readonly derivedSlots: Set<number>
  /** Time of the oldest change of records or of older hours that the live hours lack, UTC ms; null if there is none. */
  liveSinceMs: number | null
  /** Hours of the window from which `liveStart` is derived. */
  windowHours: number
  /** Newest seen instant, and the newest one in the written documents. */
  lastSeenMs: number
  writtenSeenMs: number
}

/** Machine-hours of one slice: about 0.1 s of work, so that new samples do not wait long. */
export const sliceHours = 2000
/** Machine-hours of one slice of hours without samples. */
export const quietSliceHours = 6000
/** Machine-hours of one slice of hours that mostly equal the previous one. */
export const evenSliceHours = 20_000

/** A change mostly ends within its hour or the next; otherwise it may propagate for years. */
export const firstReachHours = 2

export function createTrack(
  machineRef: MachineRef,
  companyRef: CompanyRef,
  parameters: MachineParameters,
  firstSlotMs: number,
): MachineTrack {
  return {
    machineRef,
    companyRef,
    parameters,
    firstSlotMs,
    lastSlotMs: firstSlotMs - hourMs,
    dirty: new HourRanges(),
    hours: new Map(),
    reachHours: firstReachHours,
    sliceHours,
    isQuiet: false,
    backOffUntilMs: -Infinity,
    liveStart: null,
    liveness: 'exact',
    derivedSlots: new Set(),
    liveSinceMs: null,
    windowHours: firstWindowHours,
    lastSeenMs: -Infinity,
    writtenSeenMs: -Infinity,
  }
}

/** Number of samples from which an hour takes long to compute, again with each batch. */
const heavySamples = 20_000

/** Whether the machine has so many samples that its hours are computed separately, and less often. */
export function isHeavy({ hours }: MachineTrack): boolean {
  for (const { samples } of hours.values()) if (samples.length > heavySamples) return true
  return false
}

export function emptyHour(): TrackedHour {
  return { samples: new PackedSamples(), seen: new SeenMinutes(), hashIn: null, stateOut: null, skippedSamples: 0 }
}

/** Extends the hours of the machine back to `slotMs`. */
export function extendBack(track: MachineTrack, slotMs: number): void {
  if (slotMs >= track.firstSlotMs) return
  track.dirty.add(slotMs, track.firstSlotMs)
  track.firstSlotMs = slotMs
}

/** Drops the cached hours before `slotMs`. */
export function forgetBefore(track: MachineTrack, slotMs: number): void {
  for (const slot of track.hours.keys()) if (slot < slotMs) track.hours.delete(slot)
}

/** Returns whether an hour before `liveFromMs` is dirty. */
export function isBehind({ dirty }: MachineTrack, liveFromMs: number): boolean {
  return (dirty.first ?? Infinity) < liveFromMs
}

/** Returns whether the live hours may lack samples or records, because an hour before them is dirty. */
export function isLiveUncertain(track: MachineTrack, liveFromMs: number): boolean {
  return track.liveness !== 'exact' && isBehind(track, liveFromMs)
}

/**
 * Marks the start of the live hours as outdated. It is derived from the first window again; while a derivation is in progress, its window
 * stays, so that frequent older samples do not prevent a longer one.
 */
export function setOutdated(track: MachineTrack): void {
  if (track.liveness !== 'outdated') track.windowHours = firstWindowHours
  track.liveness = 'outdated'
}

/** Returns the derived start state of an hour whose previous hours are not complete; null if it is not known. */
export function derivedStart(track: MachineTrack, slotMs: number): MachineState | null {
  const { liveStart, liveness } = track
  return liveness === 'exact' && liveStart?.slotMs === slotMs && isBehind(track, slotMs) ? liveStart.state : null
}

/**
 * Replaces derived start states by those of the previous hours as soon as these are complete: their end may differ from a state that was
 * derived before the last changes, although none of these changes reaches it.
 */
export function checkDerivedSlots(track: MachineTrack): void {
  if (isBehind(track, Math.min(...track.derivedSlots))) return
  track.dirty.addHours(track.derivedSlots)
  track.derivedSlots.clear()
  track.liveStart = null
  track.liveness = 'exact'
}
