import { AcceptedSamples } from '../../ingest/consume/accepted-samples.ts'
import { CompactReader, decodeCompact } from '../../ingest/decode/compact.ts'
import type { MachineInfo } from '../../ingest/decode/validate.ts'
import type { LogRecord } from '../../log/log.ts'
import { type MachineRef, noCompany } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'

/** Limit of cached machines, above the number of machines of any installation. */
const maxMachines = 100_000

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
    const context = {
      machine: () => undefined,
      machineByRef: (ref: MachineRef) => this.#machineOf(ref),
      // Ingest has validated the timestamps.
      appendedAtMs: Number.MAX_SAFE_INTEGER,
    }
    if (!samples.appendPlain(record, new CompactReader(record.value, context))) {
      const { accepted, rejected } = decodeCompact(record.value, context)
      const [first] = rejected
      if (first !== undefined) throw new RangeError(`Invalid record of live values: ${first.message}`)
      samples.append(record, accepted)
    }
    return samples.runs.flatMap(run => (needsEvery(run.machine.ref) ? samples.all(run) : samples.newest(run, nowUs)))
  }

  #machineOf(ref: MachineRef): MachineInfo {
    let machine = this.#machines.get(ref)
    if (machine !== undefined) return machine
    if (this.#machines.size >= maxMachines) this.#machines.clear()
    const none = { companyRef: noCompany, maxSampleAgeDays: Infinity, namedKeys: new Set<string>(), counter: null }
    machine = { id: String(ref), ref, ...none }
    this.#machines.set(ref, machine)
    return machine
  }
}
