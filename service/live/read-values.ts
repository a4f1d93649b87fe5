import { AcceptedSamples } from '../../ingest/consume/accepted-samples.ts'
import { machinesOfCompact, readCompact } from '../../ingest/decode/compact.ts'
import type { Accepted } from '../../ingest/decode/validate.ts'
import type { MachineInfo } from '../../ingest/decode/machine.ts'
import type { LogRecord } from '../../log/log.ts'
import { type MachineRef, noCompany } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

/** Limit of cached machines, above the number of any installation. */
const maxMachines = 100_000
/** Ingest has validated the timestamps. */
const anyTime = { fromUs: -Infinity, toUs: Infinity } as const

/** Reads records of values without an object per sample, because most samples have no subscriber. */
export class ValuesReader {
  /** Machines by ref. Placeholders, because this process may not have their records yet. */
  readonly #machines = new Map<MachineRef, MachineInfo>()
  #taken = new AcceptedSamples(0)

  /**
   * Returns the samples of a record that listeners need: all samples of a machine of which every one is wanted,
   * otherwise the newest per name and those later than `nowUs`. Throws a `RangeError` for a damaged record.
   */
  read(record: LogRecord, needsEvery: (machineRef: MachineRef) => boolean, nowUs: number): readonly Sample[] {
    if (!this.#taken.reuse()) this.#taken = new AcceptedSamples(0)
    const taken = this.#taken
    const found = machinesOfCompact(record.value)
    if (found === null) throw new RangeError('A record of values ends within its machines')
    const machines = found.names.map(ref => this.#machineOf(ref))
    const packed = { machines, bytes: record.value, at: found.at }
    if (taken.appendPacked(record, packed, () => anyTime) === null)
      taken.append(record, accepted(record.value, machines))
    return taken.runs.flatMap(run => (needsEvery(run.machine.ref) ? taken.all(run) : taken.newest(run, nowUs)))
  }

  #machineOf(ref: MachineRef | string): MachineInfo {
    if (typeof ref === 'string') throw new RangeError('A record of values names a machine by its id')
    let machine = this.#machines.get(ref)
    if (machine !== undefined) return machine
    if (this.#machines.size >= maxMachines) this.#machines.clear()
    machine = { id: String(ref), ref, companyRef: noCompany, maxSampleAgeDays: 0, namedKeys: new Set(), counter: null }
    this.#machines.set(ref, machine)
    return machine
  }
}

/** Samples of a record with other samples than plain ones, such as conditions. */
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
