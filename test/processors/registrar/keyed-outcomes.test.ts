import { expect } from 'chai'
import { KeyedOutcomes } from '../../../processors/registrar/keyed-outcomes.ts'
import type { CommandError, Outcome } from '../../../schema/commands/command-log.ts'

const dayMs = 86_400_000
const done: Outcome = { ok: true, result: { id: 1 } }

describe('outcomes by Idempotency-Key', () => {
  let kept: KeyedOutcomes

  beforeEach(() => {
    kept = new KeyedOutcomes({ keys: 2, chars: 10_000 })
  })

  const command = (key: string, { body = 'b', companyId = 'c', nowMs = 0 } = {}) => ({
    companyId,
    nowMs,
    repeat: { key, body },
  })
  const add = (keyed: ReturnType<typeof command>, outcome: Outcome = done) =>
    kept.add({ command: keyed, outcome }, keyed.nowMs)

  it('A repeated key returns the first outcome for 24 hours, only to its company', () => {
    add(command('k'))
    add(command('k', { nowMs: 1000 }), { ok: true, result: null })
    expect(kept.outcomeFor(command('k', { nowMs: dayMs - 1 }))).to.equal(done)
    expect(kept.outcomeFor(command('k', { nowMs: dayMs }))).to.equal(null)
    expect(kept.outcomeFor(command('k', { companyId: 'd' }))).to.equal(null)
    expect(kept.outcomeFor(command('other'))).to.equal(null)
  })

  it('A repeated key with another body is rejected', () => {
    add(command('k'))
    expect(kept.outcomeFor(command('k', { body: 'else' }))).to.have.nested.property('error.status', 409)
  })

  it('Rejections are stored, except those that do not depend on the request', () => {
    const refused = (status: CommandError['status'], code: string): Outcome => ({
      ok: false,
      error: { status, code, message: '', errors: [] },
    })
    add(command('late'), refused(409, 'DeadlinePassed'))
    add(command('failed'), refused(409, 'CommandFailed'))
    add(command('many'), refused(429, 'TooManyRequests'))
    for (const key of ['late', 'failed', 'many']) expect(kept.outcomeFor(command(key)), key).to.equal(null)
    const missing = refused(404, 'NotFound')
    add(command('missing'), missing)
    expect(kept.outcomeFor(command('missing'))).to.equal(missing)
  })

  it('Each company can store a limited number of keys; further keys are rejected with 429 until old ones expire', () => {
    add(command('1'))
    add(command('2'))
    expect(kept.outcomeFor(command('3'))).to.have.nested.property('error.status', 429)
    expect(kept.outcomeFor(command('1')), 'a repeated key still returns its outcome').to.equal(done)
    expect(kept.outcomeFor(command('3', { companyId: 'd' }))).to.equal(null)
    add(command('4', { companyId: 'd', nowMs: 2 * dayMs }))
    expect(kept.outcomeFor(command('3', { nowMs: 2 * dayMs }))).to.equal(null)
    add(command('long', { companyId: 'e' }), { ok: true, result: 'x'.repeat(10_000) })
    expect(kept.outcomeFor(command('3', { companyId: 'e' }))).to.have.nested.property('error.status', 429)
  })
})
