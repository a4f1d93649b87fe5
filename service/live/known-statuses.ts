import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { liveStatus } from '../../processors/timeline/live-status.ts'
import { parseState } from '../../processors/timeline/state.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import type { ServiceContext } from '../context.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Reads the present status of every machine from the stored documents, in the form that processors tell it. */
export async function knownStatuses(context: ServiceContext): Promise<readonly LiveStatus[]> {
  const companies = context.records.companies()
  const statuses = await Promise.all(companies.map(({ id, ref }) => statusesOf(context, id, ref)))
  return statuses.flat()
}

async function statusesOf(
  { store, records, clock, inputsOf }: ServiceContext,
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
