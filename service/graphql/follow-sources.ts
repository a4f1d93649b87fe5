import type { DerivedStateCache } from '../../api/graphql/memory/derived-state-cache.ts'
import type { LiveQueries } from '../../api/graphql/subscriptions/live-queries.ts'
import type { SourceChange } from '../../api/graphql/subscriptions/subscription-index.ts'
import type { Live, LiveListener } from '../../api/live/sessions/live.ts'
import { companyOfChange } from '../../clickhouse/projections/company-of-change.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { ServiceContext } from '../context.ts'
import type { LiveFeed } from '../live/feed.ts'
import type { RecentValues } from '../live/recent-values.ts'
import { RunTimes } from '../live/run-times.ts'
import type { SourceChanges } from './source-changes.ts'

/** Parts of the service whose changes subscriptions follow. */
export interface FollowedParts {
  readonly live: Live
  readonly feed: LiveFeed
  readonly recent: RecentValues
  readonly queries: LiveQueries
  readonly derived: DerivedStateCache
  readonly changes: SourceChanges
}

/** Sources whose changes are published only on the live topic, so that a process may miss them. */
const missable = ['values', 'samples', 'stored-values', 'statuses', 'alarm-ids'] as const

/**
 * Publishes every change of samples, documents, records and time to the subscriptions; returns a function that ends the
 * publication.
 */
export function publishSourceChanges({ records, clock }: ServiceContext, parts: FollowedParts): () => void {
  const { live, feed, changes } = parts
  const publishDocuments = documentsOf(parts)
  const times = new RunTimes(records, clock, companyId => changes.publishCompany('time', companyId))
  const ends = [
    live.listen({
      ...samplesOf(parts),
      restored() {
        for (const source of missable) changes.publishAll(source)
        for (const { id } of records.companies()) publishDocuments(records.machines(id).map(({ ref }) => ref))
      },
    }),
    feed.listen({
      status: ({ statuses }) =>
        changes.publishMachines('statuses', new Set(statuses.map(({ machineRef }) => machineRef))),
      documents: ({ machines }) => publishDocuments(machines),
      alarmIds: ({ machines }) => changes.publishMachines('alarm-ids', machines),
    }),
    records.onEntry(({ command, changes: changed }) => {
      for (const { companyId, source } of sourcesOf(command.companyId, changed))
        changes.publishCompany(source, companyId)
    }),
    () => times.stop(),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function samplesOf({ live, recent, queries, changes }: FollowedParts): Omit<LiveListener, 'restored'> {
  return {
    needsSamples: () => queries.distinct > 0 || !recent.isIdle(),
    published(sample, isChange) {
      const { machineRef, key } = sample
      const companyId = changes.findCompany(machineRef)
      if (companyId === null) return
      const cell = live.values.cellOf(sample)
      // The value is older than the latest one, or the memory quota of latest values is exhausted.
      if (cell === null) return recent.addMissed(machineRef)
      recent.add(cell, sample)
      changes.publish({ companyId, source: 'samples', machineRef, key })
      if (isChange) changes.publish({ companyId, source: 'values', machineRef, key })
    },
  }
}

function documentsOf({ derived, changes }: FollowedParts): (machines: readonly MachineRef[]) => void {
  return machines => {
    changes.publishMachines('documents', machines)
    const uncached = machines.filter(machineRef => {
      const companyId = changes.findCompany(machineRef)
      return companyId !== null && !derived.markChanged(companyId, machineRef)
    })
    changes.publishMachines('derived-states', uncached)
  }
}

type Changes = Parameters<Parameters<ServiceContext['records']['onEntry']>[0]>[0]['changes']

/** Lists the kinds of records that an entry changes, once per company. */
function sourcesOf(companyId: string | null, changes: Changes) {
  const sources = new Map<string, Pick<SourceChange, 'companyId' | 'source'>>()
  for (const change of changes) {
    const of = companyOfChange(change, companyId)
    sources.set(`${change.kind} ${of}`, { companyId: of, source: change.kind })
  }
  return sources.values()
}
