import { expect } from 'chai'
import { parse, validate } from 'graphql'
import { theSchema } from '../../../api/graphql/schema/schema.ts'

describe('invalid literals of GraphQL scalars', () => {
  for (const [comparison, message] of [
    ['machineId: { _eq: "x" }', '"x" is no value of type uuid'],
    ['machineId: { _eq: true }', 'true is no value of type uuid'],
    ['createdAt: { _gt: 5 }', '5 is no value of type timestamptz'],
    ['createdAt: { _gt: "2026-02-30" }', '"2026-02-30" is no value of type timestamptz'],
    ['utilizationWarningPercent: { _gt: 1e400 }', '1e400 is no value of type numeric'],
    ['utilizationWarningPercent: { _gt: [1] }', '[1] is no value of type numeric'],
    ['utilizationWarningPercent: { _gt: "" }', '"" is no value of type numeric'],
  ] as const)
    it(`The error of an invalid GraphQL literal contains the literal and its position: ${comparison}`, () => {
      const query = `{ machines(where: { ${comparison} }) { name } }`
      const faults = validate(theSchema(), parse(query))
      expect(faults.map(fault => fault.message)).to.deep.equal([message])
      const [literal = ''] = message.split(' is no value')
      expect(faults[0]?.locations).to.deep.equal([{ line: 1, column: query.indexOf(literal) + 1 }])
      expect(faults[0]?.extensions).to.deep.equal({ code: 'validation-failed' })
    })
})
