import { ShdrParser } from '../../ingest/shdr/parser.ts'
import type { DataItem } from '../../ingest/shdr/devices.ts'
import type { Observation, ParsedLine, ShdrFault } from '../../ingest/shdr/parsed-line.ts'
import { timestampText } from '../../ingest/shdr/timestamps.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import type { WireSample } from '../../schema/topics.ts'
import { ownCopy } from '../../shared/own-copy.ts'
import { restate } from '../mtconnect/item-state.ts'
import { maxItems } from '../mtconnect/machine-items.ts'
import { SampleList } from '../mtconnect/sample-list.ts'
import type { Content } from '../mtconnect/observation-contents.ts'
import { advance, isSentAgain, type StoredKey } from './key-state.ts'
import type { DeviceMachine, SourceDevices } from './source-devices.ts'
import type { AdapterPosition } from './stored-position.ts'

export interface AdapterStreamOptions extends SourceDevices {
  /** `received`: the time of receipt replaces those of the adapter. */
  readonly time: 'source' | 'received'
}

/** The content of a line, apart from samples. */
export interface AppliedLine {
  readonly command: ParsedLine['command']
  readonly faults: readonly ShdrFault[]
}

const nothing: AppliedLine = { command: null, faults: [] }

/** Converts the lines of an SHDR adapter to samples. A pure function of the position, the lines and their times of receipt. */
export class AdapterStream {
  readonly #options: AdapterStreamOptions
  readonly #states = new Map<string, StoredKey>()
  /** States that changed since the last call of `takeChanges`. */
  readonly #changed = new Set<StoredKey>()
  readonly #samples: SampleList
  #parser: ShdrParser
  #contactUs: number | null
  /** Counters since the start. */
  readonly totals = {
    observations: 0,
    /** Observations that were sent again. */
    duplicates: 0,
    /** Observations whose time is before that of the previous one of their key. */
    backwards: 0,
    /** Observations of devices without a machine, and of keys without a rule. */
    unmapped: 0,
    /** Observations of keys beyond the limit of a connector. */
    ignored: 0,
  }

  constructor(options: AdapterStreamOptions, position: AdapterPosition | null) {
    this.#options = options
    this.#parser = new ShdrParser(options)
    const machineIds = new Set([...options.machines.values()].map(({ machineId }) => machineId))
    this.#samples = new SampleList(position?.newestUs.filter(([machineId]) => machineIds.has(machineId)))
    const items = itemsByName(options)
    for (const state of position?.keys ?? [])
      if (machineIds.has(state.machineId)) this.#states.set(nameOf(state), renamed(state, items.get(nameOf(state))))
    this.#contactUs = position?.contactUs ?? null
  }

  /** Receipt of the last byte, UTC µs; null: the adapter was never connected. */
  get contactUs(): number | null {
    return this.#contactUs
  }

  /** Removes and returns the samples of the lines since the last call. */
  takeSamples(): readonly WireSample[] {
    return this.#samples.take()
  }

  /** Returns the position with only those machines and keys that changed since the last call. */
  takeChanges(): AdapterPosition {
    const keys = [...this.#changed].map(state => structuredClone(state))
    this.#changed.clear()
    return { contactUs: this.#contactUs ?? 0, newestUs: this.#samples.takeNewest(), keys }
  }

  /**
   * A connection has begun: what the adapter sent since the last contact is lost. Returns whether gap markers were added:
   * keys that have one already get no other.
   */
  connect(atUs: number): boolean {
    this.#parser = new ShdrParser(this.#options)
    const contactUs = this.#contactUs
    this.#contactUs ??= atUs
    const marked = [...this.#states.values()].filter(({ category, isMarked }) => category !== 'SAMPLE' && !isMarked)
    const times = new Map(
      [...this.#samples.newestUs].map(([machineId, newestUs]) => [machineId, Math.max(contactUs ?? 0, newestUs) + 1]),
    )
    for (const state of marked) {
      state.restateUs = times.get(state.machineId) ?? atUs
      state.isMarked = true
      this.#changed.add(state)
      this.#add(state, { key: state.key, value: unavailableValue }, state.restateUs)
    }
    return marked.length > 0
  }

  /** Bytes were received. */
  contact(atUs: number): void {
    this.#contactUs = atUs
  }

  /** Applies a line that was received at a time, UTC µs. */
  apply(line: string, receivedUs: number): AppliedLine {
    const parsed = this.#parser.parse(line, receivedUs)
    if (parsed === null) return nothing
    this.#samples.received(receivedUs)
    for (const observation of parsed.observations) this.#deliver(observation, receivedUs)
    return parsed
  }

  /** Returns the number of observations of a line, which is dropped. */
  drop(line: string, receivedUs: number): number {
    return this.#parser.parse(line, receivedUs)?.observations.length ?? 0
  }

  #deliver(observation: Observation, receivedUs: number): void {
    this.totals.observations++
    const machine = this.#options.machines.get(observation.device)
    const isKnown = observation.item !== undefined || this.#options.takesUnknownKeys
    if (machine === undefined || !isKnown) return void this.totals.unmapped++
    const state = this.#stateOf(observation, machine)
    if (state === null) return void this.totals.ignored++
    const sourceUs = this.#sourceUs(observation, machine, receivedUs)
    const content = contentOf(observation)
    // Ingest rejects it: it must not hide later values, nor delay gap markers.
    if (this.#samples.isAhead(sourceUs)) return this.#add(state, content, sourceUs)
    const isAgain = isSentAgain(state, observation, sourceUs)
    this.#changed.add(state)
    state.isMarked = false
    if (isAgain) this.totals.duplicates++
    else if (sourceUs < state.sourceUs) this.totals.backwards++
    const atUs = isAgain ? sourceUs : advance(state, observation, sourceUs)
    if (!isAgain) this.#add(state, content, atUs)
    if (state.category === 'SAMPLE') return
    const { form = 'value', isDiscrete = false } = observation.item ?? {}
    const { type, category } = state
    const restatedUs = restate(state, { type, category, form, isDiscrete }, observation.value, atUs)
    if (restatedUs !== null) this.#add(state, content, restatedUs)
  }

  #sourceUs({ atUs, timestamp }: Observation, { offsetUs }: DeviceMachine, receivedUs: number): number {
    const isReceipt = this.#options.time === 'received' || timestamp === timestampText(receivedUs)
    return isReceipt ? receivedUs : atUs + offsetUs
  }

  #add({ machineId, type, subtype, category }: StoredKey, content: Content, atUs: number): void {
    const names = { machineIds: [machineId], type, subtype, category }
    this.#samples.add(names, content, { atUs, text: timestampText(atUs) }, null)
  }

  /** null: the connector has too many keys. */
  #stateOf({ key, item, category }: Observation, { machineId }: DeviceMachine): StoredKey | null {
    const name = nameOf({ machineId, key })
    const known = this.#states.get(name)
    if (known?.category === category) return known
    if (known === undefined && this.#states.size >= maxItems) return null
    const own = ownCopy(key)
    const names = { machineId, key: own, category, ...typeOf(own, item) }
    const times = { sourceUs: -maxUs, atUs: -maxUs, restateUs: null, isMarked: false }
    const state: StoredKey = { ...names, ...times, content: '', codes: [] }
    this.#states.set(ownCopy(name), state)
    return state
  }
}

/** Before all times. */
const maxUs = Number.MAX_SAFE_INTEGER

/** Returns the items of the machines by `nameOf`. */
function itemsByName({ machines }: SourceDevices): ReadonlyMap<string, DataItem> {
  const named = [...machines].flatMap(([{ dataItems }, { machineId }]) =>
    dataItems.map(item => [nameOf({ machineId, key: item.key }), item] as const),
  )
  return new Map(named)
}

/** Returns a stored key with its present type: the probe document or the rules may have changed. */
function renamed(state: StoredKey, item: DataItem | undefined): StoredKey {
  const isSame = item === undefined || item.category === state.category
  return { ...state, ...(isSame && typeOf(state.key, item)) }
}

function typeOf(key: string, item: DataItem | undefined) {
  return { type: item?.type ?? key.toUpperCase(), subtype: item?.subtype ?? '' }
}

function nameOf({ machineId, key }: Pick<StoredKey, 'machineId' | 'key'>): string {
  return `${machineId}/${key}`
}

function contentOf({ key, value, nativeCode, nativeSeverity, qualifier, message }: Observation): Content {
  return {
    key,
    value,
    details: {
      ...(nativeCode !== undefined && { nativeCode }),
      ...(nativeSeverity !== undefined && { nativeSeverity }),
      ...(qualifier !== undefined && { qualifier }),
      ...(message !== undefined && { message }),
    },
  }
}
