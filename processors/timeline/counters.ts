import type { Counter } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

/** A counter after one more value, and the parts that this value adds. */
export interface Counted {
  readonly counter: Counter
  /** Before any multiplier; may be negative. */
  readonly added: number
}

type Limits = Pick<StateSettings, 'maxResetParts' | 'maxPartJump'>

/**
 * One value of a part counter. The first ever is a baseline. A smaller one is a reset and adds itself if it is small, else a
 * correction by hand. Where the next value is back at what was before a smaller one, that was a glitch and is made good.
 */
export function count(counter: Counter | undefined, value: number, limits: Limits): Counted {
  if (!counter) return { counter: { last: value, glitch: null }, added: 0 }
  const added = cut(additionOf(counter, value, limits), limits)
  return { counter: { last: value, glitch: glitchOf(counter, value, added, limits) }, added }
}

function additionOf({ last, glitch }: Counter, value: number, { maxResetParts }: Limits): number {
  if (glitch && value >= glitch.before) return value - glitch.before - glitch.added
  if (value >= last) return value - last
  return value <= maxResetParts && value <= last / 2 ? value : 0
}

function cut(addition: number, { maxPartJump }: Limits): number {
  return addition > maxPartJump ? 0 : addition
}

function glitchOf({ last }: Counter, value: number, added: number, { maxResetParts }: Limits): Counter['glitch'] {
  return value < last && last > maxResetParts ? { before: last, added } : null
}
