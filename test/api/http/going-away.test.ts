import { Writable } from 'node:stream'
import { assert } from 'chai'
import { pino } from 'pino'
import type { ReportRunner } from '../../../api/reports/reports.ts'
import { adminKey, startApi } from '../../support/api.ts'

describe('HTTP: a client that disconnects', () => {
  it('The report of a client that disconnects is stopped', async () => {
    let started: () => void = () => {}
    const isStarted = new Promise<void>(resolve => {
      started = resolve
    })
    let gaveUp: () => void = () => {}
    const isGivenUp = new Promise<void>(resolve => {
      gaveUp = resolve
    })
    const production: ReportRunner = (_companyId, _body, { signal } = {}) => {
      started()
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          gaveUp()
          reject(new Error('Given up', { cause: signal.reason }))
        })
      })
    }
    const lines: string[] = []
    const log = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString())
        done()
      },
    })
    const api = await startApi({ production, logger: pino({ level: 'debug' }, log) })
    try {
      const abort = new AbortController()
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
      const asked = fetch(`${api.url}/reports/production`, {
        method: 'POST',
        headers,
        body: '{}',
        signal: abort.signal,
      })
      await isStarted
      abort.abort()
      const failure: unknown = await asked.catch((error: unknown) => error)
      assert.propertyVal(failure, 'name', 'AbortError')
      await isGivenUp
      assert.equal((await api.call('GET', '/machines')).status, 200)
      const told = lines.map((line): { level: number; status?: number; path?: string } => JSON.parse(line))
      const ofReport = told.filter(({ path }) => path === '/reports/production')
      assert.deepEqual(new Set(ofReport.map(({ level, status }) => `${level} ${status}`)), new Set(['20 499']))
    } finally {
      await api.close()
    }
  })
})
