import { Gauge, type Registry } from 'prom-client'
import { createSocketServer, type SocketServer } from '../../api/graphql/sockets/socket-server.ts'
import type { RecentValuesSource } from '../../api/graphql/run/context.ts'
import { EvaluationQueue } from '../../api/graphql/subscriptions/evaluation-queue.ts'
import { LiveQueries } from '../../api/graphql/subscriptions/live-queries.ts'
import { Operations } from '../../api/graphql/subscriptions/operations.ts'
import { MadeStates } from '../../api/graphql/memory/made-states.ts'
import { createMemory } from '../../api/graphql/memory/memory.ts'
import { readMadeStates } from '../../api/graphql/memory/read-made-states.ts'
import { StatementMemory } from '../../api/graphql/memory/statement-memory.ts'
import { StatesMemory } from '../../api/graphql/memory/states-memory.ts'
import { Preparations } from '../../api/graphql/subscriptions/preparations.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import { TokenBucket } from '../../api/live/token-bucket.ts'
import { createTokenCheck, type TokenCheckDeps } from '../../api/live/sessions/token-check.ts'
import type { ApiSettings } from '../../api/ports/settings.ts'
import type { SourceChange } from '../../api/graphql/subscriptions/watches.ts'
import { companyOfChange } from '../../clickhouse/projections/company-of-change.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { Shares } from '../../shared/shares.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../context.ts'
import type { LiveFeed } from '../live/feed.ts'
import { ingested } from '../live/ingested.ts'
import { RecentValues } from '../live/recent-values.ts'
import { RunTimes } from '../live/run-times.ts'
import type { Teardown } from '../teardown.ts'

export interface StartedGraphql {
  readonly sockets: SocketServer
  readonly recentValues: RecentValuesSource
}

export interface GraphqlParts {
  readonly live: Live
  readonly feed: LiveFeed
  readonly metrics: Registry
  readonly auth: TokenCheckDeps
  readonly settings: ApiSettings
}

/** A value is on its way into the store no longer than this, unless the store is away. */
const ingestedWithinMs = 30_000

/** Makes what subscriptions need, and what takes their connections. */
export function startGraphql(context: ServiceContext, parts: GraphqlParts, teardown: Teardown): StartedGraphql {
  const { config, records, store, clock, logger, log } = context
  const { live, feed, metrics, auth, settings } = parts
  const isShared = () => records.companies().length > 1
  const stopping = new AbortController()
  const statements = new StatementMemory()
  const changed = (change: SourceChange) => {
    statements.changed(change.companyId, change.source)
    queries.changed(change)
  }
  const ofMachines = (source: SourceChange['source'], machines: Iterable<MachineRef>) => {
    for (const machineRef of machines) {
      const companyId = records.machineByRef(machineRef)?.companyId
      if (companyId !== undefined) changed({ companyId, source, machineRef, key: null })
    }
  }
  const recent = new RecentValues({
    ingested: () => ingested(log, ingestedWithinMs),
    companyOf: machineRef => records.company(records.machineByRef(machineRef)?.companyId ?? '')?.ref ?? null,
    onStored: machines => ofMachines('stored-values', machines),
    onMissedStored: machines => {
      for (const source of ['values', 'stored-values'] as const)
        if (machines) ofMachines(source, machines)
        else for (const { id } of records.companies()) changed({ companyId: id, source, machineRef: null, key: null })
    },
    isWatched: () => queries.distinct > 0,
    logger,
  })
  const recentValues: RecentValuesSource = (...asked) => recent.of(...asked)
  const limits = {
    ...settings.graphql,
    rows: config.TAKT_GRAPHQL_SUBSCRIPTION_ROWS,
    answerChars: bufferOf(config).bytes,
  }
  const executing = { store, records, statuses: live.statuses, recentValues, clock, logger }
  const queue = new EvaluationQueue({
    load: config.TAKT_GRAPHQL_SUBSCRIPTION_LOAD / 100,
    onError: error => logger.error({ err: error }, 'GraphQL operation failed'),
  })
  const made = new MadeStates({
    read: (companyId, machines) =>
      readMadeStates(operations, companyId, machines ?? machinesOf(companyId), stopping.signal),
    onChanged: (companyId, machineRef) => changed({ companyId, source: 'made-states', machineRef, key: null }),
    isFollowed: companyId => queries.isRead(companyId, 'made-states'),
  })
  const machinesOf = (companyId: string) => records.machines(companyId).map(({ ref }) => ref)
  const states = new StatesMemory({
    values: live.values,
    isRestored: () => live.isRestored,
    made,
    machinesOf,
    machineIdOf: companyId => machineRef => {
      const machine = records.machineByRef(machineRef)
      return machine?.companyId === companyId ? machine.id : null
    },
  })
  const memory = createMemory(states, statements)
  const operations = new Operations({ ...executing, limits, reports: null, memory })
  const queries = new LiveQueries({
    operations,
    queue,
    resultBytes: config.TAKT_GRAPHQL_SUBSCRIPTION_BYTES,
    keptBytes: config.TAKT_GRAPHQL_RESULTS_BYTES,
    isShared,
    onReads: (companyId, reads) => {
      if (reads.some(({ source }) => source === 'made-states')) made.follow(companyId)
    },
  })
  const bytes = new Shares({ room: config.TAKT_GRAPHQL_OPERATIONS_BYTES, isShared })
  const { requestsPerMinute } = settings.graphql
  const sockets = createSocketServer({
    live,
    records,
    checkToken: createTokenCheck(auth),
    clock,
    queries,
    operations,
    preparations: new Preparations(operations, limits, bytes),
    queue,
    places: new Shares({ room: config.TAKT_GRAPHQL_SUBSCRIPTIONS, isShared }),
    bytes,
    takeRequest: requestsOf(requestsPerMinute),
    takeStart: requestsOf(startsFactor * requestsPerMinute),
    bounds: { ...settings.json, bytes: config.TAKT_GRAPHQL_MESSAGE_LIMIT },
    operationsOfConnection: config.TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION,
    commandsPerSecond: config.TAKT_LIVE_COMMANDS_PER_SECOND * commandsFactor,
    buffer: bufferOf(config),
    answerBytes: bufferOf(config).bytes,
    waitingBytes: config.TAKT_LIVE_WAITING_BYTES,
    trustedProxies: settings.trustedProxies,
    logger,
  })
  const times = new RunTimes(records, clock, companyId =>
    changed({ companyId, source: 'time', machineRef: null, key: null }),
  )
  const documented = (machines: readonly MachineRef[]) => {
    ofMachines('documents', machines)
    for (const machineRef of machines) {
      const companyId = records.machineByRef(machineRef)?.companyId
      if (companyId === undefined || made.documented(companyId, machineRef)) continue
      changed({ companyId, source: 'made-states', machineRef, key: null })
    }
  }
  const ends = [
    live.listen({
      wantsSamples: () => queries.distinct > 0 || !recent.rests(),
      told(sample, isChange) {
        const companyId = records.machineByRef(sample.machineRef)?.companyId
        const cell = live.values.cellOf(sample)
        if (companyId === undefined) return
        // There is no room for it among the latest values, or it is late.
        if (cell === null) return recent.miss(sample.machineRef)
        recent.tell(cell, sample)
        const { machineRef, key } = sample
        changed({ companyId, source: 'samples', machineRef, key })
        if (isChange) changed({ companyId, source: 'values', machineRef, key })
      },
      restored() {
        for (const { id } of records.companies()) {
          for (const source of missable) changed({ companyId: id, source, machineRef: null, key: null })
          documented(machinesOf(id))
        }
      },
    }),
    feed.listen({
      statuses: statuses => ofMachines('statuses', new Set(statuses.map(({ machineRef }) => machineRef))),
      documents: documented,
      alarmIds: machines => ofMachines('alarm-ids', machines),
    }),
    records.onEntry(({ command, changes }) => {
      for (const { companyId, source } of sourcesOf(command.companyId, changes))
        changed({ companyId, source, machineRef: null, key: null })
    }),
    () => stopping.abort(),
    () => made.stop(),
    () => times.stop(),
    () => recent.stop(),
    () => queue.stop(),
    () => queries.stop(),
  ]
  teardown.add('graphql', () => {
    for (const end of ends) end()
  })
  measure(sockets, queries, metrics)
  return { sockets, recentValues }
}

/** Sources that are told of by the live topic alone. */
const missable = ['values', 'samples', 'stored-values', 'statuses', 'alarm-ids'] as const

/** Screens begin many operations at once when they open. */
const commandsFactor = 5

/** All screens of a plant begin anew after a restart, with many subscriptions each. */
const startsFactor = 20

/** Two of the largest results fit. */
function bufferOf(config: Config) {
  return { bytes: 2 * config.TAKT_GRAPHQL_SUBSCRIPTION_BYTES, blockedMs: config.TAKT_LIVE_BLOCKED_SECONDS * 1000 }
}

type Changes = Parameters<Parameters<ServiceContext['records']['onEntry']>[0]>[0]['changes']

/** The kinds of records that an entry changes, each once for each company. */
function sourcesOf(companyId: string | null, changes: Changes) {
  const sources = new Map<string, Pick<SourceChange, 'companyId' | 'source'>>()
  for (const change of changes) {
    const of = companyOfChange(change, companyId)
    sources.set(`${change.kind} ${of}`, { companyId: of, source: change.kind })
  }
  return sources.values()
}

/** Counts the queries of each company; 0: no limit. */
function requestsOf(perMinute: number): (companyId: string) => boolean {
  const buckets = new Map<string, TokenBucket>()
  return companyId => {
    if (perMinute === 0) return true
    const nowMs = performance.now()
    const bucket = buckets.get(companyId) ?? new TokenBucket(perMinute / 60, perMinute, nowMs)
    buckets.set(companyId, bucket)
    return bucket.take(nowMs)
  }
}

function measure(sockets: SocketServer, queries: LiveQueries, registry: Registry): readonly Gauge[] {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  return [
    gauge('takt_graphql_connections', 'WebSockets of GraphQL.', () => sockets.connections),
    gauge('takt_graphql_operations', 'Operations over WebSockets that are not over.', () => sockets.operations),
    gauge('takt_graphql_subscriptions', 'Subscriptions, equal ones of a company once.', () => queries.distinct),
    gauge('takt_graphql_evaluations', 'Evaluations of subscriptions since the start.', () => queries.evaluations),
  ]
}
