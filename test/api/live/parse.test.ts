import { expect } from 'chai'
import { parseGetMetrics, parseJoin, parseMachineIds } from '../../../api/live/parse.ts'
import { CommandFailed } from '../../../api/live/failure.ts'

describe('payloads of live commands', () => {
  it('A scalar of a live command is converted to the type of its field if no information is lost', () => {
    expect(parseMachineIds([17, 'M 2'])).to.deep.equal(['17', 'M 2'])
    expect(parseJoin({ token: 12_345, stream: null })).to.deep.equal({ token: '12345', stream: null })
    const asked = { machineId: 17, requestId: 9, startAt: '2026-03-02T00:00:00Z', metrics: [{ key: [1, 'a'], tag: 5 }] }
    expect(parseGetMetrics(asked)).to.deep.equal({
      ...asked,
      machineId: '17',
      metrics: [{ key: ['1', 'a'], tag: '5' }],
    })
  })

  it('A live command whose conversion would lose information is rejected', () => {
    expect(() => parseMachineIds([2 ** 53])).to.throw(CommandFailed)
    expect(() => parseMachineIds([{ id: 17 }])).to.throw(CommandFailed)
    expect(() => parseGetMetrics({ machineId: 'M', startAt: 20_260_302, metrics: 'oee' })).to.throw(CommandFailed)
  })

  it('The message of a command with many faults lists 20 of them and counts the rest', () => {
    const ids = Array.from({ length: 30 }, () => ({ id: 17 }))
    expect(() => parseMachineIds(ids)).to.throw(CommandFailed, /(?:[^;]+; ){20}and 10 more$/)
    expect(() => parseMachineIds(ids.slice(0, 20))).to.throw(CommandFailed, /^(?:[^;]+; ){19}(?!and)[^;]+$/)
  })
})
