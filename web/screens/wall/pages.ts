import type { FloorMachine } from '../floor/floor-machine.ts'
import { isScheduled } from '../floor/scheduled.ts'

/** Room for tiles, px. */
export interface Room {
  readonly width: number
  readonly height: number
}

/** Size of the smallest tile whose text is legible, its gap included, px. */
const tile = { width: 178, height: 148 }
const largestScale = 3.2

/** A stop moves a machine to the front only from this length on: machines that pause between parts would move all the time. */
const notedStopMs = 60_000

/** State of a tile: `idle` is neither in cycle nor scheduled. */
export type WallKind = 'stopped' | 'running' | 'idle' | 'silent'
export const wallKinds: readonly WallKind[] = ['stopped', 'running', 'idle', 'silent']

/** The kind of a machine at a moment (UTC ms). */
function kindOf({ now, stop }: FloorMachine, nowMs: number): WallKind {
  if (stop !== null && nowMs - stop.sinceMs >= notedStopMs) return 'stopped'
  if (now.status === 'UNAVAILABLE') return 'silent'
  return isScheduled({ now, stop }, nowMs) ? 'running' : 'idle'
}

/** A machine with its kind. */
export interface WallMachine {
  readonly floor: FloorMachine
  readonly kind: WallKind
}

/** The kind that the head of the wall counts: `silent` for each machine without a known status. */
export function countedKind({ floor, kind }: WallMachine): WallKind {
  return floor.now.status === 'UNAVAILABLE' ? 'silent' : kind
}

/** Adds the kinds, and puts stopped machines first, the longest stop before the others; the rest keep their order. */
export function inWallOrder(machines: readonly FloorMachine[], nowMs: number): readonly WallMachine[] {
  const all = machines.map(floor => ({ floor, kind: kindOf(floor, nowMs) }))
  const sinceOf = ({ floor }: WallMachine) => floor.stop?.sinceMs ?? 0
  const stopped = all.filter(({ kind }) => kind === 'stopped').toSorted((a, b) => sinceOf(a) - sinceOf(b))
  return [...stopped, ...all.filter(({ kind }) => kind !== 'stopped')]
}

/** Number of columns with which the tiles are largest, and their scale: at least 1, which may not fit. */
export function fitTiles(count: number, { width, height }: Room): { readonly columns: number; readonly scale: number } {
  let best = { columns: 1, scale: 0 }
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns)
    const scale = Math.min(width / columns / tile.width, height / rows / tile.height)
    if (scale > best.scale) best = { columns, scale }
  }
  return { columns: best.columns, scale: Math.min(largestScale, Math.max(1, best.scale)) }
}

/** Cuts machines in the order of the wall into pages. Each page begins with all stopped machines, unless they alone fill it. */
export function pagesOf(
  machines: readonly WallMachine[],
  { width, height }: Room,
): readonly (readonly WallMachine[])[] {
  const columns = Math.max(1, Math.floor(width / tile.width))
  const most = columns * Math.max(1, Math.floor(height / tile.height))
  if (machines.length <= most) return machines.length === 0 ? [] : [machines]
  const stopped = machines.filter(({ kind }) => kind === 'stopped')
  const pinned = stopped.length <= most - columns ? stopped : []
  const rest = pinned.length === 0 ? machines : machines.filter(({ kind }) => kind !== 'stopped')
  const count = Math.ceil(rest.length / (most - pinned.length))
  const size = Math.ceil(rest.length / count)
  return Array.from({ length: count }, (_, index) => [...pinned, ...rest.slice(index * size, (index + 1) * size)])
}
