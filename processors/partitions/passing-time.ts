import { hourMs, slotOf } from '../../shared/time/units.ts'
import { mayGoStale, staleFrom } from '../timeline/staleness.ts'
import type { MachineTrack } from './machine-track.ts'

/**
 * Lead time with which the document of the next hour is written, spread over this number of instants, so that the start
 * of an hour is not a burst: an insert costs as much for one machine as for many.
 */
const aheadMs = 600_000
const aheadTimes = 20
/** Time before a machine goes stale in which its documents are rewritten. */
const staleMarginMs = 40_000

/** Marks the hours that become due with time: a new hour, the next one, and that of a machine that would go stale. */
export function markPassingTime(track: MachineTrack, nowMs: number): void {
  const current = slotOf(nowMs)
  const needed = nowMs >= current + hourMs - aheadOf(track) ? current + hourMs : current
  if (isStaleSoon(track, nowMs) || (needed > track.lastSlotMs && track.lastSeenMs > track.writtenSeenMs)) {
    if (mayGoStale(track.parameters.settings)) track.dirty.add(Math.min(track.lastSlotMs, slotOf(track.lastSeenMs)))
  }
  track.dirty.add(track.lastSlotMs + hourMs, needed + hourMs)
}

/** Lead time of a machine: at each instant a twentieth of the machines writes its next hour. */
function aheadOf({ machineRef }: MachineTrack): number {
  return (1 + ((machineRef * 7919) % aheadTimes)) * (aheadMs / aheadTimes)
}

function isStaleSoon(track: MachineTrack, nowMs: number): boolean {
  if (track.lastSeenMs <= track.writtenSeenMs) return false
  return staleFrom(track.parameters.settings, track.writtenSeenMs) - staleMarginMs < nowMs
}
