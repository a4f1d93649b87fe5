import { getEventListeners } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { joinSignals, withSignals } from '../../../shared/async/join-signals.ts'
import { withTimeout } from '../../../shared/async/with-timeout.ts'

/** Counts the listeners and derived signals that a signal retains. */
function keptBy(signal: AbortSignal): number {
  const symbols = Object.getOwnPropertySymbols(signal).map(symbol => Reflect.get(signal, symbol))
  const dependent = symbols.filter(value => value instanceof Set).reduce((sum, { size }) => sum + size, 0)
  return dependent + getEventListeners(signal, 'abort').length
}

describe('joinSignals', () => {
  it('A joined signal aborts with the first of its signals, and with its reason', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    const { signal } = joinSignals(a.signal, undefined, b.signal)
    assert.isFalse(signal.aborted)
    b.abort('why')
    assert.equal(signal.reason, 'why')
    assert.equal(joinSignals(a.signal, b.signal).signal.reason, 'why')
    assert.deepEqual([keptBy(a.signal), keptBy(b.signal)], [0, 0])
  })

  it('A joined signal leaves no listener on a signal that lives longer', async () => {
    const living = new AbortController()
    for (let i = 0; i < 100; i++) {
      await withSignals([living.signal, new AbortController().signal], async signal => assert.isFalse(signal.aborted))
      await withSignals([living.signal], async () => Promise.reject(new Error('failed'))).catch(() => undefined)
      await withTimeout(60_000, Promise.resolve(), () => undefined, { signal: living.signal })
    }
    assert.equal(keptBy(living.signal), 0)
    const { signal, release } = joinSignals(living.signal)
    release()
    living.abort()
    assert.isFalse(signal.aborted)
  })

  it('No source calls AbortSignal.any', () => {
    const folders = ['api', 'clickhouse', 'connect', 'demo', 'ingest', 'log', 'processors', 'respond', 'schema'].concat(
      'service',
      'shared',
    )
    const users = folders
      .flatMap(folder => readdirSync(folder, { recursive: true }).map(name => `${folder}/${String(name)}`))
      .filter(name => name.endsWith('.ts') && readFileSync(name, 'utf8').includes('AbortSignal.any('))
    assert.deepEqual(users, [])
  })
})
