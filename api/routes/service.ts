import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { type Health, health, liveness, type Readiness, readiness } from '../../schema/requests/health.ts'
import { named, unsafe } from '../../schema/types.ts'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { route } from '../http/route.ts'
import { StaticContent } from '../static/static-content.ts'

interface HealthPort {
  /** Never cached: lag 0 must include everything that was accepted before the call. */
  readonly health: () => Promise<Health>
  /** Whether this process can serve requests. */
  readonly readiness: () => Promise<Readiness>
}

interface MetricsPort {
  /** Metrics of `GET /metrics`; the service adds its own. */
  readonly metrics: Registry
}

const getHealth = route('GET /health', 'getHealth', {
  summary: 'State of the service, and lag of the reports',
  description:
    'Always 200; `status` is the state. Lag 0 means that every accepted sample is in the reports. `liveLag` is the same for hours ' +
    'in progress or just past, `backlog` the hours and days that are not computed yet. `problems` lists conditions of the ' +
    'responding process that require attention; `process` names that process.',
  scope: 'public',
  output: health,
  async handle(_call, deps: HealthPort) {
    return deps.health()
  },
})

const getReadiness = route('GET /health/ready', 'getReadiness', {
  summary: 'Whether the process can serve; 503 if it cannot',
  description:
    'It can if log and store are available, `liveLag.seconds` is at most `TAKT_READY_LAG_SECONDS`, and no entry of `problems` in ' +
    '`GET /health` has lasted too long.',
  scope: 'public',
  output: readiness,
  otherStatuses: [503],
  async handle({ setStatus, setHeader }, deps: HealthPort) {
    const readiness = await deps.readiness()
    if (!readiness.ready) {
      setStatus(503)
      setHeader('Retry-After', '2')
    }
    return readiness
  },
})

const getLiveness = route('GET /health/live', 'getLiveness', {
  summary: 'Whether the process is alive',
  description: 'Does not check log and store: a restart of the process does not help if they are unavailable.',
  scope: 'public',
  output: liveness,
  handle() {
    return { status: 'ok' as const }
  },
})

/** Minimum time between collections, because the route is public and a collection takes milliseconds of CPU. */
const collectEveryMs = 100

const collectors = new WeakMap<Registry, () => Promise<string>>()

/** Returns metrics that were collected after the call; calls at the same time share them. */
function collectMetrics(registry: Registry): Promise<string> {
  const collect = collectors.get(registry) ?? createCollector(registry)
  collectors.set(registry, collect)
  return collect()
}

function createCollector(registry: Registry): () => Promise<string> {
  let collectedAtMs = -Infinity
  const collect = batchCalls<null, string>(async () => {
    await sleep(Math.max(0, collectedAtMs + collectEveryMs - performance.now()))
    collectedAtMs = performance.now()
    return registry.metrics()
  })
  return () => collect(null)
}

const getMetrics = route('GET /metrics', 'getServiceMetrics', {
  summary: 'Metrics of the service, for Prometheus',
  scope: 'public',
  output: 'text',
  handle({ setHeader }, { metrics }: MetricsPort) {
    setHeader('Content-Type', metrics.contentType)
    return collectMetrics(metrics)
  },
})

/** The route of the OpenAPI document, which includes this route. */
export function openApiRoute(document: () => object) {
  let content: StaticContent | undefined
  return route('GET /openapi.json', 'getOpenApi', {
    summary: 'This API as OpenAPI 3.1',
    scope: 'public',
    output: named('OpenApiDocument', unsafe<object>({ type: 'object' })),
    handle: () => (content ??= new StaticContent('json', JSON.stringify(document()))),
  })
}

export const serviceRoutes = [getHealth, getReadiness, getLiveness, getMetrics]
