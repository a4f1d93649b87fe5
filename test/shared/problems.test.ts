import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problems } from '../../shared/problems.ts'

describe('problems', () => {
  it('A problem that is reported again keeps its age and gets the newer text', () => {
    const time = { nowMs: 1_000 }
    const problems = new Problems({ clock: () => time.nowMs })
    problems.report('a', { code: 'damaged', message: 'One record is damaged', partition: 2, offset: 7 })
    time.nowMs = 2_000
    problems.report('a', { code: 'damaged', message: 'Two records are damaged', partition: 2, offset: 7 })
    const [problem, ...others] = problems.open()
    expect(problem).to.deep.include({ message: 'Two records are damaged', partition: 2, offset: 7, sinceMs: 1_000 })
    expect(others).to.deep.equal([])
    problems.clear('a')
    problems.clear('a')
    expect(problems.open()).to.deep.equal([])
  })

  it('A problem blocks readiness from its given age, and one without an age never', async () => {
    const problems = new Problems()
    problems.report('a', { code: 'stuck', message: '', unreadyAfterMs: 20 })
    problems.report('b', { code: 'damaged', message: '' })
    problems.report('c', { code: 'late', message: '', unreadyAfterMs: 600_000 })
    await sleep(30)
    expect(problems.blocking()).to.deep.equal(['stuck'])
  })

  it('One line is logged when a problem opens, and one when it is cleared', () => {
    const lines: string[] = []
    const line = (_: object, message: string) => lines.push(message)
    const problems = new Problems({ logger: { warn: line, info: line } })
    for (const _ of [1, 2, 3]) problems.report('a', { code: 'stuck', message: 'No progress' })
    for (const _ of [1, 2]) problems.clear('a')
    expect(lines).to.deep.equal(['Problem reported', 'Problem cleared'])
  })

  it('Readers see at most 100 open problems, the oldest first', () => {
    const problems = new Problems()
    for (let index = 0; index < 150; index++) problems.report(`${index}`, { code: `code${index}`, message: '' })
    expect(problems.open().map(({ code }) => code)).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => `code${index}`),
    )
  })
})
