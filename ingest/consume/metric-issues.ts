import { isExecutionValue } from '../../schema/execution-values.ts'
import type { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { StateSampleFields } from '../../processors/timeline/state-samples.ts'
import { isUncounted, roleOf } from '../../processors/timeline/names.ts'
import { parseDecimal, unavailableValue } from '../../processors/timeline/values.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { shortenName } from '../../schema/error-text.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineInfo } from '../decode/validate.ts'
import type { SampleIssueReporter } from './ports.ts'
import type { Run } from './accepted-samples.ts'

/** Number of consecutive values without a number that make a counter unreadable. */
const unreadableValues = 20
/** Number of samples of a machine after which an EXECUTION key is missing. */
const samplesWithoutExecution = 100
const shownSubtypes = 5

/** Metrics of a machine on which issues depend. */
interface Metrics {
  hasExecution: boolean
  /** Whether it has a PART_COUNT that counts. */
  hasCounter: boolean
  /** The first subtypes of its PART_COUNT that do not count. */
  readonly uncounted: Set<string>
  samples: number
  uncountedSamples: number
  /** By canonical key of a counter: number of consecutive last values without a number. */
  readonly unreadable: Map<string, number>
}

/** Detects issues of the metrics of machines in accepted samples. */
export class MetricIssues {
  readonly #issues: SampleIssueReporter
  readonly #machines = new Map<MachineRef, Metrics>()
  /** Machines that seem to lack a metric: few, so that the check is free for all other machines. */
  readonly #incomplete = new Map<MachineRef, Metrics>()

  constructor(sampleIssues: SampleIssueReporter) {
    this.#issues = sampleIssues
  }

  /** Adds a metric that a machine uses for the first time. */
  addMetric(machineRef: MachineRef, names: StateSampleFields): void {
    const metrics = this.#metricsOf(machineRef)
    const role = roleOf(names)
    if (role === 'execution') metrics.hasExecution = true
    if (role === 'count') metrics.hasCounter = true
    if (isUncounted(names) && metrics.uncounted.size < shownSubtypes) metrics.uncounted.add(names.subtype)
    if (metrics.hasExecution && (metrics.hasCounter || metrics.uncounted.size === 0))
      this.#incomplete.delete(machineRef)
    else this.#incomplete.set(machineRef, metrics)
  }

  checkSample(sample: Sample, machine: MachineInfo): void {
    const role = roleOf(sample)
    if (role === 'execution') this.#checkExecution(sample)
    const { counter } = machine
    if (counter === null || role === 'condition') return
    if (counter.key === null ? role === 'count' : counter.key === cachedCanonicalName(sample.key))
      this.#checkCounter(sample)
  }

  #checkExecution({ machineRef, key, value }: Sample): void {
    if (isExecutionValue(value)) return
    const message = `EXECUTION ${shortenName(key)} has the unknown value ${shortenName(value)}: it counts as not in cycle`
    this.#issues.report(machineRef, 'unknown_execution_value', message, 1, key)
  }

  #checkCounter({ machineRef, key, value }: Sample): void {
    if (value === unavailableValue) return
    const { unreadable } = this.#metricsOf(machineRef)
    const name = cachedCanonicalName(key)
    if ((parseDecimal(value) ?? -1) >= 0) {
      unreadable.delete(name)
      return
    }
    const values = (unreadable.get(name) ?? 0) + 1
    unreadable.set(name, values)
    if (values < unreadableValues) return
    const message = `The last ${unreadableValues} values of the part counter ${shortenName(key)} are not numbers, the last is ${shortenName(value)}. Send plain decimals, such as 12.5`
    this.#issues.report(machineRef, 'unreadable_counter', message, values === unreadableValues ? values : 1, key)
  }

  /**
   * Checks runs of samples for missing metrics. `isKnown`: whether all metrics that the machine used before were added.
   */
  checkRuns(runs: readonly Run[], rows: SampleColumns, isKnown: (machine: MachineInfo) => boolean): void {
    if (this.#incomplete.size === 0) return
    for (const run of runs) {
      const metrics = this.#incomplete.get(run.machine.ref)
      if (metrics !== undefined && isKnown(run.machine)) this.#checkRun(run, metrics, rows)
    }
  }

  #checkRun({ machine, first, end, names }: Run, metrics: Metrics, rows: SampleColumns): void {
    if (!metrics.hasExecution) this.#checkMissingExecution(machine.ref, metrics, end - first)
    if (metrics.hasCounter || metrics.uncounted.size === 0 || machine.counter?.key !== null) return
    const places = names.filter(place => isUncounted(rows.names[place]))
    if (places.length === 0) return
    const samples = rows.named.subarray(first, end).filter(place => places.includes(place)).length
    this.#checkSubtypes(machine.ref, metrics, samples, rows.names[places.at(-1) ?? 0]?.key ?? null)
  }

  #checkMissingExecution(machineRef: MachineRef, metrics: Metrics, samples: number): void {
    const isFirst = metrics.samples < samplesWithoutExecution
    metrics.samples += samples
    if (metrics.samples < samplesWithoutExecution) return
    const message = `No EXECUTION key in ${metrics.samples} samples: the machine stays UNAVAILABLE. Send a key of the type EXECUTION`
    this.#issues.report(machineRef, 'no_execution', message, isFirst ? metrics.samples : samples, null)
  }

  #checkSubtypes(machineRef: MachineRef, metrics: Metrics, samples: number, key: string | null): void {
    const isFirst = metrics.uncountedSamples < unreadableValues
    metrics.uncountedSamples += samples
    if (metrics.uncountedSamples < unreadableValues) return
    const subtypes = [...metrics.uncounted].map(shortenName).join(', ')
    const message = `PART_COUNT has only subtypes that are not counted (${subtypes}). Set partCountKey to the key to count, or send the subtype ALL`
    this.#issues.report(machineRef, 'unreadable_counter', message, isFirst ? metrics.uncountedSamples : samples, key)
  }

  #metricsOf(machineRef: MachineRef): Metrics {
    let metrics = this.#machines.get(machineRef)
    if (metrics === undefined) {
      const noNames = { hasExecution: false, hasCounter: false, uncounted: new Set<string>() }
      metrics = { ...noNames, samples: 0, uncountedSamples: 0, unreadable: new Map<string, number>() }
      this.#machines.set(machineRef, metrics)
    }
    return metrics
  }
}
