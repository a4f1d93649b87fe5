import { expect } from 'chai'
import { routes } from '../../api/create-api.ts'
import { requestsFlush } from '../../api/http/route.ts'
import { scopes } from '../../schema/scopes.ts'
import { startApi, type TestApi } from '../support/api.ts'

/** Paths whose responses contain data computed from samples. */
const askingGets = [
  '/downtime-records',
  '/erp/jobdispatch',
  '/erp/jobdispatch/:id',
  '/graphql',
  '/health',
  '/machines',
  '/machines/:id/metric-values',
  '/machines/:id/metrics',
  '/machines/:id/timeline',
  '/proxy/graphql',
  '/recomputes',
  '/v1/graphql',
]
/** Paths whose responses contain only records, stored files or the state of the process. */
const quietGets = [
  '/accounts/current',
  '/annotations',
  '/api-keys',
  '/audit',
  '/csv/alarm/:id',
  '/csv/alarm/instances/:id',
  '/csv/downtime/:id',
  '/csv/production/:id',
  '/csv/quality/:id',
  '/dead-letters',
  '/demo',
  '/docs',
  '/docs/guides',
  '/docs/guides/:name',
  '/downtime-reasons',
  '/health/live',
  '/health/ready',
  '/job-operations',
  '/job-operations/:id',
  '/job-runs',
  '/machine-groups',
  '/machine-groups/:id',
  '/machines/:id',
  '/metrics',
  '/openapi.json',
  '/operator-runs',
  '/operators',
  '/operators/:id',
  '/part-adjustment-types',
  '/part-adjustments',
  '/schedules',
  '/schedules/:id',
  '/session',
  '/session/ways',
  '/settings',
  '/settings/sign-on',
  '/user-token',
  '/users',
]

describe('requests that read data computed from samples', function () {
  let api: TestApi
  let times = 0
  before(async () => {
    api = await startApi({ asked: () => void times++ })
  })
  after(() => api.close())

  const askedBy = async (method: string, path: string, body?: unknown, key = api.addKey(scopes)) => {
    const before = times
    const { status } = await api.call(method, path, body, { key })
    return { status, asked: times - before }
  }

  it('Exactly the listed GET routes count as reads of samples', () => {
    const gets = routes.filter(({ method }) => method === 'GET')
    const pathsOf = (asks: boolean) => gets.filter(route => requestsFlush(route) === asks).map(({ path }) => path)
    expect(pathsOf(true).sort()).to.deep.equal(askingGets)
    expect(pathsOf(false).sort()).to.deep.equal(quietGets)
  })

  it('Every route that changes something counts as a read of samples, except POST /ingest/samples', () => {
    const quiet = routes.filter(route => route.method !== 'GET' && !requestsFlush(route))
    expect(quiet.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['POST /ingest/samples'])
  })

  it('A request that reads samples requests a flush, and one that reads only records does not', async () => {
    for (const path of [
      '/job-operations',
      '/job-runs',
      '/machine-groups',
      '/schedules',
      '/openapi.json',
      '/health/ready',
      '/metrics',
    ])
      expect(await askedBy('GET', path), path).to.deep.equal({ status: 200, asked: 0 })
    expect(await askedBy('GET', '/machines')).to.deep.equal({ status: 200, asked: 1 })
    expect(await askedBy('POST', '/reports/production', {})).to.deep.equal({ status: 200, asked: 1 })
    expect((await askedBy('POST', '/graphql', { query: '{ __typename }' })).asked).to.equal(1)
  })

  it('The page, its documentation and unknown paths request no flush', async () => {
    const before = times
    for (const path of ['/', '/nothing', '/docs']) await fetch(`${api.url}${path}`)
    expect(times - before).to.equal(0)
  })
})
