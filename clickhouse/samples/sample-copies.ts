import { canonicalName, type Sample } from '../../schema/sample.ts'
import type { SupersededCopy } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { machineRef, storedText, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { arrayOf, int64, sql, uint32, type Sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { sampleNumbers, supersededSamples } from '../tables/samples.ts'

/** A sequence number and the sent key. */
interface Numbered {
  readonly machineRef: MachineRef
  readonly instanceId: number
  readonly sequence: number
  readonly key: string
}

interface Copy extends Numbered {
  readonly atUs: number
}

/** Stored times of a sequence number and sent key. */
interface Times extends Numbered {
  readonly firstUs: number
  readonly lastUs: number
}

/** See `SampleArchive.supersedeCopies`. */
export async function supersedeCopies(
  store: Store,
  companyRef: CompanyRef,
  samples: readonly Sample[],
): Promise<readonly SupersededCopy[]> {
  const written = samples.flatMap(({ machineRef, instanceId, sequence, key, atUs }) =>
    instanceId === null || sequence === null ? [] : [{ machineRef, instanceId, sequence, key, atUs }],
  )
  if (written.length === 0) return []
  const firstUsOf = firstTimes(await readTimes(store, companyRef, written))
  const isCopy = (each: Copy) => each.atUs > (firstUsOf.get(identityOf(each)) ?? Infinity)
  const firsts = written.filter(each => each.atUs === firstUsOf.get(identityOf(each)))
  // A faulty sender may reuse a number for thousands of samples: only the copies of these samples are read again.
  const ofFirsts = new Set(firsts.map(identityOf))
  const stored = (await readCopies(store, companyRef, firsts)).filter(each => ofFirsts.has(identityOf(each)))
  const copies = [...new Map([...written, ...stored].filter(isCopy).map(copy => [rowOf(copy), copy])).values()]
  if (copies.length === 0) return []
  const known = await readSuperseded(store, companyRef, copies)
  const marked = copies.map(copy => Object.assign({ companyRef, isNew: !known.has(rowOf(copy)) }, copy))
  const unmarked = marked.filter(({ isNew }) => isNew)
  await insertRows(store, copyWriter, unmarked)
  return marked.map(({ machineRef, atUs, key, sequence, isNew }) => ({ machineRef, atUs, key, sequence, isNew }))
}

/** Reads the times of each key of these numbers, of the numbers that have more than one time. */
function readTimes(store: Store, companyRef: CompanyRef, numbers: readonly Numbered[]): Promise<readonly Times[]> {
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, instance_id AS instanceId, sequence, times.1 AS key, times.2 AS firstUs, times.3 AS lastUs
      FROM (
        SELECT machine, instance_id, sequence, arrayJoin(groupArray((key, first_us, last_us))) AS times
        FROM (
          SELECT machine, instance_id, sequence, key, min(at_us) AS first_us, max(at_us) AS last_us
          ${from(sampleNumbers, companyRef, { where: [isOneOf(numbers)] })}
          GROUP BY machine, instance_id, sequence, key)
        GROUP BY machine, instance_id, sequence
        HAVING min(first_us) != max(last_us))`,
    { machineRef, instanceId: wide, sequence: wide, key: storedText, firstUs: wide, lastUs: wide },
    ofPipeline,
  )
}

/** The first time of each number and canonical key with several times. */
function firstTimes(times: readonly Times[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>()
  for (const [identity, ofKey] of groupBy(times, identityOf)) {
    const firstUs = Math.min(...ofKey.map(each => each.firstUs))
    if (ofKey.some(({ lastUs }) => lastUs > firstUs)) first.set(identity, firstUs)
  }
  return first
}

const copyShape = { machineRef, instanceId: wide, sequence: wide, key: storedText, atUs: wide }

function selectCopies(store: Store, fromClause: Sql): Promise<readonly Copy[]> {
  const query = sql`SELECT machine AS machineRef, instance_id AS instanceId, sequence, key, at_us AS atUs ${fromClause}`
  return rows(store, query, copyShape, ofPipeline)
}

async function readCopies(store: Store, companyRef: CompanyRef, numbers: readonly Numbered[]) {
  if (numbers.length === 0) return []
  return selectCopies(store, from(sampleNumbers, companyRef, { where: [isOneOf(numbers)] }))
}

/** The rows of these copies that are marked. */
async function readSuperseded(store: Store, companyRef: CompanyRef, copies: readonly Copy[]) {
  const where = [isOneOf(copies), sql`at_us IN ${arrayOf(int64, copies, ({ atUs }) => atUs)}`]
  return new Set((await selectCopies(store, from(supersededSamples, companyRef, { where }))).map(rowOf))
}

/** Condition: the row has one of these numbers. */
function isOneOf(numbers: readonly Numbered[]): Sql {
  const machines = arrayOf(uint32, numbers, ({ machineRef }) => machineRef)
  const instances = arrayOf(int64, numbers, ({ instanceId }) => instanceId)
  const sequences = arrayOf(int64, numbers, ({ sequence }) => sequence)
  return sql`(machine, instance_id, sequence) IN (SELECT arrayJoin(arrayZip(${machines}, ${instances}, ${sequences})))`
}

function identityOf({ machineRef, instanceId, sequence, key }: Numbered): string {
  return `${machineRef}/${instanceId}/${sequence}/${canonicalName(key)}`
}

function rowOf({ machineRef, instanceId, sequence, key, atUs }: Copy): string {
  return `${machineRef}/${instanceId}/${sequence}/${atUs}/${key}`
}

const copyWriter: RowWriter<Copy & { readonly companyRef: CompanyRef }> = rowWriter(supersededSamples, {
  company: ({ companyRef }) => companyRef,
  machine: ({ machineRef }) => machineRef,
  instance_id: ({ instanceId }) => instanceId,
  sequence: ({ sequence }) => sequence,
  key: ({ key }) => key,
  at_us: ({ atUs }) => atUs,
})

/** Condition on deciding samples of these machines: no earlier copy of them counts. */
export function withoutCopies(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  return sql`(instance_id IS NULL OR (machine, assumeNotNull(instance_id), assumeNotNull(sequence), key, at_us) NOT IN (
    SELECT machine, instance_id, sequence, key, at_us ${from(supersededSamples, companyRef, { where: [ofMachines(machines)] })}))`
}
