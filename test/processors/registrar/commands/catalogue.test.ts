import { expect } from 'chai'
import { catalogue } from '../../../../processors/registrar/commands/index.ts'
import { commands } from '../../../../schema/commands/commands.ts'

describe('catalogue of commands', () => {
  it('The catalogue of commands has exactly the commands of the contract', () => {
    expect([...catalogue.keys()].sort()).to.deep.equal(Object.keys(commands).sort())
  })
})
