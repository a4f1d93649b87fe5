import { randomUUID } from 'node:crypto'
import { companyCommand, printed } from '../support/company-command.ts'
import { caller } from '../support/service.ts'
import { again } from './again.ts'

/** A company that is not attacked: its samples must be in its reports during any attack. */
export interface Canary {
  /** Sends one more part. */
  makePart(): Promise<void>
  /** Parts sent so far. */
  readonly parts: () => number
  /** Parts of the machine in its report. */
  reported(): Promise<number>
  /** The report of a past day as text, which never changes. */
  pastReport(): Promise<string>
}

const past = { start: '2026-03-02T00:00:00Z', end: '2026-03-02T04:00:00Z' }

/** Creates the company, with one machine that counts parts now, and one with past data only. */
export async function makeCanary(url: string, env: Readonly<Record<string, string>>): Promise<Canary> {
  const key = printed(await companyCommand(env, 'create', 'Canary', '--admin', 'canary@example.com', '--key'), 'Key')
  const call = caller(url, key)
  const [live, old] = [randomUUID(), randomUUID()]
  await call('PUT', `/machines/${live}`, { name: 'Counting' })
  await call('PUT', `/machines/${old}`, { name: 'Retired', commissionedAt: past.start, decommissionedAt: past.end })
  await send(old, Date.parse(past.start) + 60_000, 'ACTIVE', 0)
  await send(old, Date.parse(past.start) + 3_600_000, 'READY', 40)
  let parts = 0
  const startMs = Date.now()
  await send(live, startMs, 'ACTIVE', 0)

  async function send(machineId: string, atMs: number, execution: string, count: number): Promise<void> {
    const timestamp = new Date(atMs).toISOString()
    const samples = [
      { timestamp, key: 'execution', type: 'EXECUTION', value: execution },
      { timestamp, key: 'parts', type: 'PART_COUNT', value: count },
    ]
    const { status } = await again(() => call('POST', '/ingest/samples', { machineId, samples }))
    if (status !== 202) throw new Error(`The samples of a company that nobody attacks are answered ${status}`)
  }
  async function report(machineId: string, range: object): Promise<string> {
    const body = {
      ...range,
      data: [{ metric: 'totalParts' }, { metric: 'timeInCycle' }],
      filter: { machine: [machineId] },
    }
    const answer = await again(() => call('POST', '/reports/production', body))
    if (answer.status !== 200)
      throw new Error(`The report of a company that nobody attacks is answered ${answer.status}`)
    return JSON.stringify(answer.body)
  }
  return {
    parts: () => parts,
    async makePart() {
      parts += 1
      await send(live, Math.max(Date.now() - 1000, startMs + parts), 'ACTIVE', parts)
    },
    async reported() {
      const range = {
        start: new Date(startMs - 60_000).toISOString(),
        end: new Date(Date.now() + 60_000).toISOString(),
      }
      const { aggregate }: { readonly aggregate: { readonly totalParts: number } } = JSON.parse(
        await report(live, range),
      )
      return aggregate.totalParts
    },
    pastReport: () => report(old, past),
  }
}
