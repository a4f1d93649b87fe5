import type { AddressQuery } from '../../router/address.ts'

/** Time around a stop that its timeline shows. */
const aroundShare = 0.6
const minAroundMs = 5 * 60_000

/** Query of the timeline of a machine around a stretch of time (UTC ms); `endMs` null: up to now, and live. */
export function timelineAddress(machineId: string, startMs: number, endMs: number | null): AddressQuery {
  if (endMs === null) return { machine: machineId, from: isoOf(startMs - minAroundMs) }
  const aroundMs = Math.max((endMs - startMs) * aroundShare, minAroundMs)
  return { machine: machineId, from: isoOf(startMs - aroundMs), to: isoOf(endMs + aroundMs) }
}

function isoOf(ms: number): string {
  return new Date(Math.round(ms)).toISOString()
}
