import { expect } from 'chai'
import { pausedTimes, pausedUntil } from '../../../respond/steps/paused-until.ts'

const at = (minute: number) => Date.UTC(2026, 2, 2, 8, minute)
const nothing = { machineIds: [], machineGroupIds: [], connectorIds: [], ruleIds: [] }
const pause = (start: number, end: number, subject: Partial<Record<keyof typeof nothing, readonly string[]>> = {}) => ({
  subject: { ...nothing, ...subject },
  startAt: new Date(at(start)).toISOString(),
  endAt: new Date(at(end)).toISOString(),
})
const incident = { ruleId: 'r', subject: { type: 'machine', id: 'm' }, machineGroupIds: ['g'] } as const

describe('pausedUntil', () => {
  it('A pause applies from its start to its end, and joined pauses to the last end', () => {
    expect(pausedUntil(pausedTimes([pause(0, 10)], incident), at(10))).to.equal(null)
    expect(pausedUntil(pausedTimes([pause(5, 10)], incident), at(4))).to.equal(null)
    expect(pausedUntil(pausedTimes([pause(8, 20), pause(0, 10)], incident), at(5))).to.equal(at(20))
    expect(pausedUntil(pausedTimes([pause(11, 20), pause(0, 10)], incident), at(5))).to.equal(at(10))
  })

  it('A pause with ids applies to these machines, groups, connectors and rules only', () => {
    const applies = (subject: Parameters<typeof pause>[2]) =>
      pausedUntil(pausedTimes([pause(0, 9, subject)], incident), at(1)) !== null
    expect(applies({ machineIds: ['m'] })).to.equal(true)
    expect(applies({ machineGroupIds: ['g'] })).to.equal(true)
    expect(applies({ ruleIds: ['r'] })).to.equal(true)
    expect(applies({ connectorIds: ['m'] })).to.equal(false)
    expect(applies({ machineIds: ['x'], ruleIds: ['y'] })).to.equal(false)
  })
})
