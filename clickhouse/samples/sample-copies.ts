import type { SupersededCopy } from '../../schema/document-store.ts'
import type { Sample } from '../../schema/sample.ts'
import { array, int64, sql, uint32, type Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

/** See `DocumentStore.supersedeCopies`. */
export async function supersedeCopies(
  store: Store,
  company: number,
  samples: readonly Sample[],
): Promise<readonly SupersededCopy[]> {
  const numbers = samples.flatMap(({ machine, instanceId, sequence }) =>
    instanceId === null || sequence === null ? [] : [{ machine, instanceId, sequence }],
  )
  if (numbers.length === 0) return []
  const machines = array(
    uint32,
    numbers.map(({ machine }) => machine),
  )
  const instances = array(
    int64,
    numbers.map(({ instanceId }) => instanceId),
  )
  const sequences = array(
    int64,
    numbers.map(({ sequence }) => sequence),
  )
  const [machine, instance, sequence, atUs] = await store.columns<[number[], number[], number[], number[]]>(
    sql`
      SELECT machine, instance_id, sequence, arrayJoin(arrayPopFront(arraySort(groupUniqArray(at_us))))
      FROM sample_numbers
      WHERE company = ${uint32(company)}
        AND (machine, instance_id, sequence) IN (SELECT arrayJoin(arrayZip(${machines}, ${instances}, ${sequences})))
      GROUP BY machine, instance_id, sequence`,
    { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } },
  )
  if (machine.length === 0) return []
  const lines = machine.map((ref, i) => `[${company},${ref},${instance[i]},${sequence[i]},${atUs[i]}]`)
  await store.insert('superseded_samples', ['company', 'machine', 'instance_id', 'sequence', 'at_us'], lines.join('\n'))
  return machine.map((ref, i) => ({ machine: ref, atUs: atUs[i] ?? 0 }))
}

/** Condition on deciding samples of these machines: no earlier copy stands for them. */
export function withoutCopies(company: number, machines: readonly number[]): Sql {
  return sql`(instance_id IS NULL OR (machine, assumeNotNull(instance_id), assumeNotNull(sequence), at_us) NOT IN (
    SELECT machine, instance_id, sequence, at_us FROM superseded_samples
    WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}))`
}
