import type { ChildProcess } from 'node:child_process'
import { ask, startScript } from '../support/processes.ts'
import type { ClientOrder, ClientReport } from './client.ts'

/** Starts gateways that have created all their bodies. */
export async function startClient(order: ClientOrder): Promise<ChildProcess> {
  const client = startScript(new URL('client.ts', import.meta.url))
  await ask(client, order)
  return client
}

/** Makes gateways post all their bodies, and ends them. */
export async function post(client: ChildProcess): Promise<ClientReport> {
  const report = await ask<ClientReport>(client, 'go')
  client.kill()
  return report
}

/** `12,345 samples/s`. */
export function perSecond(count: number, ms: number): string {
  return `${Math.round((count / ms) * 1000).toLocaleString('en')} samples/s`
}
