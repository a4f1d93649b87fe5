import type { Sample } from '../../schema/sample.ts'
import type { LogRecord } from '../../log/log.ts'
import type { DeadLetter } from '../../schema/topics.ts'
import { roleOf } from '../../processors/timeline/names.ts'
import type { Accepted } from '../decode/record.ts'
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

  /** Reads what the machines of records used before, where it is not known yet; call it before `admit`. While the store is away it goes without. */
  async prepare(records: readonly { readonly accepted: readonly Accepted[] }[]): Promise<void> {
    const { usedNames, logger } = this.#options
    if (!usedNames || performance.now() < this.#askAtMs) return
    const unknown = new Map<number, Accepted>()
    for (const { accepted } of records)
      for (const each of accepted) if (!this.#read.has(each.machine.ref)) unknown.set(each.machine.ref, each)
    if (unknown.size === 0) return
    try {
      for (const [companyRef, machines] of byCompany(unknown.values())) {
        for (const used of await usedNames.read(companyRef, machines)) this.#restore(used, unknown)
        for (const machineRef of machines) this.#read.add(machineRef)
      }
    } catch (error) {
      this.#askAtMs = performance.now() + askAgainMs
      logger.warn({ err: error }, 'the keys that machines used before were not read')
    }
  }

  #restore(used: UsedName, machines: ReadonlyMap<number, Accepted>): void {
    const namedKeys = machines.get(used.machineRef)?.machine.namedKeys ?? new Set<string>()
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
      if (bounded === null) {
        this.#lookAtExecution(sample)
        return true
      }
      refuse(source, refusedSample(source, machine.id, sample, bounded))
      this.#options.faults?.tell(machine.ref, bounded.reason, bounded.message, 1)
      return false
    })
  }

  #lookAtExecution(sample: Sample): void {
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
  nativeCode: '',
  nativeSeverity: '',
  qualifier: '',
  message: '',
  instanceId: null,
  sequence: null,
}

function byCompany(decoded: Iterable<Accepted>): ReadonlyMap<CompanyRef, readonly MachineRef[]> {
  const groups = new Map<CompanyRef, MachineRef[]>()
  for (const { machine } of decoded)
    groups.set(machine.companyRef, [...(groups.get(machine.companyRef) ?? []), machine.ref])
  return groups
}
