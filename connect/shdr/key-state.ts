import { isUnavailable } from '../../ingest/shdr/words.ts'
import type { Observation } from '../../ingest/shdr/parsed-line.ts'
import type { Category } from '../../schema/sample.ts'
import { storedText } from '../positions/stored-text.ts'

/** Limit of the stored codes of a condition; beyond it, the oldest are removed. */
const maxCodes = 1_000
/** Bytes above which the digest of a text is stored: all codes of a condition must fit a chunk of the position. */
const maxTextBytes = 64

/** The values that a key has delivered, as plain JSON. */
export interface StoredKey {
  readonly machineId: string
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  /** Time of the last observation in the source, and as delivered, UTC µs. */
  sourceUs: number
  atUs: number
  /** Content of the last observation; of a condition, that of each code with its time: see `codes`. */
  content: string
  /** Time of UNAVAILABLE or of the last value that was restated after it, UTC µs. */
  restateUs: number | null
  /** Whether no observation has followed the last gap marker. */
  isMarked: boolean
  /** Times and contents of the last observations of a condition by code, the newest last. */
  codes: readonly (readonly [code: string, sourceUs: number, content: string])[]
}

/** Whether an observation equals the last one of its key, or of its code, and its time is not after that one. */
export function isSentAgain(state: StoredKey, observation: Observation, sourceUs: number): boolean {
  const content = contentOf(observation)
  if (state.category !== 'CONDITION') return content === state.content && sourceUs <= state.sourceUs
  const code = shortened(observation.nativeCode ?? '')
  const isEqual = state.codes.some(([known, us, last]) => known === code && sourceUs <= us && content === last)
  return isEqual && (!endsAll(observation) || state.codes.length === 1)
}

/**
 * Stores an observation, and returns its time of delivery, UTC µs: one with the time of the previous one moves to 1 µs after
 * that one, because samples without numbers are ordered by time and then by value.
 */
export function advance(state: StoredKey, observation: Observation, sourceUs: number): number {
  // A later time must not be before the times to which equal times have moved.
  const isMoved = sourceUs >= state.sourceUs && sourceUs <= state.atUs
  state.atUs = isMoved ? state.atUs + 1 : sourceUs
  state.sourceUs = sourceUs
  if (state.category === 'CONDITION') state.codes = codesAfter(state, observation, sourceUs)
  else state.content = contentOf(observation)
  return state.atUs
}

function codesAfter({ codes }: StoredKey, observation: Observation, sourceUs: number): StoredKey['codes'] {
  const code = shortened(observation.nativeCode ?? '')
  const others = endsAll(observation) ? [] : codes.filter(([known]) => known !== code)
  return [...others.slice(1 - maxCodes), [code, sourceUs, contentOf(observation)]]
}

/** NORMAL and UNAVAILABLE without a code end all codes: a code that is raised again after them is not a duplicate. */
function endsAll({ nativeCode = '', value }: Observation): boolean {
  return nativeCode === '' && (isUnavailable(value) || value.toUpperCase() === 'NORMAL')
}

function contentOf({ value, nativeCode, nativeSeverity, qualifier, message }: Observation): string {
  if (nativeCode === undefined) return shortened(value)
  return shortened(JSON.stringify([value, nativeCode, nativeSeverity, qualifier, message]))
}

function shortened(text: string): string {
  return storedText(text, maxTextBytes)
}
