import { statuses, type Status } from '../../schema/document.ts'

/** State of a machine at an instant, packed into a small integer: status code, in cycle, spindle, cut. */
export type Bits = number

const inCycleBit = 4
const spindleBit = 8
const cutBit = 16

/** State of a stale machine: UNAVAILABLE, and neither in cycle, rotating nor cutting. */
export const staleBits: Bits = 0

/** Packs a state. */
export function bitsOf(status: Status, inCycle: boolean, spindle: boolean, cut: boolean): Bits {
  return statuses.indexOf(status) | (inCycle ? inCycleBit : 0) | (spindle ? spindleBit : 0) | (cut ? cutBit : 0)
}

/** Returns the status in a packed state. */
export function statusOf(bits: Bits): Status {
  return statuses[bits & 3] ?? 'UNAVAILABLE'
}

/** Returns whether any path is in cycle. */
export function isInCycle(bits: Bits): boolean {
  return (bits & inCycleBit) !== 0
}

/** Returns whether a spindle rotates. */
export function isSpindleRotating(bits: Bits): boolean {
  return (bits & spindleBit) !== 0
}

/** Returns whether the machine cuts. */
export function isCutting(bits: Bits): boolean {
  return (bits & cutBit) !== 0
}
