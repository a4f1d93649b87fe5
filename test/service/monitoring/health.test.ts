import { expect } from 'chai'
import type { Health } from '../../../schema/requests/health.ts'
import { Problems } from '../../../shared/problems.ts'
import { startService, type TestService } from '../../support/service.ts'

describe('problems in /health', function () {
  const problems = new Problems()
  let service: TestService
  before(async () => (service = await startService({ problems })))
  after(() => service.stop())

  const healthNow = async (): Promise<Health> => JSON.parse(JSON.stringify((await service.call('GET', '/health')).body))

  it('GET /health lists a problem with its process and topic until it is cleared, and the problem blocks readiness from its age on', async () => {
    expect((await healthNow()).problems).to.deep.equal([])
    problems.report('x', {
      code: 'consumer_stuck',
      message: 'No progress',
      topic: 'samples.v1',
      partition: 3,
      offset: 41,
    })
    const { status, problems: listed } = await healthNow()
    expect(status).to.equal('ok')
    expect(listed).to.have.lengthOf(1)
    const [{ since, process: name, ...rest } = { since: '', process: '' }] = listed
    expect(rest).to.deep.equal({
      code: 'consumer_stuck',
      message: 'No progress',
      topic: 'samples.v1',
      partition: 3,
      offset: 41,
    })
    expect(new Date(since).toISOString()).to.equal(since)
    expect(name).to.match(new RegExp(`/${process.pid}$`))
    expect((await service.call('GET', '/health/ready')).status).to.equal(200)

    problems.report('x', { code: 'consumer_stuck', message: 'No progress', unreadyAfterMs: 0 })
    const ready = await service.call('GET', '/health/ready')
    expect(ready.status).to.equal(503)
    expect(ready.body).to.deep.include({ ready: false, reasons: ['consumer_stuck'] })
    expect((await healthNow()).status).to.equal('degraded')

    problems.clear('x')
    expect((await service.call('GET', '/health/ready')).status).to.equal(200)
    expect(await healthNow()).to.deep.include({ status: 'ok', problems: [] })
  })
})
