import type { Sample } from '../../schema/sample.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { type SampleRole } from './names.ts'
import type { MachineState, TriggeredStop } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import { parseDecimal, isOn, unavailableValue } from './values.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

type SignalState = Pick<MachineState, 'speeds' | 'rotating' | 'cutting' | 'cuttingKnown' | 'cutSignalOn' | 'stops'>

/** Switches and speeds of a machine, each by the last value of its key: spindles, cutting, emergency stops. */
export class Signals {
  readonly #settings: StateSettings
  readonly #cutSignalKey: string | null
  readonly #speeds: Set<string>
  readonly #rotating: Set<string>
  readonly #cutting: Set<string>
  readonly #stops: Map<string, TriggeredStop>
  #cuttingKnown: boolean
  #cutSignalOn: boolean

  constructor(state: SignalState, settings: StateSettings) {
    this.#settings = settings
    this.#cutSignalKey = settings.cutSignal === null ? null : cachedCanonicalName(settings.cutSignal.key)
    this.#speeds = new Set(state.speeds)
    this.#rotating = new Set(state.rotating)
    this.#cutting = new Set(state.cutting)
    this.#stops = new Map(state.stops.map(stop => [cachedCanonicalName(stop.key), stop]))
    this.#cuttingKnown = state.cuttingKnown
    this.#cutSignalOn = state.cutSignalOn
  }

  get spindle(): boolean {
    return this.#speeds.size > 0 || this.#rotating.size > 0
  }

  get cut(): boolean {
    return this.#cutting.size > 0 || this.#cutSignalOn
  }

  get stopped(): boolean {
    return this.#stops.size > 0
  }

  /** Applies a sample by its role; a sample of any role may be of the key of the cut signal. */
  apply(sample: Sample, role: SampleRole, name: string, atMs: number): void {
    if (name === this.#cutSignalKey && !this.#cuttingKnown) this.#applyCutSignal(sample.value)
    if (role === 'speed') this.#applySpeed(name, sample.value)
    else if (role === 'rotating') put(this.#rotating, name, isOn(sample.value))
    else if (role === 'cutting') this.#applyCutting(name, sample.value)
    else if (role === 'stop') this.#applyStop(sample, name, atMs)
  }

  #applySpeed(name: string, value: string): void {
    const speed = parseDecimal(value)
    if (speed === null && value !== unavailableValue) return
    put(this.#speeds, name, speed !== null && speed !== 0 && Math.abs(speed) >= this.#settings.spindleAbove)
  }

  #applyCutting(name: string, value: string): void {
    put(this.#cutting, name, isOn(value))
    if (value === unavailableValue || this.#cutSignalKey === null) return
    this.#cuttingKnown = true
    this.#cutSignalOn = false
  }

  #applyCutSignal(value: string): void {
    const number = parseDecimal(value)
    if (number !== null) this.#cutSignalOn = number > (this.#settings.cutSignal?.above ?? Infinity)
    else if (value === unavailableValue) this.#cutSignalOn = false
  }

  #applyStop({ key, type, value }: Sample, name: string, atMs: number): void {
    if (value.toUpperCase() !== 'TRIGGERED') this.#stops.delete(name)
    else if (!this.#stops.has(name)) this.#stops.set(name, { key, type, startMs: atMs })
  }

  /** State that the next hour starts from, sorted. */
  get stateOut(): SignalState {
    return {
      speeds: [...this.#speeds].sort(compareTexts),
      rotating: [...this.#rotating].sort(compareTexts),
      cutting: [...this.#cutting].sort(compareTexts),
      cuttingKnown: this.#cuttingKnown,
      cutSignalOn: this.#cutSignalOn,
      stops: [...this.#stops.values()].sort((a, b) =>
        compareTexts(cachedCanonicalName(a.key), cachedCanonicalName(b.key)),
      ),
    }
  }
}

function put(set: Set<string>, name: string, on: boolean): void {
  if (on) set.add(name)
  else set.delete(name)
}
