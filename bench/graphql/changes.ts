/** Gateways of `subscriptions.ts`: change the given number of values a second until they are stopped. Each value is the time at which it was sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { keys } from './queries.ts'

export interface ChangesOrder {
  readonly url: string
  readonly key: string
  readonly machines: readonly string[]
  readonly perSecond: number
}

const everyMs = 100

process.once('message', (order: ChangesOrder) => {
  process.send?.({})
  change(order).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})

async function change({ url, key, machines, perSecond }: ChangesOrder): Promise<never> {
  const startedMs = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let sent = 0; ;) {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond)
    const samples = Array.from({ length: Math.min(due - sent, perSecond) }, (_, i) => sampleOf(sent + i, machines))
    sent = due
    const response = await fetch(`${url}/ingest/samples`, { method: 'POST', headers, body: JSON.stringify(samples) })
    if (response.status !== 202) throw new Error(await response.text())
    await response.arrayBuffer()
    await sleep(everyMs)
  }
}

function sampleOf(n: number, machines: readonly string[]) {
  const nowMs = Date.now()
  const round = Math.floor(n / machines.length)
  const key = keys[round % keys.length] ?? ''
  const isState = key === 'execution'
  return {
    machineId: machines[n % machines.length],
    timestamp: new Date(nowMs).toISOString(),
    key,
    type: isState ? 'EXECUTION' : 'ANY',
    value: isState ? ['ACTIVE', 'READY'][Math.floor(round / keys.length) % 2] : `${nowMs} ${n}`,
  }
}
