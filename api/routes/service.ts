import { health } from '../../schema/api/health.ts'
import { schema } from '../../schema/api/json-schema.ts'
import { route } from '../http/route.ts'

const getHealth = route({
  method: 'GET',
  path: '/health',
  summary: 'How the service is, and how far the reports are behind',
  description: 'Lag 0 means that every accepted sample is in the reports.',
  scope: 'public',
  output: health,
  otherStatuses: [503],
  async handle({ setStatus, setHeader }, deps) {
    const answer = await deps.health()
    setHeader('Cache-Control', 'no-store')
    if (answer.status === 'unavailable') {
      setStatus(503)
      setHeader('Retry-After', '2')
    }
    return answer
  },
})

const getMetrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Figures of the service itself, for Prometheus',
  scope: 'public',
  output: 'text',
  handle({ setHeader }, { metrics }) {
    setHeader('Content-Type', metrics.contentType)
    return metrics.metrics()
  },
})

/** The OpenAPI document, which must be made from all routes, this one included. */
export function openApiRoute(document: () => object) {
  return route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface, as OpenAPI 3.1',
    scope: 'public',
    output: schema<object>({ type: 'object' }),
    handle: document,
  })
}

export const serviceRoutes = [getHealth, getMetrics]
