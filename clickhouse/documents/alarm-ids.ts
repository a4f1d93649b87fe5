import { alarmCodeOf, alarmIdentityOf } from '../../schema/alarm-instance.ts'
import type {
  AlarmIdStore,
  AlarmInstance,
  IdentifiedAlarm,
  NativeCode,
  WrittenAlarms,
} from '../../schema/alarm-instance.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { big, narrow, storedText, wide, machineRef } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, int64, sql, str, uint32, uint64 } from '../sql/sql.ts'
import { alarmIds, alarmIdsById, alarmProgress, nativeCodes } from '../tables/alarms.ts'
import { hours } from '../tables/documents.ts'
import { from, fromShared, ofMachines } from '../tables/from.ts'
import { parallelArrays } from '../tables/parallel-arrays.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { levelCodes } from '../tables/values.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Ids of alarm instances and native codes. Rejects with `StoreError`. `clock`: UTC ms, versions the rows. */
export function createAlarmIdStore(store: Store, clock: () => number = Date.now): AlarmIdStore {
  // Partitions are taken over at the same time.
  const progress = batchCalls((partitions: readonly number[]) => readProgress(store, partitions))
  return {
    async known(companyRef, instances) {
      const [ids, codes] = await Promise.all([
        readIds(store, companyRef, instances),
        readCodes(store, companyRef, instances),
      ])
      return { instances: new Set(ids.map(alarmIdentityOf)), codes: new Set(codes.map(alarmCodeOf)) }
    },
    highest: companyRef => readHighest(store, companyRef),
    write: (companyRef, instances, codes) => writeIds(store, { companyRef, version: clock() }, instances, codes),
    writtenSince: (companyRef, version, documents) => readWrittenSince(store, companyRef, version, documents),

    readProgress: async partition => (await progress(partition)).get(partition) ?? null,

    writeProgress: versions => insertRows(store, progressWriter, [...versions]),
  }
}

async function readProgress(store: Store, partitions: readonly number[]): Promise<ReadonlyMap<number, bigint>> {
  const query = sql`
    SELECT partition, toString(max(version)) AS version_text
    ${fromShared(alarmProgress, { where: [sql`partition IN ${array(uint32, partitions)}`] })} GROUP BY partition`
  const found = await rows(store, query, { partition: narrow, version_text: big }, ofPipeline)
  return new Map(found.map(({ partition, version_text: version }) => [partition, version]))
}

const alarmArrays = parallelArrays('alarm', {
  key: storedText,
  code: storedText,
  message: storedText,
  level: levelCodes.kind,
  start_ms: wide,
})

async function readHighest(store: Store, companyRef: CompanyRef) {
  const query = sql`
    SELECT assumeNotNull((SELECT max(id) ${from(alarmIds, companyRef)})) AS instance,
      assumeNotNull((SELECT max(id) ${from(nativeCodes, companyRef)})) AS code`
  const highest = await firstRow(store, query, { instance: narrow, code: narrow }, ofPipeline)
  return highest ?? { instance: 0, code: 0 }
}

async function writeIds(
  store: Store,
  versioned: Versioned,
  instances: readonly IdentifiedAlarm[],
  codes: readonly NativeCode[],
): Promise<void> {
  const identified = instances.map(alarm => ({ ...versioned, ...alarm }))
  const coded = codes.map(code => ({ ...versioned, ...code }))
  if (identified.length > 0) {
    // In this order: ids in `alarm_ids` are in both tables.
    await insertRows(store, idByIdWriter, identified)
    await insertRows(store, idWriter, identified)
  }
  if (coded.length > 0) await insertRows(store, codeWriter, coded)
}

async function readWrittenSince(
  store: Store,
  companyRef: CompanyRef,
  version: bigint,
  documents: number,
): Promise<readonly WrittenAlarms[]> {
  const where = [sql`version >= ${uint64(version)}`, sql`notEmpty(alarm_level)`]
  const query = sql`
    SELECT toString(version) AS version_text, machine AS machineRef, ${alarmArrays.columns} ${from(hours, companyRef, { where })}
    ORDER BY version LIMIT ${uint32(documents)}`
  const written = await rows(store, query, { version_text: big, machineRef, ...alarmArrays.shape }, ofPipeline)
  return written.map((row): WrittenAlarms => ({
    version: row.version_text,
    instances: alarmArrays.items(row).map(({ key, code, message, level, start_ms: startMs }) => ({
      machineRef: row.machineRef,
      key: cachedCanonicalName(key),
      nativeCode: code,
      message,
      level,
      startMs,
    })),
  }))
}

/** Reads more than requested: filters by starts and machines independently. */
async function readIds(store: Store, companyRef: CompanyRef, instances: readonly AlarmInstance[]) {
  const starts = [...new Set(instances.map(({ startMs }) => startMs))]
  const machines = [...new Set(instances.map(({ machineRef }) => machineRef))]
  const where = [sql`start_ms IN ${array(int64, starts)}`, ofMachines(machines)]
  const query = sql`
    SELECT machine AS machineRef, key, code AS nativeCode, '' AS message, level, start_ms AS startMs ${from(alarmIds, companyRef, { where })}`
  return rows(store, query, { machineRef, key: storedText, startMs: wide, ...codeShape }, ofPipeline)
}

const codeShape = { nativeCode: storedText, message: storedText, level: levelCodes.kind }

async function readCodes(store: Store, companyRef: CompanyRef, instances: readonly AlarmInstance[]) {
  const codes = [...new Set(instances.map(({ nativeCode }) => nativeCode))]
  const messages = [...new Set(instances.map(({ message }) => message))]
  const where = [sql`code IN ${array(str, codes)}`, sql`message IN ${array(str, messages)}`]
  const query = sql`SELECT code AS nativeCode, message, level ${from(nativeCodes, companyRef, { where })}`
  return rows(store, query, codeShape, ofPipeline)
}

/** Whose rows are written, and their version. */
interface Versioned {
  readonly companyRef: CompanyRef
  readonly version: number
}

const idColumns: Parameters<typeof rowWriter<typeof alarmIds.columns, Versioned & IdentifiedAlarm>>[1] = {
  company: ({ companyRef }) => companyRef,
  machine: ({ machineRef }) => machineRef,
  key: ({ key }) => key,
  code: ({ nativeCode }) => nativeCode,
  level: ({ level }) => levelCodes.code(level),
  start_ms: ({ startMs }) => startMs,
  id: ({ id }) => id,
  version: ({ version }) => version,
}
const idWriter: RowWriter<Versioned & IdentifiedAlarm> = rowWriter(alarmIds, idColumns)
const idByIdWriter: RowWriter<Versioned & IdentifiedAlarm> = rowWriter(alarmIdsById, idColumns)

const codeWriter: RowWriter<Versioned & NativeCode> = rowWriter(nativeCodes, {
  company: ({ companyRef }) => companyRef,
  code: ({ nativeCode }) => nativeCode,
  message: ({ message }) => message,
  level: ({ level }) => levelCodes.code(level),
  id: ({ id }) => id,
  version: ({ version }) => version,
})

const progressWriter: RowWriter<readonly [partition: number, version: bigint]> = rowWriter(alarmProgress, {
  partition: ([partition]) => partition,
  version: ([, version]) => String(version),
})
