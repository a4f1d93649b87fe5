import type { SupersededCopy } from '../../schema/document-store.ts'
import type { Sample } from '../../schema/sample.ts'
import { wide, machineRef } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, int64, sql, uint32, type Sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { sampleNumbers, supersededSamples } from '../tables/samples.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** See `DocumentStore.supersedeCopies`. */
export async function supersedeCopies(
  store: Store,
  companyRef: CompanyRef,
  samples: readonly Sample[],
): Promise<readonly SupersededCopy[]> {
  const numbers = samples.flatMap(({ machineRef, instanceId, sequence }) =>
    instanceId === null || sequence === null ? [] : [{ machineRef, instanceId, sequence }],
  )
  if (numbers.length === 0) return []
  const machines = array(
    uint32,
    numbers.map(({ machineRef }) => machineRef),
  )
  const instances = array(
    int64,
    numbers.map(({ instanceId }) => instanceId),
  )
  const sequences = array(
    int64,
    numbers.map(({ sequence }) => sequence),
  )
  const numbered = sql`
    (machine, instance_id, sequence) IN (SELECT arrayJoin(arrayZip(${machines}, ${instances}, ${sequences})))`
  const copies = await rows(
    store,
    sql`
      SELECT machine AS machineRef, instance_id, sequence, arrayJoin(arrayPopFront(arraySort(groupUniqArray(at_us)))) AS copy_us
      ${from(sampleNumbers, companyRef, { where: [numbered] })}
      GROUP BY machine, instance_id, sequence`,
    { machineRef, instance_id: wide, sequence: wide, copy_us: wide },
    { workload: 'process' },
  )
  if (copies.length === 0) return []
  await insertRows(
    store,
    copyWriter,
    copies.map(copy => ({ companyRef, ...copy })),
  )
  return copies.map(({ machineRef, copy_us: atUs }) => ({ machineRef, atUs }))
}

interface Copy {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly instance_id: number
  readonly sequence: number
  readonly copy_us: number
}

const copyWriter: RowWriter<Copy> = rowWriter(supersededSamples, {
  company: ({ companyRef }) => companyRef,
  machine: ({ machineRef }) => machineRef,
  instance_id: copy => copy.instance_id,
  sequence: ({ sequence }) => sequence,
  at_us: copy => copy.copy_us,
})

/** Condition on deciding samples of these machines: no earlier copy stands for them. */
export function withoutCopies(companyRef: CompanyRef, machines: readonly MachineRef[]): Sql {
  return sql`(instance_id IS NULL OR (machine, assumeNotNull(instance_id), assumeNotNull(sequence), at_us) NOT IN (
    SELECT machine, instance_id, sequence, at_us ${from(supersededSamples, companyRef, { where: [ofMachines(machines)] })}))`
}
