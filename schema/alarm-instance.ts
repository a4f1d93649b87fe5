import type { AlarmPiece } from './document.ts'
import { nameOf } from './canonical-name.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/** Properties that identify an alarm instance (`alarmIdentityOf`), and its message. */
export interface AlarmInstance extends Pick<AlarmPiece, 'nativeCode' | 'message' | 'level' | 'startMs'> {
  /** `ref` of the machine. */
  readonly machineRef: MachineRef
  /** Canonical name. */
  readonly key: string
}

/** An alarm instance with the int that was given to it. */
export interface IdentifiedAlarm extends AlarmInstance {
  readonly id: number
}

/** Native code, message and level that alarms are grouped by, with the int that was given to them. */
export interface NativeCode extends Pick<AlarmPiece, 'nativeCode' | 'message' | 'level'> {
  readonly id: number
}

/** Alarm instances and native codes of a lookup that have integer ids. */
export interface KnownAlarms {
  /** `alarmIdentityOf` of those that have an id. */
  readonly instances: ReadonlySet<string>
  /** `alarmCodeOf` of those whose native code has one. */
  readonly codes: ReadonlySet<string>
}

/**
 * Part of the columnar store that keeps the ids of alarms and tells which were given. Every call may reject; all are
 * idempotent.
 */
export interface AlarmIdStore {
  known(companyRef: CompanyRef, instances: readonly AlarmInstance[]): Promise<KnownAlarms>
  /** The highest ints given out in the company; 0: none. */
  highest(companyRef: CompanyRef): Promise<{ readonly instance: number; readonly code: number }>
  /** Resolves when acknowledged. Only the registrar calls it. */
  write(companyRef: CompanyRef, instances: readonly IdentifiedAlarm[], codes: readonly NativeCode[]): Promise<void>
  /** Alarm instances of the stored documents from a version on, ascending by version, with a limit on documents. */
  writtenSince(companyRef: CompanyRef, version: bigint, documents: number): Promise<readonly WrittenAlarms[]>
  /** Up to which version the alarms of a partition's documents have ids; null: nothing is stored. */
  readProgress(partition: number): Promise<bigint | null>
  writeProgress(versions: ReadonlyMap<number, bigint>): Promise<void>
}

/** The alarm instances of one document. */
export interface WrittenAlarms {
  readonly version: bigint
  readonly instances: readonly AlarmInstance[]
}

/** Equal for pieces of the same instance. */
export function alarmIdentityOf({ machineRef, key, nativeCode, level, startMs }: AlarmInstance): string {
  return JSON.stringify([machineRef, key, nativeCode, level, startMs])
}

/** Equal for instances of the same native code, message and state. */
export function alarmCodeOf({
  nativeCode,
  message,
  level,
}: Pick<AlarmInstance, 'nativeCode' | 'message' | 'level'>): string {
  return JSON.stringify([nativeCode, message, level])
}

/** The instance that a piece of a document belongs to. */
export function instanceOf(
  machineRef: MachineRef,
  { key, nativeCode, message, level, startMs }: AlarmPiece,
): AlarmInstance {
  return { machineRef, key: nameOf(key), nativeCode, message, level, startMs }
}
