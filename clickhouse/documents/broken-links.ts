import { join, sql, uint32 } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { alarmStates, cycleStates, downtimeStates, hours, partStates } from '../tables/documents.ts'
import { type CompanyTable, from, ofMachines, type Reading } from '../tables/from.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The tables that keep a document: all have the same hours with the same versions. */
const copies: readonly CompanyTable[] = [hours, cycleStates, downtimeStates, alarmStates, partStates]
const copyCount = sql`${uint32(copies.length)}`

/**
 * SQL for the hours [machine, slotMs] that don't start from what the hour before ended with, whose hour before
 * is missing, or whose copies have another version. Fingerprints per machine find in one pass which machines have any; only
 * those are looked at hour by hour.
 *
 * A machine's chain is whole when every (hour, hash carried in) but the first is some (hour + 1, hash carried out) but the last:
 * then the xor of the fingerprints of all of them leaves those two. With a missing hour it leaves more.
 */
export function brokenLinks(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const ofThese = { final: true, where: [ofMachines(machines)] }
  const suspect = { final: true, where: [sql`machine IN (SELECT machine FROM suspects)`] }
  return sql`
    WITH suspects AS (
      SELECT machine FROM (
        SELECT machine, groupBitXor(cityHash64(slot, hash_in)) AS ins, groupBitXor(cityHash64(slot + 3600, hash_out)) AS outs,
          argMin(cityHash64(slot, hash_in), slot) AS first_in, argMax(cityHash64(slot + 3600, hash_out), slot) AS last_out
        ${from(hours, companyRef, ofThese)} GROUP BY machine)
      WHERE bitXor(bitXor(ins, outs), bitXor(first_in, last_out)) != 0
      UNION DISTINCT
      SELECT machine FROM (${everyCopy(companyRef, ofThese)})
      GROUP BY machine HAVING uniqExact(total) != 1 OR count() != ${copyCount})
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs FROM (
      SELECT machine, slot FROM (
        SELECT machine, slot, hash_in, row_number() OVER hours_before AS place,
          lagInFrame(slot) OVER hours_before AS slot_before, lagInFrame(hash_out) OVER hours_before AS out_before
        ${from(hours, companyRef, suspect)}
        WINDOW hours_before AS (PARTITION BY machine ORDER BY slot))
      WHERE place > 1 AND (slot_before + 3600 != slot OR out_before != hash_in)
      UNION DISTINCT
      SELECT machine, slot FROM (${everyRow(companyRef, suspect)})
      GROUP BY machine, slot HAVING min(version) != max(version) OR count() != ${copyCount})
    ORDER BY machine, slot`
}

/** One fingerprint of all (hour, version) per machine and table. */
function everyCopy(companyRef: CompanyRef, reading: Reading): Sql {
  return join(
    copies.map(
      table => sql`
      SELECT machine, sum(cityHash64(slot, version)) AS total ${from(table, companyRef, reading)} GROUP BY machine`,
    ),
    sql` UNION ALL `,
  )
}

function everyRow(companyRef: CompanyRef, reading: Reading): Sql {
  return join(
    copies.map(
      table => sql`
      SELECT machine, slot, version ${from(table, companyRef, reading)}`,
    ),
    sql` UNION ALL `,
  )
}
