import { AcceptedSamples } from '../../ingest/consume/accepted-samples.ts'
import { machinesOfCompact, readCompact } from '../../ingest/decode/compact.ts'
import type { Accepted } from '../../ingest/decode/validate.ts'
import type { MachineInfo } from '../../ingest/decode/machine.ts'
import type { LogRecord } from '../../log/log.ts'
import { type MachineRef, noCompany } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

/** Limit of cached machines, above the number of machines of any installation. */
const maxMachines = 100_000
/** Timestamps are not checked, because ingest has validated them. */
const anyTime = { fromUs: -Infinity, toUs: Infinity } as const

/**
 * Reads the samples of records of live values. Creates no object for a sample that is not needed, because most samples
 * have no subscriber.
 */
export class ValuesReader {
  /** Placeholders of machines by ref, because this process may not have the records of the machines yet. */
  readonly #machines = new Map<MachineRef, MachineInfo>()
  #samples = new AcceptedSamples(0)

  /**
   * Returns the samples of a record that listeners need: of machines for which `needsEvery` is true all samples, of
   * other machines the newest sample of each metric and the samples later than `nowUs`. Throws a `RangeError` for a
   * damaged record.
   */
  read(record: LogRecord, needsEvery: (machineRef: MachineRef) => boolean, nowUs: number): readonly Sample[] {
    if (!this.#samples.reuse()) this.#samples = new AcceptedSamples(0)
    const samples = this.#samples
    const found = machinesOfCompact(record.value)
    if (found === null) throw new RangeError('Damaged record of live values: it ends within its list of machines')
    const machines = found.names.map(ref => this.#machineOf(ref))
    const packed = { machines, bytes: record.value, at: found.at }
    if (samples.appendPacked(record, packed, () => anyTime) === null)
      samples.append(record, readSamples(record.value, machines))
    return samples.runs.flatMap(run => (needsEvery(run.machine.ref) ? samples.all(run) : samples.newest(run, nowUs)))
  }

  #machineOf(ref: MachineRef | string): MachineInfo {
    if (typeof ref === 'string')
      throw new RangeError('Invalid record of live values: it refers to a machine by id instead of by ref')
    let machine = this.#machines.get(ref)
    if (machine !== undefined) return machine
    if (this.#machines.size >= maxMachines) this.#machines.clear()
    machine = { id: String(ref), ref, companyRef: noCompany, maxSampleAgeDays: 0, namedKeys: new Set(), counter: null }
    this.#machines.set(ref, machine)
    return machine
  }
}

/** Reads a record that also contains other samples than plain ones, such as conditions. */
function readSamples(value: Buffer, machines: readonly MachineInfo[]): readonly Accepted[] {
  const samples: Accepted[] = []
  readCompact(value).each((unplaced, index) => {
    const machine = machines[index]
    if (machine === undefined) return
    const sample = { machineRef: machine.ref, ...unplaced }
    samples.push({ index: samples.length, sample, machine, companyRef: machine.companyRef })
  })
  return samples
}
