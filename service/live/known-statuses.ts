import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { liveStatus } from '../../processors/timeline/live-status.ts'
import { parseState } from '../../processors/timeline/state.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Records } from '../../processors/records/records.ts'
import type { MachineInputCache } from '../../processors/records/machine-input-cache.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export interface StatusDeps {
  readonly store: Store
  readonly records: Records
  readonly inputsOf: MachineInputCache['of']
  /** UTC ms. */
  readonly clock: () => number
}

/** Reads the present status of every machine from stored documents, as the message that processors publish. */
export async function knownStatuses(deps: StatusDeps): Promise<readonly LiveStatus[]> {
  const companies = deps.records.companies()
  const statuses = await Promise.all(companies.map(({ id, ref }) => statusesOf(deps, id, ref)))
  return statuses.flat()
}

async function statusesOf(
  { store, records, clock, inputsOf }: StatusDeps,
  companyId: string,
  companyRef: CompanyRef,
): Promise<readonly LiveStatus[]> {
  const nowMs = clock()
  const machines = records.machines(companyId)
  const states = await createDocumentStore(store).readStates(
    companyRef,
    machines.map(({ ref }) => ref),
    Math.floor(nowMs / hourMs) * hourMs,
  )
  return machines.flatMap(machine => {
    const state = states.get(machine.ref)
    return state === undefined ? [] : liveStatus(inputsOf(machine), parseState(state), nowMs)
  })
}
