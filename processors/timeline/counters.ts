import type { Counter } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

/** State of a counter after a value, and the parts that the value adds. */
export interface CountResult {
  readonly counter: Counter
  /** Before applying the multiplier; may be negative. */
  readonly added: number
}

type Limits = Pick<StateSettings, 'maxResetParts' | 'maxPartJump'>

const noCounter: CountResult['counter'] = { last: 0, dip: null, spikeFrom: null }

/**
 * Counts one value of a part counter. The first value is a baseline, and a value equal to the last one adds nothing. A
 * smaller value is a reset if it is small, and adds itself; otherwise it is a correction. The next different value
 * shows whether a jump was a dip or a spike, and corrects it.
 */
export function count(counter: Counter | undefined, value: number, limits: Limits): CountResult {
  if (!counter) return { counter: { ...noCounter, last: value }, added: 0 }
  const { last, dip } = counter
  if (value === last) return { counter, added: 0 }
  const spikeFrom = endedSpikeFrom(counter, value, limits)
  if (spikeFrom !== null) return { counter: { ...noCounter, last: value }, added: value - spikeFrom }
  const from = dip && value >= dip.before ? dip.from : countingBase(last, value, limits)
  const isJump = value - from > limits.maxPartJump
  const added = isJump ? 0 : value - from
  const isDip = value < last && last > limits.maxResetParts
  return {
    counter: { last: value, dip: isDip ? { before: last, from: last + added } : null, spikeFrom: isJump ? from : null },
    added,
  }
}

/**
 * Returns the value from which the last value was counted, if `value` shows that the last value was a spike; otherwise
 * null.
 */
function endedSpikeFrom({ last, spikeFrom }: Counter, value: number, { maxPartJump }: Limits): number | null {
  if (spikeFrom === null || value > last || value < spikeFrom) return null
  return value - spikeFrom <= maxPartJump ? spikeFrom : null
}

/**
 * Returns the value from which an addition is counted: 0 after a reset; the value itself for a correction, which adds
 * nothing.
 */
function countingBase(last: number, value: number, { maxResetParts }: Limits): number {
  if (value > last) return last
  return value <= maxResetParts && value <= last / 2 ? 0 : value
}

/** Returns the parts that a value adds if each sample reports an increment; 0 if it exceeds `maxPartJump`. */
export function countIncrement(value: number, { maxPartJump }: Limits): number {
  return value > maxPartJump ? 0 : Math.trunc(value)
}
