import type { Counter } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

/** A counter after one more value, and the parts that this value adds. */
export interface Counted {
  readonly counter: Counter
  /** Before any multiplier; may be negative. */
  readonly added: number
}

type Limits = Pick<StateSettings, 'maxResetParts' | 'maxPartJump'>

const none: Counted['counter'] = { last: 0, dip: null, spikeFrom: null }

/**
 * Counts one value of a part counter. The first value is a baseline, and a value equal to the last one changes nothing. A smaller value is
 * a reset and adds itself if it is small; otherwise it is a correction. The next different value corrects a dip or a spike.
 */
export function count(counter: Counter | undefined, value: number, limits: Limits): Counted {
  if (!counter) return { counter: { ...none, last: value }, added: 0 }
  const { last, dip } = counter
  if (value === last) return { counter, added: 0 }
  const spikeFrom = endedSpikeFrom(counter, value, limits)
  if (spikeFrom !== null) return { counter: { ...none, last: value }, added: value - spikeFrom }
  const from = dip && value >= dip.before ? dip.from : originOf(last, value, limits)
  const isJump = value - from > limits.maxPartJump
  const added = isJump ? 0 : value - from
  const isDip = value < last && last > limits.maxResetParts
  return {
    counter: { last: value, dip: isDip ? { before: last, from: last + added } : null, spikeFrom: isJump ? from : null },
    added,
  }
}

/** Returns the value from which the last value was counted if `value` shows that it was a spike; null: it was not. */
function endedSpikeFrom({ last, spikeFrom }: Counter, value: number, { maxPartJump }: Limits): number | null {
  if (spikeFrom === null || value > last || value < spikeFrom) return null
  return value - spikeFrom <= maxPartJump ? spikeFrom : null
}

/** The value from which an addition is counted: a reset counts from 0, a correction adds nothing. */
function originOf(last: number, value: number, { maxResetParts }: Limits): number {
  if (value > last) return last
  return value <= maxResetParts && value <= last / 2 ? 0 : value
}

/** Parts that one value adds where a source reports each part or batch by itself. */
export function countIncrement(value: number, { maxPartJump }: Limits): number {
  return value > maxPartJump ? 0 : Math.trunc(value)
}
