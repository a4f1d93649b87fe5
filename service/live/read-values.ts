import { TakenSamples } from '../../ingest/consume/taken-samples.ts'
import { machinesOfCompact, readCompact } from '../../ingest/decode/read-compact.ts'
import type { Accepted } from '../../ingest/decode/judge.ts'
import type { MachineInfo } from '../../ingest/decode/machine.ts'
import type { LogRecord } from '../../log/log.ts'
import { type MachineRef, noCompany } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

/** Machines that are kept; there are never as many. */
const mostMachines = 100_000
/** Ingest has judged the times. */
const anyTime = { fromUs: -Infinity, toUs: Infinity } as const

/** Reads records of values of the live topic without an object for each sample: most of them are told to nobody. */
export class ValuesReader {
  /** Machines by their refs: nothing else of them is needed, and this process need not know their records yet. */
  readonly #machines = new Map<MachineRef, MachineInfo>()
  #taken = new TakenSamples(0)

  /**
   * The samples of a record to be told: all of a machine of which every one is wanted, of others the newest by their names, and all that are
   * later than `nowUs`. Throws a `RangeError` where the record is damaged.
   */
  read(record: LogRecord, wantsEvery: (machineRef: MachineRef) => boolean, nowUs: number): readonly Sample[] {
    if (!this.#taken.reuse()) this.#taken = new TakenSamples(0)
    const taken = this.#taken
    const found = machinesOfCompact(record.value)
    if (found === null) throw new RangeError('A record of values ends within its machines')
    const machines = found.names.map(ref => this.#machineOf(ref))
    const packed = { machines, bytes: record.value, at: found.at }
    if (taken.takePacked(record, packed, () => anyTime) === null) taken.take(record, accepted(record.value, machines))
    return taken.runs.flatMap(run => (wantsEvery(run.machine.ref) ? taken.all(run) : taken.newest(run, nowUs)))
  }

  #machineOf(ref: MachineRef | string): MachineInfo {
    if (typeof ref === 'string') throw new RangeError('A record of values names a machine by its id')
    let machine = this.#machines.get(ref)
    if (machine !== undefined) return machine
    if (this.#machines.size >= mostMachines) this.#machines.clear()
    machine = { id: String(ref), ref, companyRef: noCompany, maxSampleAgeDays: 0, namedKeys: new Set(), counter: null }
    this.#machines.set(ref, machine)
    return machine
  }
}

/** Samples of a record that are not all plain, such as conditions. */
function accepted(value: Buffer, machines: readonly MachineInfo[]): readonly Accepted[] {
  const samples: Accepted[] = []
  readCompact(value).each((unplaced, place) => {
    const machine = machines[place]
    if (machine === undefined) return
    const sample = { machineRef: machine.ref, ...unplaced }
    samples.push({ index: samples.length, sample, machine, companyRef: machine.companyRef })
  })
  return samples
}
