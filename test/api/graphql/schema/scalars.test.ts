import { expect } from 'chai'
import { parse, validate } from 'graphql'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'

describe('invalid literals of GraphQL scalars', () => {
  for (const [comparison, message] of [
    ['machineId: { _eq: "x" }', 'Invalid uuid: "x"'],
    ['machineId: { _eq: true }', 'Invalid uuid: true'],
    ['createdAt: { _gt: 5 }', 'Invalid timestamptz: 5'],
    ['createdAt: { _gt: "2026-02-30" }', 'Invalid timestamptz: "2026-02-30"'],
    ['utilizationWarningPercent: { _gt: 1e400 }', 'Invalid numeric: 1e400'],
    ['utilizationWarningPercent: { _gt: [1] }', 'Invalid numeric: [1]'],
    ['utilizationWarningPercent: { _gt: "" }', 'Invalid numeric: ""'],
  ] as const)
    it(`The error of an invalid GraphQL literal contains the literal and its position: ${comparison}`, () => {
      const query = `{ machines(where: { ${comparison} }) { name } }`
      const faults = validate(sharedSchema(), parse(query))
      expect(faults.map(fault => fault.message)).to.deep.equal([message])
      const [, literal = ''] = message.split(': ')
      expect(faults[0]?.locations).to.deep.equal([{ line: 1, column: query.indexOf(literal) + 1 }])
      expect(faults[0]?.extensions).to.deep.equal({ code: 'validation-failed' })
    })
})
