import type { HourRange } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { hourMs } from '../../shared/time/units.ts'
import { listOf, machineRef, narrow, storedText, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { second, sql, type Sql } from '../sql/sql.ts'
import { hours, repeatedHours } from '../tables/documents.ts'
import { from, ofMachines } from '../tables/from.ts'
import { fromStoredHours, keysAt, repeatedUntilMs } from '../tables/stored-hours.ts'

/** Finds hours that do not start from the end state of the previous hour, or whose previous hour is missing; by machine and time. */
export async function readBrokenLinks(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly HourRange[]> {
  const ofDocuments = rows(
    store,
    brokenLinks(companyRef, machines),
    { machineRef, fromMs: wide, toMs: wide },
    ofPipeline,
  )
  const found = [...(await ofDocuments), ...(await brokenAtBorders(store, companyRef, machines))]
  return found.toSorted((a, b) => a.machineRef - b.machineRef || a.fromMs - b.fromMs)
}

/**
 * SQL for the hours [machine, slotMs] of broken links among documents; of machines with repeated hours, only among
 * those without repeated hours between them. Fingerprints per machine find in one pass the machines with broken links;
 * only these are read hour by hour. The chain of a machine is complete if every (hour, hash carried in) except the
 * first equals an (hour + 1, hash carried out) except the last: then the xor of all fingerprints leaves these two. With
 * a missing hour it leaves more.
 */
function brokenLinks(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const repeats = sql`machine IN (SELECT machine ${from(repeatedHours, companyRef, { where: [ofMachines(machines)] })})`
  const areAlone = sql`slot >= ${second(repeatedUntilMs)} OR NOT ${repeats}`
  const ofThese = { final: true, where: [ofMachines(machines), areAlone] }
  const suspect = { final: true, where: [sql`machine IN (SELECT machine FROM suspects)`, areAlone] }
  return sql`
    WITH suspects AS (
      SELECT machine FROM (
        SELECT machine, groupBitXor(cityHash64(slot, hash_in)) AS ins, groupBitXor(cityHash64(slot + 3600, hash_out)) AS outs,
          argMin(cityHash64(slot, hash_in), slot) AS first_in, argMax(cityHash64(slot + 3600, hash_out), slot) AS last_out
        ${from(hours, companyRef, ofThese)} GROUP BY machine)
      WHERE bitXor(bitXor(ins, outs), bitXor(first_in, last_out)) != 0)
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot_before + 3600)) * 1000 AS fromMs,
      toInt64(toUnixTimestamp(slot + 3600)) * 1000 AS toMs
    FROM (
      SELECT machine, slot, hash_in, row_number() OVER hours_before AS place,
        lagInFrame(slot) OVER hours_before AS slot_before, lagInFrame(hash_out) OVER hours_before AS out_before
      ${from(hours, companyRef, suspect)}
      WINDOW hours_before AS (PARTITION BY machine ORDER BY slot))
    WHERE place > 1 AND (slot_before + 3600 != slot OR out_before != hash_in)
    ORDER BY machine, slot`
}

/** Number of machines per statement. */
const machinesPerStatement = 20

/** Broken links of machines with repeated hours. The hours of a row were computed together: links break only at its ends and at documents. */
async function brokenAtBorders(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly HourRange[]> {
  const shape = { machineRef, borders: listOf(narrow) }
  const ofMachine = await rows(store, borders(companyRef, machines), shape, ofPipeline)
  const broken: HourRange[] = []
  for (let at = 0; at < ofMachine.length; at += machinesPerStatement) {
    const together = ofMachine.slice(at, at + machinesPerStatement)
    const links = await readHashes(store, companyRef, together)
    for (const machine of together) broken.push(...brokenOf(machine, links.get(machine.machineRef) ?? noHashes))
  }
  return broken
}

/** SQL for the hours at which a row of repeated hours or a document starts or ends: [machine, their starts in seconds]. */
function borders(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  const own = [ofMachines(machines)]
  const repeats = sql`machine IN (SELECT machine ${from(repeatedHours, companyRef, { where: own })})`
  const old = { final: true, where: [...own, repeats, sql`slot < ${second(repeatedUntilMs)}`] }
  const later = { where: [...own, repeats, sql`slot >= ${second(repeatedUntilMs)}`] }
  return sql`
    SELECT machine AS machineRef, arraySort(groupUniqArray(toUnixTimestamp(border))) AS borders
    FROM (
      SELECT machine, arrayJoin([from_slot, until_slot]) AS border ${from(repeatedHours, companyRef, { final: true, where: own })}
      UNION ALL SELECT machine, arrayJoin([slot, slot + 3600]) AS border FROM (SELECT machine, slot ${from(hours, companyRef, old)})
      UNION ALL SELECT machine, min(slot) AS border ${from(hours, companyRef, later)} GROUP BY machine)
    GROUP BY machine ORDER BY machine`
}

interface Borders {
  readonly machineRef: MachineRef
  /** Starts of hours in seconds, ascending. */
  readonly borders: readonly number[]
}

interface Hashes {
  readonly hashIn: string
  readonly hashOut: string
}

const noHashes: ReadonlyMap<number, Hashes> = new Map()

/** Hashes of the hours at the borders of these machines, and of the hours before them, by machine and start in ms. */
async function readHashes(store: Store, companyRef: CompanyRef, of: readonly Borders[]) {
  const slots = new Set(of.flatMap(each => each.borders.flatMap(border => [border * 1000, border * 1000 - hourMs])))
  const keys = keysAt(
    [...slots],
    of.map(each => each.machineRef),
  )
  const query = sql`
    SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn, toString(hash_out) AS hashOut
    ${fromStoredHours(companyRef, keys)}`
  const shape = { machineRef, slotMs: wide, hashIn: storedText, hashOut: storedText }
  const found = new Map<MachineRef, Map<number, Hashes>>()
  for (const { machineRef: ref, slotMs, ...hashes } of await rows(store, query, shape, ofPipeline))
    getOrCreate(found, ref, () => new Map<number, Hashes>()).set(slotMs, hashes)
  return found
}

/** The first hour of a machine is at a border, and starts from nothing. */
function brokenOf({ machineRef: ref, borders: ofMachine }: Borders, hashes: ReadonlyMap<number, Hashes>): HourRange[] {
  const all = ofMachine.map(border => border * 1000)
  const stored = all.filter(slotMs => hashes.has(slotMs))
  // Rows of repeated hours and documents end at a border, too: missing hours begin at the last border before the hour.
  const missingFrom = (slotMs: number) =>
    hashes.has(slotMs - hourMs) ? slotMs : (all.findLast(border => border < slotMs) ?? slotMs)
  return stored
    .slice(1)
    .filter(slotMs => hashes.get(slotMs - hourMs)?.hashOut !== hashes.get(slotMs)?.hashIn)
    .map(slotMs => ({ machineRef: ref, fromMs: missingFrom(slotMs), toMs: slotMs + hourMs }))
}
