import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../log/fixture.ts'
import { startService, type TestService } from '../../support/service.ts'

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

describe('/metrics', function () {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service?.stop())

  const read = async () => (await fetch(`${service.url}/metrics`)).text()

  it('/metrics counts samples, rejections by reason, inserts and reports', async () => {
    const id = randomUUID()
    await service.call('PUT', `/machines/${id}`, { name: 'Lathe' })
    const sample = { timestamp: new Date().toISOString(), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
    await service.call('POST', '/ingest/samples', [
      { ...sample, machineId: id },
      { ...sample, machineId: randomUUID() },
    ])
    await service.settled()
    const day = new Date().toISOString().slice(0, 10)
    const asked = { startDay: day, endDay: day, data: [{ metric: 'oee' }] }
    await service.call('POST', '/reports/production', asked)
    await service.call('POST', '/reports/production', { ...asked, data: [{ metric: 'none' }] })
    // Gauges of the lag are measured each 500 ms, or later on a busy machine.
    await eventually(async () => /^takt_backlog_hours 0$/m.test(await read()))
    const text = await read()
    for (const line of [
      /^takt_http_samples_total\{outcome="accepted"\} 1$/m,
      /^takt_http_samples_total\{outcome="unknown_machine"\} 1$/m,
      /^takt_samples_accepted_total 1$/m,
      /^takt_dead_letters 1$/m,
      /^takt_ingest_lag_records\{partition="0"\} 0$/m,
      /^takt_process_lag_records\{partition="3"\} 0$/m,
      /^takt_registrar_queue_records 0$/m,
      /^takt_backlog_hours 0$/m,
      /^takt_store_insert_duration_seconds_count\{table="hours",outcome="ok"\} [1-9]/m,
      /^takt_report_duration_seconds_count\{report="production",outcome="ok"\} 1$/m,
      /^takt_report_duration_seconds_count\{report="production",outcome="failed"\} 1$/m,
      /^process_resident_memory_bytes \d{7,}$/m,
      /^nodejs_heap_size_used_bytes \d{7,}$/m,
      /^nodejs_external_memory_bytes \d+$/m,
      /^takt_event_loop_delay_seconds\{quantile="0.99"\} \d+\.\d+/m,
    ])
      expect(text).to.match(line)
  })

  it('docs/operations.md lists the metrics with their meanings', async () => {
    const text = await read()
    // Metrics of Node.js come from prom-client and are not listed in the page.
    const told = [...text.matchAll(/^# HELP (takt_\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help])
    const listed = [...page.matchAll(/^\| `(takt_\w+)` +\| (.*?) +\|$/gm)].map(([, name = '', help = '']) => [
      name,
      help,
    ])
    const byName = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1)
    expect(listed.toSorted(byName)).to.deep.equal(told.toSorted(byName))
  })
})
