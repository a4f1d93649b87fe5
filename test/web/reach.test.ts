import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { assert } from 'chai'
import { checkReach, isServiceLost, onBack, onLost } from '../../web/data/reach.ts'

describe('the reachability of the service', () => {
  const { fetch } = globalThis
  let answer: () => Promise<Response>
  let events: string[]
  let ends: readonly (() => void)[]

  const refuse = () => Promise.reject(new TypeError('Failed to fetch'))
  const status = (code: number) => async () => new Response('{}', { status: code })

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    events = []
    ends = [onLost(() => events.push('lost')), onBack(() => events.push('back'))]
    Object.assign(globalThis, { fetch: () => answer() })
  })
  afterEach(() => {
    for (const end of ends) end()
    Object.assign(globalThis, { fetch })
    mock.timers.reset()
  })

  /** Advances the clock by several checks. */
  async function passQuestions(): Promise<void> {
    for (let i = 0; i < 8; i++) {
      await turn()
      mock.timers.tick(1_000)
    }
    await turn()
  }

  it('After the loss of the service, the application checks until the service is ready', async () => {
    answer = refuse
    checkReach()
    await passQuestions()
    assert.deepEqual(events, ['lost'])
    for (const code of [502, 503, 504]) {
      answer = status(code)
      await passQuestions()
      assert.isTrue(isServiceLost())
    }
    answer = status(200)
    await passQuestions()
    assert.deepEqual(events, ['lost', 'back'])
    assert.isFalse(isServiceLost())
  })

  it('A service that is too busy does not count as lost', async () => {
    answer = status(503)
    checkReach()
    await passQuestions()
    assert.deepEqual(events, [])
    assert.isFalse(isServiceLost())
  })
})
