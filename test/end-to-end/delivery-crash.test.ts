import { expect } from 'chai'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryResponse } from '../../schema/records/delivery.ts'
import { WebhookReceiver } from '../respond/deliveries/webhook-receiver.ts'
import { readAs } from '../support/read-as.ts'
import { type ChildService, startChild } from '../support/child-service.ts'

const kills = 3

interface Body {
  readonly type: string
  readonly data: { readonly incident: { readonly id: string } }
}

describe('deliveries of a service that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'takt-delivery-crash-'))
  const secrets: Record<string, string> = {}
  const receiver = new WebhookReceiver(secrets)
  const machineId = randomUUID()
  let service: ChildService

  const start = async () => {
    service = await startChild({
      TAKT_DATA_DIR: join(folder, 'data'),
      TAKT_WEBHOOK_ALLOW: '127.0.0.0/8',
      TAKT_CONNECT_SECRET_FILE: join(folder, 'secret'),
    })
  }
  after(async () => {
    await service.stop()
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await service.call(method, path, body)
    expect(response.status, JSON.stringify(response.body)).to.be.oneOf([200, 202])
    return response.body
  }
  const execution = (value: string) =>
    call('POST', '/ingest/samples', {
      machineId,
      timestamp: new Date().toISOString(),
      key: 'execution',
      type: 'EXECUTION',
      value,
    })

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = Date.now() + 60_000
    while (!(await holds())) {
      if (Date.now() > untilMs) throw new Error(`Waited too long for ${what}`)
      await sleep(50)
    }
  }

  it('A kill after the record and before the outcome repeats the message with the same id, and loses none', async () => {
    writeFileSync(join(folder, 'secret'), randomBytes(48).toString('base64'))
    const url = `http://127.0.0.1:${await receiver.start()}/`
    await start()
    const target = await call('PUT', '/alert-targets/chat', { name: 'Chat', kind: 'webhook', url })
    secrets['chat'] = readAs<{ readonly secret: string }>(target).secret
    await call('PUT', `/machines/${machineId}`, { name: 'Lathe', staleAfterMs: null })
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['chat'] }]
    await call('PUT', '/alert-rules/stop', {
      name: 'Stop',
      severity: 'info',
      condition: { status: ['INACTIVE'] },
      steps,
    })
    await execution('ACTIVE')

    const repeated: string[] = []
    const received = () => receiver.received.map(({ id }) => id)
    for (let kill = 0; kill < kills; kill++) {
      // The receiver has the message, and does not answer.
      receiver.answer = () => undefined
      const before = new Set(received())
      await execution('READY')
      await until('the message', () => received().some(id => !before.has(id)))
      const id = received().find(id => !before.has(id)) ?? ''
      repeated.push(id)
      await service.kill()
      receiver.answer = response => response.writeHead(204).end()
      await start()
      await until('the repetition', () => received().filter(each => each === id).length > 1)
      await execution('ACTIVE')
      await until('the end', () => new Set(received()).size === before.size + 2)
    }

    const deliveries = async () => readAs<readonly DeliveryResponse[]>(await call('GET', '/deliveries'))
    await until('the outcomes', async () => (await deliveries()).every(({ state }) => state === 'sent'))
    const listed = (await deliveries()).map(({ id }) => id)
    expect(new Set(received())).to.deep.equal(new Set(listed))
    expect(listed).to.have.length(2 * kills)
    // On a slow machine, other messages may be sent again, too.
    expect(received().filter((id, index, all) => all.indexOf(id) !== index)).to.include.members(repeated)
    const opened = receiver.received.map(({ id, body }) => ({ id, ...readAs<Body>(JSON.parse(body)) }))
    const ids = new Map<string, Set<string>>()
    for (const { id, type, data } of opened) {
      const key = `${type} ${data.incident.id}`
      ids.set(key, (ids.get(key) ?? new Set()).add(id))
    }
    expect([...ids.values()].map(({ size }) => size)).to.deep.equal(Array.from({ length: 2 * kills }, () => 1))
    expect(receiver.received.every(({ signedBy }) => signedBy.includes('chat'))).to.equal(true)
  })
})
