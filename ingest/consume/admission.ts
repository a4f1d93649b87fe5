import { type Sample, omittedFields } from '../../schema/sample.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { defaultCategory } from '../decode/names.ts'
import type { MachineInfo } from '../decode/validate.ts'
import { type DeadLetters, rejectedSample } from './dead-letters.ts'
import { MachineBounds, type MachineLimits } from './machine-bounds.ts'
import { MachineClocks } from './machine-clocks.ts'
import { MetricIssues } from './metric-issues.ts'
import type { SampleIssueReporter, Logger, UsedName, UsedNames } from './ports.ts'
import { ReusedSequences } from './reused-sequences.ts'
import type { AcceptedSamples, Run } from './accepted-samples.ts'
import { noMachine } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'

export interface AdmissionOptions {
  readonly limits?: MachineLimits | undefined
  readonly usedNames?: UsedNames | undefined
  readonly sampleIssues?: SampleIssueReporter | undefined
  readonly logger: Logger
}

/** Interval of retries to read used names while the store is unavailable. */
const retryMs = 10_000

/** Accepts valid samples within the key limits of their machines, and reports sample issues. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #bounds: MachineBounds
  readonly #metrics: MetricIssues | null
  readonly #clocks: MachineClocks | null
  readonly #sequences: ReusedSequences | null
  /** Machines whose used names have been read. */
  readonly #read = new Set<number>()
  #retryAtMs = -Infinity

  constructor(options: AdmissionOptions) {
    this.#options = options
    const { limits, sampleIssues } = options
    const metrics = sampleIssues ? new MetricIssues(sampleIssues) : null
    this.#metrics = metrics
    this.#clocks = sampleIssues ? new MachineClocks(sampleIssues) : null
    this.#sequences = sampleIssues ? new ReusedSequences(sampleIssues) : null
    this.#bounds = new MachineBounds(limits, (machineRef, names) => metrics?.addMetric(machineRef, names))
  }

  /**
   * Reads the names that new machines of these samples have used before; must be called before the other methods.
   * Without the store, continues with no used names.
   */
  async prepare(runs: readonly Run[]): Promise<void> {
    const { usedNames, logger } = this.#options
    if (!usedNames || performance.now() < this.#retryAtMs) return
    const unknown = new Map<number, MachineInfo>()
    for (const { machine } of runs) if (!this.#read.has(machine.ref)) unknown.set(machine.ref, machine)
    if (unknown.size === 0) return
    try {
      for (const [companyRef, machines] of groupBy([...unknown.values()], machine => machine.companyRef)) {
        const refs = machines.map(({ ref }) => ref)
        for (const used of await usedNames.read(companyRef, refs)) this.#restore(used, unknown)
        for (const machineRef of refs) this.#read.add(machineRef)
      }
    } catch (error) {
      this.#retryAtMs = performance.now() + retryMs
      logger.warn({ err: error }, 'Failed to read used keys of machines')
    }
  }

  #restore(used: UsedName, machines: ReadonlyMap<number, MachineInfo>): void {
    const namedKeys = machines.get(used.machineRef)?.namedKeys ?? new Set<string>()
    this.#bounds.restore({ ...noSample, ...used, category: defaultCategory(used.type) }, namedKeys)
  }

  /** Returns the samples within the limits of their machines; the other ones become dead letters. Yields to the event loop. */
  async admit(samples: AcceptedSamples, deadLetters: DeadLetters): Promise<AcceptedSamples> {
    const rejected = new Set<number>()
    const slice = new TimeSlice()
    for (const run of samples.runs) {
      if (!this.#acceptsNames(run, samples)) this.#checkEach(run, samples, deadLetters, rejected)
      if (slice.isOver) await slice.next()
    }
    return rejected.size === 0 ? samples : samples.without(rejected)
  }

  /** Whether all samples with the names of a run can be accepted, because none of them is a condition and all names are known or new. */
  #acceptsNames({ machine, names }: Run, { rows }: AcceptedSamples): boolean {
    return names.every(place => {
      const own = rows.names[place]
      return own !== undefined && own.category !== 'CONDITION' && this.#bounds.checkNames(own, machine) === null
    })
  }

  #checkEach(
    { source, machine, first, end }: Run,
    { rows }: AcceptedSamples,
    deadLetters: DeadLetters,
    rejected: Set<number>,
  ): void {
    for (let index = first; index < end; index++) {
      const { sample } = rows.at(index)
      const rejection = this.#bounds.check(sample, machine)
      if (rejection === null) continue
      rejected.add(index)
      deadLetters.add(source, rejectedSample(source, machine.id, sample, rejection))
      this.#options.sampleIssues?.report(machine.ref, rejection.reason, rejection.message, 1, sample.key)
    }
  }

  /** Checks an accepted state sample for issues. */
  checkSample(sample: Sample, machine: MachineInfo): void {
    this.#metrics?.checkSample(sample, machine)
  }

  /** Checks the accepted samples of whole records for issues. */
  checkRecords({ runs, rows }: Pick<AcceptedSamples, 'runs' | 'rows'>): void {
    this.#clocks?.check(runs, rows.atUs)
    this.#sequences?.check(runs, rows)
    const { usedNames } = this.#options
    this.#metrics?.checkRuns(runs, rows, ({ ref }) => usedNames === undefined || this.#read.has(ref))
  }
}

const noSample: Sample = {
  machineRef: noMachine,
  atUs: 0,
  key: '',
  type: '',
  subtype: '',
  category: 'EVENT',
  value: '',
  ...omittedFields,
}
