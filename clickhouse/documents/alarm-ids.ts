import { codeOf, identityOf } from '../../schema/alarm-instance.ts'
import type {
  AlarmIdStore,
  AlarmInstance,
  IdentifiedAlarm,
  NativeCode,
  WrittenAlarms,
} from '../../schema/alarm-instance.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import { levels } from './document-rows.ts'
import { array, int64, sql, str, uint32, uint64 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'

const idColumns = ['company', 'machine', 'key', 'code', 'level', 'start_ms', 'id', 'ver'] as const
const codeColumns = ['company', 'code', 'message', 'level', 'id', 'ver'] as const

/** Ids of alarm instances and native codes. Rejects with `StoreError`. `clock`: UTC ms, versions the rows. */
export function createAlarmIdStore(store: Store, clock: () => number = Date.now): AlarmIdStore {
  const columns = <Columns extends readonly unknown[][]>(query: Sql) => store.columns<Columns>(query, asNumbers)
  return {
    async known(company, instances) {
      const [ids, codes] = await Promise.all([
        columns<[number[], string[], string[], number[], number[]]>(idsOf(company, instances)),
        columns<[string[], string[], number[]]>(codesOf(company, instances)),
      ])
      const [machine, key, nativeCode, level, startMs] = ids
      return {
        instances: new Set(
          machine.map((ref, i) =>
            identityOf({
              machine: ref,
              key: key[i] ?? '',
              nativeCode: nativeCode[i] ?? '',
              level: levelOf(level[i]),
              startMs: startMs[i] ?? 0,
              message: '',
            }),
          ),
        ),
        codes: new Set(
          codes[0].map((code, i) =>
            codeOf({ nativeCode: code, message: codes[1][i] ?? '', level: levelOf(codes[2][i]) }),
          ),
        ),
      }
    },

    async highest(company) {
      const [instance, code] = await columns<[number[], number[]]>(sql`
        SELECT (SELECT max(id) FROM alarm_ids WHERE company = ${uint32(company)}),
          (SELECT max(id) FROM native_codes WHERE company = ${uint32(company)})`)
      return { instance: instance[0] ?? 0, code: code[0] ?? 0 }
    },

    async write(company, instances, codes) {
      const ver = clock()
      const ids = instances.map(instance => idLine(company, instance, ver)).join('\n')
      if (instances.length > 0) {
        // In this order: what is in `alarm_ids` is known to be in both.
        await store.insert('alarm_ids_by_id', idColumns, ids)
        await store.insert('alarm_ids', idColumns, ids)
      }
      if (codes.length > 0)
        await store.insert('native_codes', codeColumns, codes.map(code => codeLine(company, code, ver)).join('\n'))
    },

    async writtenSince(company, version, documents) {
      const [versions, machines, keys, codes, messages, alarmLevels, starts] = await columns<
        [string[], number[], string[][], string[][], string[][], number[][], number[][]]
      >(sql`
        SELECT toString(ver) AS version, machine, a_key, a_code, a_message, a_level, a_start FROM alarm_states
        WHERE company = ${uint32(company)} AND ver >= ${uint64(version)} AND notEmpty(a_level)
        ORDER BY ver LIMIT ${uint32(documents)}`)
      return versions.map((text, i): WrittenAlarms => ({
        version: BigInt(text),
        instances: (keys[i] ?? []).map((key, j) => ({
          machine: machines[i] ?? 0,
          key: nameOf(key),
          nativeCode: codes[i]?.[j] ?? '',
          message: messages[i]?.[j] ?? '',
          level: levelOf(alarmLevels[i]?.[j]),
          startMs: starts[i]?.[j] ?? 0,
        })),
      }))
    },

    async readProgress(partition) {
      const [versions] = await columns<[string[]]>(sql`
        SELECT toString(max(ver)) FROM alarm_progress WHERE partition = ${uint32(partition)} HAVING count() > 0`)
      return versions[0] === undefined ? null : BigInt(versions[0])
    },

    async writeProgress(versions) {
      const lines = [...versions].map(([partition, version]) => JSON.stringify([partition, version.toString()]))
      await store.insert('alarm_progress', ['partition', 'ver'], lines.join('\n'))
    },
  }
}

/** Instants as numbers; versions are read as text. */
const asNumbers: QueryOptions = { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } }

/** The level of a stored code. */
export function levelOf(code: number | undefined): AlarmInstance['level'] {
  return levels[code ?? 0] === 'FAULT' ? 'FAULT' : 'WARNING'
}

/** Somewhat more than asked for: the starts and the machines, each for themselves. */
function idsOf(company: number, instances: readonly AlarmInstance[]): Sql {
  const starts = [...new Set(instances.map(({ startMs }) => startMs))]
  const machines = [...new Set(instances.map(({ machine }) => machine))]
  return sql`
    SELECT machine, key, code, level, start_ms FROM alarm_ids
    WHERE company = ${uint32(company)} AND start_ms IN ${array(int64, starts)} AND machine IN ${array(uint32, machines)}`
}

function codesOf(company: number, instances: readonly AlarmInstance[]): Sql {
  const codes = [...new Set(instances.map(({ nativeCode }) => nativeCode))]
  const messages = [...new Set(instances.map(({ message }) => message))]
  return sql`
    SELECT code, message, level FROM native_codes
    WHERE company = ${uint32(company)} AND code IN ${array(str, codes)} AND message IN ${array(str, messages)}`
}

function idLine(
  company: number,
  { machine, key, nativeCode, level, startMs, id }: IdentifiedAlarm,
  ver: number,
): string {
  return JSON.stringify([company, machine, key, nativeCode, levels.indexOf(level), startMs, id, ver])
}

function codeLine(company: number, { nativeCode, message, level, id }: NativeCode, ver: number): string {
  return JSON.stringify([company, nativeCode, message, levels.indexOf(level), id, ver])
}
