import { narrow, storedText } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { array, int32, sql } from '../../../clickhouse/sql/sql.ts'
import { nativeCodes } from '../../../clickhouse/tables/alarms.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import type { NativeCode } from '../../../schema/alarm-instance.ts'
import type { QueryContext } from '../query/query-context.ts'
import type { GroupEntity, EntityResolver } from './entity-resolvers.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** Reads what the ids of native codes of a company (`ref`) stand for. */
export async function readNativeCodes(
  companyRef: CompanyRef,
  ids: readonly number[],
  { store, options }: QueryContext,
): Promise<readonly NativeCode[]> {
  if (ids.length === 0) return []
  const ofIds = from(nativeCodes, companyRef, { where: [sql`id IN ${array(int32, ids)}`] })
  const shape = { nativeCode: storedText, message: storedText, level: levelCodes.kind, id: narrow }
  return rows(store, sql`SELECT code AS nativeCode, message, level, id ${ofIds}`, shape, options)
}

/** Finds native codes by their ids. */
export function nativeCodeResolver(natives: readonly NativeCode[]): EntityResolver {
  const known = new Map(natives.map(native => [native.id, native]))
  const textsOf = ({ id }: GroupEntity): readonly [nativeCode: string, message: string, state: string] => {
    const native = known.get(Number(id))
    return [native?.nativeCode ?? '', native?.message ?? '', native?.level ?? '']
  }
  return {
    key: 'nativeCode',
    find: (_, id) => {
      const native = typeof id === 'number' ? known.get(id) : undefined
      return native ? [{ id: String(native.id), name: native.nativeCode }] : []
    },
    order: textsOf,
    shown: entity => {
      const [nativeCode, message, state] = textsOf(entity)
      return { id: Number(entity.id), nativeCode, message, state }
    },
  }
}
