import { type Sample, unsaid } from '../../schema/sample.ts'
import type { LogRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'
import type { DecidingNames } from '../../processors/timeline/deciding.ts'
import { roleOf } from '../../processors/timeline/names.ts'
import type { Accepted } from '../decode/judge.ts'
import type { MachineInfo } from '../decode/machine.ts'
import { defaultCategory } from '../decode/names.ts'
import { refusedSample } from './dead-letters.ts'
import { MachineBounds, type MachineLimits } from './machine-bounds.ts'
import type { FaultBook, Logger, UsedName, UsedNames } from './ports.ts'
import { type CompanyRef, type MachineRef, noMachine } from '../../schema/refs.ts'

export interface AdmissionOptions {
  readonly limits?: MachineLimits | undefined
  readonly usedNames?: UsedNames | undefined
  readonly faults?: FaultBook | undefined
  readonly logger: Logger
}

/** The EXECUTION values of MTConnect: https://www.mtconnect.org/documents (part 2). */
const executionValues: ReadonlySet<string> = new Set([
  'ACTIVE',
  'FEED_HOLD',
  'INTERRUPTED',
  'OPTIONAL_STOP',
  'PROGRAM_COMPLETED',
  'PROGRAM_OPTIONAL_STOP',
  'PROGRAM_STOPPED',
  'READY',
  'STOPPED',
  'UNAVAILABLE',
  'WAIT',
])

/** Used names are asked for again this long after the store did not answer. */
const askAgainMs = 10_000

/** Takes sound samples within the bounds of names that each machine may use, and tells the faults of machines. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #bounds: MachineBounds
  /** Machines whose used names are known. */
  readonly #read = new Set<number>()
  #askAtMs = -Infinity

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#bounds = new MachineBounds(options.limits)
  }

  /** Reads what machines used before, where it is not known yet; call it before the others. While the store is away it goes without. */
  async prepare(machines: Iterable<MachineInfo>): Promise<void> {
    const { usedNames, logger } = this.#options
    if (!usedNames || performance.now() < this.#askAtMs) return
    const unknown = new Map<number, MachineInfo>()
    for (const machine of machines) if (!this.#read.has(machine.ref)) unknown.set(machine.ref, machine)
    if (unknown.size === 0) return
    try {
      for (const [companyRef, refs] of byCompany(unknown.values())) {
        for (const used of await usedNames.read(companyRef, refs)) this.#restore(used, unknown)
        for (const machineRef of refs) this.#read.add(machineRef)
      }
    } catch (error) {
      this.#askAtMs = performance.now() + askAgainMs
      logger.warn({ err: error }, 'the keys that machines used before were not read')
    }
  }

  #restore(used: UsedName, machines: ReadonlyMap<number, MachineInfo>): void {
    const namedKeys = machines.get(used.machineRef)?.namedKeys ?? new Set<string>()
    this.#bounds.restore({ ...noSample, ...used, category: defaultCategory(used.type) }, namedKeys)
  }

  /** The samples of a record that are taken, in their order; `refuse` is told of the dead letter of each of the others. */
  admit(
    source: LogRecord,
    decoded: readonly Accepted[],
    refuse: (source: LogRecord, letter: DeadLetter) => void,
  ): readonly Accepted[] {
    return decoded.filter(({ sample, machine }) => {
      const bounded = this.#bounds.judge(sample, machine)
      if (bounded === null) return true
      refuse(source, refusedSample(source, machine.id, sample, bounded))
      this.#options.faults?.tell(machine.ref, bounded.reason, bounded.message, 1)
      return false
    })
  }

  /** Whether a machine's samples of these names, none of them a condition, are taken whatever they say; false: `admit` judges each. */
  takesNames(machine: MachineInfo, names: DecidingNames): boolean {
    return this.#bounds.judgeNames(names, machine) === null
  }

  /** Tells what is odd about a sample that is taken. */
  look(sample: Sample): void {
    if (!this.#options.faults || roleOf(sample) !== 'execution') return
    const { machineRef, key, value } = sample
    if (executionValues.has(value) || executionValues.has(value.toUpperCase())) return
    const message = `EXECUTION ${key.slice(0, 60)} is ${value.slice(0, 60)}, which is no value of it: it counts as not in cycle`
    this.#options.faults.tell(machineRef, 'unknown_execution_value', message, 1)
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
  ...unsaid,
}

function byCompany(machines: Iterable<MachineInfo>): ReadonlyMap<CompanyRef, readonly MachineRef[]> {
  const groups = new Map<CompanyRef, MachineRef[]>()
  for (const { companyRef, ref } of machines) groups.set(companyRef, [...(groups.get(companyRef) ?? []), ref])
  return groups
}
