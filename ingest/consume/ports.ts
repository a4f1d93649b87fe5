import type { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineFaultCode } from '../../schema/topics.ts'
import type { MachineInfo, MachineLookup } from '../decode/machine.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The part of the store that ingest needs. */
export interface SampleWriter {
  /**
   * Resolves when the store has acknowledged every row; rows may be repeated. A rejection with `retryable: false` says that the
   * store refuses what is in the rows; after any other one the same rows are sent again.
   */
  write(rows: SampleColumns): Promise<void>
}

/** Machines as this process knows them by following the records. */
export interface MachineDirectory {
  readonly find: MachineLookup
  readonly findByRef: (ref: MachineRef) => MachineInfo | undefined
  /** Offset of the last record that they follow. */
  recordsOffset(): number
  /** Calls back when a machine's settings newly name a key, after they tell so. Returns what ends it. */
  onKeyNamed(listener: () => void): () => void
}

/** Names that machines used before this process began; asked once for each machine, when its first sample comes. */
export interface UsedNames {
  /** Metrics of machines of a company (refs). May reject: then it is asked again later. */
  read(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly UsedName[]>
}

export type UsedName = Pick<Sample, 'machineRef' | 'key' | 'type' | 'subtype'>

/** Receives what is wrong with the samples of machines. */
export interface FaultBook {
  /** Adds `count` samples to a fault. `key`: that of the last sample; null if the fault concerns no key. */
  tell(machineRef: MachineRef, code: MachineFaultCode, message: string, count: number, key: string | null): void
}

/** A logger such as pino's: facts first, then words. */
export interface Logger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
