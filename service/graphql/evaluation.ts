import { DerivedStateCache } from '../../api/graphql/memory/derived-state-cache.ts'
import { readDerivedStates } from '../../api/graphql/memory/read-derived-states.ts'
import { StatementCache } from '../../api/graphql/memory/statement-cache.ts'
import { StatesMemory } from '../../api/graphql/memory/states-memory.ts'
import type { Source } from '../../api/graphql/model/source-reads.ts'
import type { LocalResults, RecentValuesSource } from '../../api/graphql/run/context.ts'
import { EvaluationQueue } from '../../api/graphql/subscriptions/evaluation-queue.ts'
import { LiveQueries } from '../../api/graphql/subscriptions/live-queries.ts'
import { Operations } from '../../api/graphql/subscriptions/operations.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import type { GraphqlLimits } from '../../api/ports/graphql-limits.ts'
import type { ServiceContext } from '../context.ts'
import type { SourceChanges } from './source-changes.ts'

/** Parts of the service that the evaluation of subscriptions needs. */
export interface EvaluationParts {
  readonly live: Live
  readonly limits: GraphqlLimits
  readonly changes: SourceChanges
  readonly recentValues: RecentValuesSource
}

/** The evaluator of GraphQL operations over WebSockets. */
export interface Evaluation {
  readonly operations: Operations
  readonly queue: EvaluationQueue
  readonly queries: LiveQueries
  readonly derived: DerivedStateCache
  stop(): void
}

/** Creates the evaluator of subscriptions and its caches. */
export function createEvaluation(context: ServiceContext, parts: EvaluationParts): Evaluation {
  const { config, records, store, clock, logger } = context
  const { live, limits, changes, recentValues } = parts
  const stopping = new AbortController()
  const statements = new StatementCache()
  const derived = new DerivedStateCache({
    read: (companyId, machines) =>
      readDerivedStates(operations, companyId, machines ?? machinesOf(context, companyId), stopping.signal),
    onChanged: (companyId, machineRef) =>
      changes.publish({ companyId, source: 'derived-states', machineRef, key: null }),
    isFollowed: companyId => queries.isRead(companyId, 'derived-states'),
  })
  const localResults = localResultsOf(context, { live, derived, statements })
  const executing = { store, records, statuses: live.statuses, recentValues, clock, logger }
  const operations = new Operations({ ...executing, limits, reports: null, localResults })
  const queue = new EvaluationQueue({
    load: config.TAKT_GRAPHQL_SUBSCRIPTION_LOAD / 100,
    onError: error => logger.error({ err: error }, 'GraphQL operation failed'),
  })
  const queries = new LiveQueries({
    operations,
    queue,
    resultBytes: config.TAKT_GRAPHQL_SUBSCRIPTION_BYTES,
    cachedBytes: config.TAKT_GRAPHQL_RESULTS_BYTES,
    isShared: () => records.companies().length > 1,
    onReads: (companyId, reads, areNew) => {
      if (areNew && reads.some(({ source }) => ofSamples.has(source))) context.batchScheduler.requestFlush()
      if (reads.some(({ source }) => source === 'derived-states')) derived.follow(companyId)
    },
  })
  changes.listen(({ companyId, source }) => statements.changed(companyId, source))
  changes.listen(change => queries.changed(change))
  const stop = () => {
    stopping.abort()
    derived.stop()
    queue.stop()
    queries.stop()
  }
  return { operations, queue, queries, derived, stop }
}

/** Sources that change when samples arrive. */
const ofSamples: ReadonlySet<Source> = new Set<Source>(['values', 'samples', 'stored-values', 'derived-states'])

interface LocalResultParts {
  readonly live: Live
  readonly derived: DerivedStateCache
  readonly statements: StatementCache
}

function localResultsOf(context: ServiceContext, { live, derived, statements }: LocalResultParts): LocalResults {
  const states = new StatesMemory({
    values: live.values,
    isRestored: () => live.isRestored,
    derived,
    machinesOf: companyId => machinesOf(context, companyId),
    machineIdOf: companyId => machineRef => {
      const machine = context.records.machineByRef(machineRef)
      return machine?.companyId === companyId ? machine.id : null
    },
  })
  return {
    list: (...request) => states.list(...request),
    query: (...query) => statements.query(...query),
  }
}

function machinesOf({ records }: ServiceContext, companyId: string) {
  return records.machines(companyId).map(({ ref }) => ref)
}
