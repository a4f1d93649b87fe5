import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { startApi, type TestApi } from '../../support/api.ts'

const notice = { event: 'incident.opened', step: 1, repeat: 0 } as const

describe('routes of deliveries', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  /** Creates a delivery of a target; returns the ids of the delivery and of its incident. */
  async function deliver(targetId: string): Promise<{ readonly id: string; readonly incidentId: string }> {
    const { registrar } = api
    const rule = { id: 'r', name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } } as const
    await registrar.perform('alertTarget.put', { id: targetId, name: 'T', kind: 'mail', addresses: ['a@example.com'] })
    const { activeFrom } = await registrar.perform('alertRule.put', {
      ...rule,
      steps: [{ afterMs: 0, until: 'resolved', targets: [targetId] }],
    })
    const machine = await registrar.perform('machine.put', { id: randomUUID(), name: 'Lathe' })
    const claimed = await registrar.submit('claim', { partition: 0, owner: 'test' }, { companyId: null, actor: 'test' })
    if (!claimed.ok) throw new Error('The claim was rejected')
    const owner = { partition: 0, fence: claimed.result.fence }
    const [id, incidentId, at] = [randomUUID(), randomUUID(), new Date().toISOString()]
    const subject = { type: 'machine', id: machine.id, name: 'Lathe' } as const
    const times = { startedAt: at, openedAt: at, endedAt: null, reopened: 0 }
    const opened = { type: 'open', id: incidentId, ruleId: 'r', activeFrom, subject, detail: {}, times } as const
    const step = { type: 'step', id: incidentId, step: 1, repeat: 0 } as const
    await registrar.perform('incident.evaluate', { ...owner, changes: [opened, step] })
    const delivery = { id, ruleId: 'r', ...notice, dueAt: at, notices: [{ incidentId, ...notice }] }
    await registrar.perform('delivery.create', { ...owner, targetId, deliveries: [delivery], dropped: [] })
    return { id, incidentId }
  }

  it('Ids of UUID form are found in upper case', async () => {
    const targetId = randomUUID()
    const { id, incidentId } = await deliver(targetId)
    const list = async (query: string) => {
      const { status, body } = await api.call('GET', `/deliveries?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return Array.from(Object(body), each => Object(each).id)
    }
    for (const query of [`targetId=${targetId}`, `incidentId=${incidentId}`]) {
      assert.deepEqual(await list(query), [id])
      const [name = '', value = ''] = query.split('=')
      assert.deepEqual(await list(`${name}=${value.toUpperCase()}`), [id], name)
    }
    assert.deepEqual(await list(`targetId=${randomUUID()}`), [])
    assert.deepEqual(await list(`startId=${id.toUpperCase()}`), [])
  })
})
