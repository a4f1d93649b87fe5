import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { assert } from 'chai'
import { checkReach, isServiceLost, onBack, onLost } from '../../web/data/reach.ts'

describe('whether the service answers', () => {
  const { fetch } = globalThis
  let answer: () => Promise<Response>
  let told: string[]
  let ends: readonly (() => void)[]

  const refuse = () => Promise.reject(new TypeError('Failed to fetch'))
  const status = (code: number) => async () => new Response('{}', { status: code })

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    told = []
    ends = [onLost(() => told.push('lost')), onBack(() => told.push('back'))]
    Object.assign(globalThis, { fetch: () => answer() })
  })
  afterEach(() => {
    for (const end of ends) end()
    Object.assign(globalThis, { fetch })
    mock.timers.reset()
  })

  /** Lets the time of some questions pass. */
  async function passQuestions(): Promise<void> {
    for (let i = 0; i < 8; i++) {
      await turn()
      mock.timers.tick(1_000)
    }
    await turn()
  }

  it('is asked on until it can do what it is asked for: while it starts, it is not back', async () => {
    answer = refuse
    checkReach()
    await passQuestions()
    assert.deepEqual(told, ['lost'])
    for (const code of [502, 503, 504]) {
      answer = status(code)
      await passQuestions()
      assert.isTrue(isServiceLost())
    }
    answer = status(200)
    await passQuestions()
    assert.deepEqual(told, ['lost', 'back'])
    assert.isFalse(isServiceLost())
  })

  it('is not lost where it is only too busy', async () => {
    answer = status(503)
    checkReach()
    await passQuestions()
    assert.deepEqual(told, [])
    assert.isFalse(isServiceLost())
  })
})
