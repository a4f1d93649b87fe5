import { array, join, sql, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

/** The document's row and its copies: all have the same hours with the same versions. */
const tables = [sql`hours`, sql`cycle_states`, sql`downtime_states`, sql`alarm_states`, sql`part_states`] as const
const tableCount = sql`5`

/**
 * SQL for [machine, slot as Unix seconds] of the hours that don't start from what the hour before ended with, whose hour before
 * is missing, or whose copies have another version. Fingerprints per machine find in one pass which machines have any; only
 * those are looked at hour by hour.
 *
 * A machine's chain is whole when every (hour, hash carried in) but the first is some (hour + 1, hash carried out) but the last:
 * then the xor of the fingerprints of all of them leaves those two. With a missing hour it leaves more.
 */
export function brokenLinks(company: number, machines: readonly number[]): Sql {
  const ofThese = sql`company = ${uint32(company)} AND machine IN ${array(uint32, machines)}`
  const suspect = sql`company = ${uint32(company)} AND machine IN (SELECT machine FROM suspects)`
  return sql`
    WITH suspects AS (
      SELECT machine FROM (
        SELECT machine, groupBitXor(cityHash64(slot, hash_in)) AS ins, groupBitXor(cityHash64(slot + 3600, hash_out)) AS outs,
          argMin(cityHash64(slot, hash_in), slot) AS first_in, argMax(cityHash64(slot + 3600, hash_out), slot) AS last_out
        FROM hours FINAL WHERE ${ofThese} GROUP BY machine)
      WHERE bitXor(bitXor(ins, outs), bitXor(first_in, last_out)) != 0
      UNION DISTINCT
      SELECT machine FROM (${everyCopy(ofThese)})
      GROUP BY machine HAVING uniqExact(total) != 1 OR count() != ${tableCount})
    SELECT machine, toUnixTimestamp(slot) FROM (
      SELECT machine, slot FROM (
        SELECT machine, slot, hash_in, row_number() OVER hours_before AS place,
          lagInFrame(slot) OVER hours_before AS slot_before, lagInFrame(hash_out) OVER hours_before AS out_before
        FROM hours FINAL WHERE ${suspect}
        WINDOW hours_before AS (PARTITION BY machine ORDER BY slot))
      WHERE place > 1 AND (slot_before + 3600 != slot OR out_before != hash_in)
      UNION DISTINCT
      SELECT machine, slot FROM (${everyRow(suspect)})
      GROUP BY machine, slot HAVING min(ver) != max(ver) OR count() != ${tableCount})
    ORDER BY machine, slot`
}

/** One fingerprint of all (hour, version) per machine and table. */
function everyCopy(condition: Sql): Sql {
  return join(
    tables.map(
      table => sql`
      SELECT machine, sum(cityHash64(slot, ver)) AS total FROM ${table} FINAL WHERE ${condition} GROUP BY machine`,
    ),
    sql` UNION ALL `,
  )
}

function everyRow(condition: Sql): Sql {
  return join(
    tables.map(
      table => sql`
      SELECT machine, slot, ver FROM ${table} FINAL WHERE ${condition}`,
    ),
    sql` UNION ALL `,
  )
}
