import { expect } from 'chai'
import { catalogue } from '../../../processors/registrar/commands/index.ts'
import { commands } from '../../../schema/commands/commands.ts'

describe('The catalogue of commands', () => {
  it('has a decision for every command of the contract, and no others', () => {
    expect([...catalogue.keys()].sort()).to.deep.equal(Object.keys(commands).sort())
  })
})
