import { expect } from 'chai'
import type { ChildService } from '../support/child-service.ts'
import { testKey } from '../support/service.ts'
import { useProcesses } from './processes.ts'

describe('request repeated in two processes', function () {
  const { start } = useProcesses(1)

  it('A repeated request gets the first response and runs once, across processes, restarts and concurrent calls', async () => {
    const [one, other] = [await start(), await start()]
    const answers = await Promise.all([one, other, one, other].map(service => post(service, 'Jam')))
    for (const answer of answers) expect(answer).to.deep.equal(answers[0])
    expect(answers[0]?.status).to.equal(200)
    expect((await post(other, 'Tool')).status).to.equal(409)
    await Promise.all([one.kill(), other.kill()])
    const again = await start()
    expect(await post(again, 'Jam')).to.deep.equal(answers[0])
    expect((await again.call('GET', '/downtime-reasons')).body).to.have.length(1)
  })
})

async function post({ url }: ChildService, name: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${url}/downtime-reasons`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'idempotency-key': '7b0e7a52-2d41-4f6e-9d0f-4c0f7a1f2b11',
    },
    body: JSON.stringify({ name }),
  })
  return { status: response.status, body: await response.json() }
}
