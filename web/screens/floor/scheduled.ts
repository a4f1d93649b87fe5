import type { FloorMachine } from './floor-machine.ts'

/** Until then, a stop may not be read yet. */
const unreadStopMs = 60_000

/**
 * Whether a machine is in cycle or should be at a moment (UTC ms): an open downtime record states that a machine is
 * scheduled. A machine that has just stopped counts as scheduled.
 */
export function isScheduled({ now, stop }: Pick<FloorMachine, 'now' | 'stop'>, nowMs: number): boolean {
  const hasJustStopped = now.sinceMs !== null && nowMs - now.sinceMs < unreadStopMs
  return now.status === 'ACTIVE' || stop !== null || hasJustStopped
}
