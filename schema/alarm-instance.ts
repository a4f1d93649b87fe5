import type { AlarmElement } from './document.ts'
import { cachedCanonicalName } from './canonical-name.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/** Properties that identify an alarm instance (see `alarmIdentityOf`), and its message. */
export interface AlarmInstance extends Pick<AlarmElement, 'nativeCode' | 'message' | 'level' | 'startMs'> {
  readonly machineRef: MachineRef
  /** Canonical name (`canonicalName`) of the key of the alarm's samples. */
  readonly key: string
}

/** An alarm instance with its assigned integer id. */
export interface IdentifiedAlarm extends AlarmInstance {
  readonly id: number
}

/** Combination of native code, message and level by which alarms are grouped, with its assigned integer id. */
export interface NativeCode extends Pick<AlarmElement, 'nativeCode' | 'message' | 'level'> {
  readonly id: number
}

/** Result of a lookup: which of the alarm instances and native codes already have integer ids. */
export interface KnownAlarms {
  /** Keys (`alarmIdentityOf`) of the instances that have an id. */
  readonly instances: ReadonlySet<string>
  /** Keys (`alarmCodeOf`) of the native codes that have an id. */
  readonly codes: ReadonlySet<string>
}

/** Storage of the integer ids of alarms. Every method may reject and may be repeated: all writes are idempotent. */
export interface AlarmIdStore {
  known(companyRef: CompanyRef, instances: readonly AlarmInstance[]): Promise<KnownAlarms>
  /** Returns the highest ids assigned in the company; 0 if none is assigned. */
  highest(companyRef: CompanyRef): Promise<{ readonly instance: number; readonly code: number }>
  /** Stores assigned ids; resolves when the store has acknowledged them. Only the registrar calls it. */
  write(companyRef: CompanyRef, instances: readonly IdentifiedAlarm[], codes: readonly NativeCode[]): Promise<void>
  /**
   * Returns the alarm instances of stored documents that have at least this version, ascending by version; `documents`
   * is the maximum number of documents.
   */
  writtenSince(companyRef: CompanyRef, version: bigint, documents: number): Promise<readonly WrittenAlarms[]>
  /**
   * Returns the version up to which all alarms in the documents of a partition have ids; null if no progress is stored.
   */
  readProgress(partition: number): Promise<bigint | null>
  writeProgress(versions: ReadonlyMap<number, bigint>): Promise<void>
}

/** The alarm instances of one document. */
export interface WrittenAlarms {
  readonly version: bigint
  readonly instances: readonly AlarmInstance[]
}

/** Returns a key that is equal for all elements of the same alarm instance. */
export function alarmIdentityOf({ machineRef, key, nativeCode, level, startMs }: AlarmInstance): string {
  return JSON.stringify([machineRef, key, nativeCode, level, startMs])
}

/** Returns a key that is equal for all alarm instances with the same native code, message and level. */
export function alarmCodeOf({
  nativeCode,
  message,
  level,
}: Pick<AlarmInstance, 'nativeCode' | 'message' | 'level'>): string {
  return JSON.stringify([nativeCode, message, level])
}

/** Returns the alarm instance to which a element in an hourly document belongs. */
export function toAlarmInstance(
  machineRef: MachineRef,
  { key, nativeCode, message, level, startMs }: AlarmElement,
): AlarmInstance {
  return { machineRef, key: cachedCanonicalName(key), nativeCode, message, level, startMs }
}
