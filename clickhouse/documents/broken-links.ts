import { sql, type Sql } from '../sql/sql.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { fromStoredHours } from '../tables/stored-hours.ts'

/**
 * SQL for the hours [machine, slotMs] that don't start from what the hour before ended with, or whose hour before is missing.
 * Fingerprints per machine find in one pass which machines have any; only those are looked at hour by hour.
 *
 * A machine's chain is whole when every (hour, hash carried in) but the first is some (hour + 1, hash carried out) but the last:
 * then the xor of the fingerprints of all of them leaves those two. With a missing hour it leaves more.
 */
export function brokenLinks(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const ofThese = { fromMs: -Infinity, toMs: Infinity, machines }
  const suspect = { ...ofThese, where: [sql`machine IN (SELECT machine FROM suspects)`] }
  return sql`
    WITH suspects AS (
      SELECT machine FROM (
        SELECT machine, groupBitXor(cityHash64(slot, hash_in)) AS ins, groupBitXor(cityHash64(slot + 3600, hash_out)) AS outs,
          argMin(cityHash64(slot, hash_in), slot) AS first_in, argMax(cityHash64(slot + 3600, hash_out), slot) AS last_out
        ${fromStoredHours(companyRef, ofThese)} GROUP BY machine)
      WHERE bitXor(bitXor(ins, outs), bitXor(first_in, last_out)) != 0)
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs FROM (
      SELECT machine, slot, hash_in, row_number() OVER hours_before AS place,
        lagInFrame(slot) OVER hours_before AS slot_before, lagInFrame(hash_out) OVER hours_before AS out_before
      ${fromStoredHours(companyRef, suspect)}
      WINDOW hours_before AS (PARTITION BY machine ORDER BY slot))
    WHERE place > 1 AND (slot_before + 3600 != slot OR out_before != hash_in)
    ORDER BY machine, slot`
}
