import { expect } from 'chai'
import { createHealth, type HealthDeps } from '../../../service/monitoring/health.ts'
import { startApi } from '../../support/api.ts'
import { Gauge, Registry } from 'prom-client'

describe('concurrent requests of health and metrics', () => {
  it('Concurrent requests of health share a check that begins after them', async () => {
    let checks = 0
    let accepted = 0
    const lags = () => ({
      lag: { records: accepted, seconds: 0 },
      liveLag: { records: accepted, seconds: 0 },
      backlog: { hours: 0, days: 0 },
    })
    const ping = () => new Promise<void>(resolve => setTimeout(resolve, 20))
    const deps = {
      version: '1',
      roles: ['api'],
      log: { kind: 'embedded', ping },
      store: { kind: 'embedded', ping: () => ((checks += 1), ping()) },
      lag: { measure: async () => lags(), last: lags },
      problems: { open: () => [], blocking: () => [] },
      live: null,
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that health reads
    const health = createHealth(deps as unknown as HealthDeps)
    const first = Array.from({ length: 100 }, health)
    await new Promise(resolve => setTimeout(resolve, 5))
    accepted = 7
    const later = Array.from({ length: 100 }, health)
    for (const { lag } of await Promise.all(later)) expect(lag.records).to.equal(7)
    await Promise.all(first)
    expect(checks).to.equal(2)
  })

  it('Concurrent requests for metrics share one collection', async () => {
    const metrics = new Registry()
    let collected = 0
    const help = 'Counts its own collections.'
    // Longer than the arrival of all requests on a slow machine.
    const collect = async () => {
      collected += 1
      await new Promise(resolve => setTimeout(resolve, 500))
    }
    const gauge = new Gauge({ name: 'collections', help, collect })
    metrics.registerMetric(gauge)
    const api = await startApi({ metrics })
    try {
      const texts = await Promise.all(
        Array.from({ length: 50 }, async () => (await fetch(`${api.url}/metrics`)).text()),
      )
      for (const text of texts) expect(text).to.include('collections')
      expect(collected).to.be.below(10)
    } finally {
      await api.close()
    }
  })
})
