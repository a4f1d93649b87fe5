import { validateSample, isAccepted, type MachineInfo } from '../../ingest/decode/validate.ts'
import { findDeterminingKeys } from '../../processors/timeline/determining-keys.ts'
import { liveStatus } from '../../processors/timeline/live-status.ts'
import { sortAndDeduplicate } from '../../processors/timeline/order.ts'
import { replay } from '../../processors/timeline/replay.ts'
import { initialState } from '../../processors/timeline/state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import type { TrialMachine } from '../../schema/requests/connector-trial.ts'
import { asCompanyRef, asMachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'

const maxAgeDays = 36_500
const maxAlarms = 20
const startOfHour = (ms: number) => ms - (ms % 3_600_000)

/** Returns a machine that exists in a trial only. */
export function trialMachineInfo(id: string): MachineInfo {
  const refs = { ref: asMachineRef(1), companyRef: asCompanyRef(1) }
  return { id, ...refs, maxSampleAgeDays: maxAgeDays, namedKeys: new Set(), counter: null }
}

/** Machines of a trial: the states that its samples give, computed as the reports compute them. */
export class TrialMachines {
  readonly #byMachine = new Map<string, Sample[]>()
  /** Results of the machines without samples since they were computed: a replay reads all samples of a machine. */
  readonly #computed = new Map<string, TrialMachine>()
  readonly #settingsOf: (machineId: string) => StateSettings

  /** `settingsOf`: the settings of a machine, also of one that does not exist yet. */
  constructor(settingsOf: (machineId: string) => StateSettings) {
    this.#settingsOf = settingsOf
  }

  /** Adds a sample; returns whether it is valid. `nowMs`: UTC ms, for the limits of timestamps. */
  add(wire: WireSample, nowMs: number): boolean {
    const context = { machine: trialMachineInfo, appendedAtMs: nowMs }
    const result = validateSample({ raw: wire, machineId: undefined }, 0, context)
    if (!isAccepted(result)) return false
    getOrCreate(this.#byMachine, result.machine.id, () => []).push(result.sample)
    this.#computed.delete(result.machine.id)
    return true
  }

  /** Returns the machines at the time, UTC ms, in the order of their first samples. */
  read(nowMs: number): readonly TrialMachine[] {
    return [...this.#byMachine].map(([id, samples]) =>
      getOrCreate(this.#computed, id, () => this.#machine(id, samples, nowMs)),
    )
  }

  #machine(machineId: string, samples: readonly Sample[], nowMs: number): TrialMachine {
    const settings = this.#settingsOf(machineId)
    const sorted = sortAndDeduplicate(samples)
    const firstMs = Math.floor((sorted[0]?.atUs ?? 0) / 1000)
    const commissioned = { fromMs: null, createdMs: firstMs, toMs: null }
    // Staleness needs heartbeats, which a trial does not have.
    const inputs = { settings: { ...settings, staleAfterMs: null }, commissioned }
    const { state, additions } = replay(inputs, startOfHour(firstMs), initialState(), sorted, [])
    const parameters = { ...inputs, ...unusedParameters }
    const { status, sinceMs } = liveStatus(parameters, state, nowMs)
    const { alarms: alarmKeys, ...keys } = findDeterminingKeys(sorted, settings)
    const alarms = state.conditions.map(({ key, code, message }) => message || code || key)
    return {
      machineId,
      status,
      since: state.statusSinceMs === null ? null : new Date(sinceMs).toISOString(),
      partCount: additions.reduce((sum, { parts }) => sum + parts, 0),
      alarms: alarms.slice(0, maxAlarms),
      state: [...keys.state],
      spindle: [...keys.spindle],
      parts: [...keys.parts],
      alarmKeys: [...alarmKeys],
    }
  }
}

/** Parameters of a machine that do not affect its status. */
const unusedParameters = {
  companyRef: asCompanyRef(1),
  machineRef: asMachineRef(1),
  scheduledBy: 'shift',
  autoProduction: false,
  calendar: () => [],
} as const
