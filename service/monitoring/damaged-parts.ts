import { readDamagedParts } from '../../clickhouse/client/damaged-parts.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Problems } from '../../shared/problems.ts'

/** Reports the problem `damaged_parts` if tables of the embedded store have damaged parts. */
export async function reportDamagedParts(store: Pick<Store, 'query'>, problems: Problems): Promise<void> {
  const damaged = await readDamagedParts(store)
  if (damaged.length === 0) return
  const message =
    `The embedded store has damaged parts: ${damaged.map(({ table, parts }) => `${table} (${parts})`).join(', ')}. ` +
    'Rows may be missing. The section "Damaged parts of the embedded store" of the operations guide says what to do.'
  problems.report('damaged_parts', { code: 'damaged_parts', message })
}

/** Reports the problem `failed_writes`, which stays: only a restart repairs damaged parts. */
export function reportFailedWrites(problems: Problems): void {
  const message =
    'The embedded store failed to write to its disk: parts of tables may be damaged. Free space, and restart the process ' +
    'within two minutes: later, the rows of damaged merged parts are lost.'
  problems.report('failed_writes', { code: 'failed_writes', message })
}
