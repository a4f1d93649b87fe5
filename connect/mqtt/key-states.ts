import type { MappedSample } from '../../ingest/mapping/message-mapping.ts'
import { timestampText } from '../../ingest/shdr/timestamps.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import type { WireSample } from '../../schema/topics.ts'
import { categoryOf, codeOf, contentOf, holdsState, type KeyState } from './key-state.ts'

/** Names of a key in its samples. */
type KeyNames = Pick<WireSample, 'machineId' | 'key' | 'type' | 'subtype' | 'category'>

/** How the broker sent a message. */
export interface Origin {
  /** UTC µs. */
  readonly receivedUs: number
  readonly isRetained: boolean
  readonly isQos0: boolean
}

/**
 * Decides which samples the observations of a connector give: it skips repeated ones, separates those of one
 * microsecond, restates values after UNAVAILABLE, and marks gaps.
 */
export class KeyStates {
  readonly totals = { duplicates: 0, backwards: 0 }
  readonly #states = new Map<string, KeyState>()
  readonly #changed = new Set<string>()

  /** Restores a stored state. */
  restore(id: string, state: KeyState): void {
    this.#states.set(id, state)
  }

  /** Removes the state of a key; returns whether it had one. */
  remove(id: string): boolean {
    this.#changed.delete(id)
    return this.#states.delete(id)
  }

  get(id: string): KeyState | undefined {
    return this.#states.get(id)
  }

  /** Returns the keys whose states have changed since the last call. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Adds the samples of an observation to a list. */
  observe(observed: MappedSample, { isRetained, isQos0 }: Origin, samples: WireSample[]): void {
    const { id, sample, hasTime } = observed
    if (observed.isRejected) return void samples.push(sample)
    const before = this.#states.get(id)
    const content = contentOf(sample)
    const atUs = timeOf(observed, before)
    if (before !== undefined && isRepeated(before, { sample, content, atUs, hasTime, isRetained })) {
      this.totals.duplicates++
      if (before.isQos0 !== isQos0) this.#set(id, { ...before, isQos0 })
      return
    }
    const isOld = before !== undefined && atUs < before.sourceUs
    if (isOld && !isRetained) this.totals.backwards++
    const sentUs = before !== undefined && atUs === before.sourceUs ? sentAgain(before, content) : atUs
    samples.push(at(sample, observed.atUs, sentUs))
    const isRestated = this.#restate(sample, sentUs, before?.restateUs, samples)
    const restateUs = nextRestateUs(sample, sentUs, before?.restateUs, isRestated)
    const newestUs = Math.max(sentUs, restateUs ?? sentUs, before?.newestUs ?? sentUs)
    const keepsLast = isOld && isRetained
    this.#set(id, {
      sourceUs: keepsLast ? before.sourceUs : atUs,
      sentUs: keepsLast ? before.sentUs : sentUs,
      newestUs,
      content: keepsLast ? before.content : content,
      codes: keepsLast ? before.codes : codesOf(sample, content, atUs, before),
      restateUs,
      isRestated,
      isQos0,
    })
  }

  /**
   * Adds a gap marker for each EVENT and CONDITION key that `isMarked` selects, at the time after the last contact and the
   * newest sample of its machine. Returns the machines with markers.
   */
  markGap(
    names: (id: string) => KeyNames,
    contactUs: number,
    isMarked: (id: string, state: KeyState) => boolean,
    samples: WireSample[],
  ): ReadonlySet<string> {
    const marked = [...this.#states].filter(([id, state]) => categoryOf(names(id)) !== 'SAMPLE' && isMarked(id, state))
    const newestUs = new Map<string, number>()
    for (const [id, state] of this.#states) {
      const { machineId } = names(id)
      newestUs.set(machineId, Math.max(newestUs.get(machineId) ?? contactUs, state.newestUs))
    }
    for (const [id, state] of marked) {
      const named = names(id)
      const markerUs = (newestUs.get(named.machineId) ?? contactUs) + 1
      samples.push({ ...named, timestamp: timestampText(markerUs), value: unavailableValue })
      this.#set(id, { ...state, newestUs: markerUs, restateUs: markerUs, isRestated: false })
    }
    return new Set(marked.map(([id]) => names(id).machineId))
  }

  #set(id: string, state: KeyState): void {
    this.#states.set(id, state)
    this.#changed.add(id)
  }

  /** Adds a value again after an UNAVAILABLE that sorts after it; returns whether it has. */
  #restate(sample: WireSample, sentUs: number, restateUs: number | undefined, samples: WireSample[]): boolean {
    if (restateUs === undefined || sentUs > restateUs) return false
    if (sample.value === unavailableValue || !holdsState(sample)) return false
    samples.push({ ...sample, timestamp: timestampText(restateUs + 1) })
    return true
  }
}

function nextRestateUs(
  { value }: WireSample,
  sentUs: number,
  restateUs: number | undefined,
  isRestated: boolean,
): number | undefined {
  if (restateUs === undefined || sentUs > restateUs) return value === unavailableValue ? sentUs : undefined
  return isRestated ? restateUs + 1 : restateUs
}

/** UNAVAILABLE without a time follows everything that was delivered before. */
function timeOf({ sample, atUs, hasTime }: MappedSample, before: KeyState | undefined): number {
  return before !== undefined && !hasTime && sample.value === unavailableValue
    ? Math.max(atUs, before.newestUs + 1)
    : atUs
}

interface Observed {
  readonly sample: WireSample
  readonly content: string
  readonly atUs: number
  readonly hasTime: boolean
  readonly isRetained: boolean
}

function isRepeated(before: KeyState, { sample, content, atUs, hasTime, isRetained }: Observed): boolean {
  const { restateUs, isRestated = false } = before
  if (!hasTime) return isRetained && restateUs === undefined && content === before.content
  if (atUs !== before.sourceUs) return false
  const isSame = before.codes?.some(([code, each]) => code === codeOf(sample) && each === content)
  if (!(isSame ?? content === before.content)) return false
  return restateUs === undefined || atUs > restateUs || isRestated || !holdsState(sample)
}

/** Returns the time, in µs, of a value with the source time of the previous value: equal values have one time. */
function sentAgain(before: KeyState, content: string): number {
  return content === before.content ? before.sentUs : before.sentUs + 1
}

/** Limit of the codes of a condition at one time. */
const maxCodes = 50

function codesOf(sample: WireSample, content: string, atUs: number, before: KeyState | undefined): KeyState['codes'] {
  if (categoryOf(sample) !== 'CONDITION') return undefined
  const code = codeOf(sample)
  const others = before?.sourceUs === atUs && code !== '' ? (before.codes ?? []).filter(([each]) => each !== code) : []
  return [...others.slice(1 - maxCodes), [code, content]]
}

function at(sample: WireSample, mappedUs: number, sentUs: number): WireSample {
  return sentUs === mappedUs ? sample : { ...sample, timestamp: timestampText(sentUs) }
}
