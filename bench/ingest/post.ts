import { type Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from './bodies.ts'

export interface Receiver {
  readonly url: string
  readonly key: string
  /** Samples of a machine in one batch; with 1, each sample is a line of its own. */
  readonly batch?: number
}

/** Resolves to the number of accepted samples, which is all of them. Posts rejected for overload are sent again. */
export async function post(to: Receiver, agent: Agent, body: Body, onRefused: () => void): Promise<number> {
  for (;;) {
    const { status, text } = await send(to, agent, body)
    if (status === 202) {
      const answer: { accepted: number } = JSON.parse(text)
      if (answer.accepted !== body.count) throw new Error(text.slice(0, 500))
      return answer.accepted
    }
    if (status !== 503 && status !== 429) throw new Error(`${status} ${text}`)
    onRefused()
    await sleep(100)
  }
}

function send(
  { url, key, batch }: Receiver,
  agent: Agent,
  { bytes }: Body,
): Promise<{ readonly status: number; readonly text: string }> {
  const type = batch === 1 ? 'application/x-ndjson' : 'application/json'
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': bytes.length }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/ingest/samples`, { method: 'POST', agent, headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}
