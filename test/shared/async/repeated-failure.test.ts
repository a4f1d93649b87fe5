import { expect } from 'chai'
import { RepeatedFailure } from '../../../shared/async/repeated-failure.ts'
import { Problems } from '../../../shared/problems.ts'

const work = () => ({ code: 'work_failing', message: 'The work fails repeatedly.' })

describe('work that fails repeatedly', () => {
  let nowMs = 0
  let problems: Problems
  let failure: RepeatedFailure
  beforeEach(() => {
    nowMs = 0
    problems = new Problems()
    failure = new RepeatedFailure(problems, 'work', () => nowMs)
  })
  const codes = () => problems.open().map(({ code }) => code)
  const fail = () => failure.failed(new Error('away'), work)

  it('Work that fails repeatedly is a problem after ten seconds without success, until it succeeds', () => {
    fail()
    nowMs = 9_999
    fail()
    expect(codes()).to.deep.equal([])
    nowMs = 10_000
    fail()
    expect(codes()).to.deep.equal(['work_failing'])
    failure.ended()
    expect(codes()).to.deep.equal([])
    nowMs = 25_000
    fail()
    expect(codes()).to.deep.equal([])
  })

  it('A part that fails each time is a problem although other parts succeed', () => {
    for (; nowMs <= 10_000; nowMs += 1_000) {
      fail()
      failure.partSucceeded()
    }
    expect(codes()).to.deep.equal(['work_failing'])
  })

  it('Work is no longer a problem when its parts succeed and none has failed for a minute', () => {
    fail()
    nowMs = 10_000
    fail()
    nowMs = 69_999
    failure.partSucceeded()
    expect(codes()).to.deep.equal(['work_failing'])
    nowMs = 70_000
    failure.partSucceeded()
    expect(codes()).to.deep.equal([])
  })
})
