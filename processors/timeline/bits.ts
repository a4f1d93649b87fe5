import { statuses, type Status } from '../../schema/document.ts'

/** A machine's own state at an instant as one small integer: status code, in cycle, spindle, cut. */
export type Bits = number

const inCycleBit = 4
const spindleBit = 8
const cutBit = 16

/** UNAVAILABLE, and neither in cycle, rotating nor cutting: what a stale machine is. */
export const staleBits: Bits = 0

/** Packs a state. */
export function bitsOf(status: Status, inCycle: boolean, spindle: boolean, cut: boolean): Bits {
  return statuses.indexOf(status) | (inCycle ? inCycleBit : 0) | (spindle ? spindleBit : 0) | (cut ? cutBit : 0)
}

/** The status in a packed state. */
export function statusOf(bits: Bits): Status {
  return statuses[bits & 3] ?? 'UNAVAILABLE'
}

/** Whether any path is in cycle. */
export function isInCycle(bits: Bits): boolean {
  return (bits & inCycleBit) !== 0
}

/** Whether a spindle rotates. */
export function isSpindle(bits: Bits): boolean {
  return (bits & spindleBit) !== 0
}

/** Whether the machine cuts. */
export function isCut(bits: Bits): boolean {
  return (bits & cutBit) !== 0
}
