import { resultOrThrow } from '../../../schema/commands/command-log.ts'
import type { Scope } from '../../../schema/scopes.ts'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { hashKey } from '../../../api/auth/key.ts'
import type { TestService } from '../../support/service.ts'

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
export function shapeOf<T>(body: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of the route
  return body as T
}

export interface TestSample {
  readonly at: number
  readonly key: string
  readonly type: string
  readonly [name: string]: unknown
}

/** An instant in the format of the status channel. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00')

export async function addMachine({ call }: Pick<TestService, 'call'>): Promise<string> {
  const id = randomUUID()
  const { status } = await call('PUT', `/machines/${id}`, { name: `Machine ${id.slice(0, 8)}` })
  expect(status).to.equal(200)
  return id
}

export async function post(
  { call }: Pick<TestService, 'call'>,
  machineId: string,
  samples: readonly TestSample[],
): Promise<void> {
  const wire = samples.map(({ at, ...sample }) => ({ ...sample, machineId, timestamp: new Date(at).toISOString() }))
  const { status, body } = await call('POST', '/ingest/samples', wire)
  expect(status).to.equal(202)
  expect(body).to.deep.include({ accepted: samples.length, rejected: [] })
}

export async function addKey(
  { commands, companyId }: TestService,
  scopes: readonly Scope[],
): Promise<{ readonly key: string; readonly id: string }> {
  const key = `a key for tests ${randomUUID()}`
  const payload = { name: 'Test', scopes, hash: hashKey(key) }
  const { id } = resultOrThrow(await commands.submit('key.create', payload, { companyId, actor: 'test' }))
  return { key, id }
}

export async function removeKey({ commands, companyId }: TestService, id: string): Promise<void> {
  resultOrThrow(await commands.submit('key.delete', { id }, { companyId, actor: 'test' }))
}
