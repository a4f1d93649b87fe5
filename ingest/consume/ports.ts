import type { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import type { Sample } from '../../schema/sample.ts'
import type { SampleIssueCode } from '../../schema/topics.ts'
import type { MachineInfo, MachineLookup } from '../decode/validate.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The part of the store that ingest needs. */
export interface SampleWriter {
  /**
   * Resolves when the store has acknowledged every row; rows may be repeated. A rejection with `retryable: false` means
   * that the store rejects the content of the rows; after any other one, the same rows are written again.
   */
  write(rows: SampleColumns): Promise<void>
}

/** Machines in the followed records of this process. */
export interface MachineDirectory {
  readonly find: MachineLookup
  readonly findByRef: (ref: MachineRef) => MachineInfo | undefined
  /** Offset of the last followed record. */
  recordsOffset(): number
  /**
   * Calls back when a machine's settings name a new key, after the directory has it. Returns a function that removes
   * the listener.
   */
  onKeyNamed(listener: () => void): () => void
}

/** Names that machines used before this process started; read once per machine, at its first sample. */
export interface UsedNames {
  /** Reads metrics of machines of a company (refs). After a rejection, it is called again later. */
  read(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly UsedName[]>
}

export type UsedName = Pick<Sample, 'machineRef' | 'key' | 'type' | 'subtype'>

/** Receives sample issues of machines. */
export interface SampleIssueReporter {
  /** Adds `count` samples to an issue. `key`: that of the last sample; null if the issue concerns no key. */
  report(machineRef: MachineRef, code: SampleIssueCode, message: string, count: number, key: string | null): void
}

/** A logger such as pino's: first the fields, then the message. */
export interface Logger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
