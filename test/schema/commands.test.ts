import { expect } from 'chai'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { directRegistrar } from '../support/registrar.ts'

const id = '0b6e1d1e-6f2c-4d7e-9d2a-5a8f3f0f4c11'

describe('the contract of commands', () => {
  it('gives payload and result their types by the name of the command', async () => {
    const registrar = directRegistrar('0'.repeat(64))
    const machine = await registrar.perform('machine.put', { id, name: 'Lathe' })
    const name: string = machine.name
    expect(name).to.equal('Lathe')
    expect(await registrar.perform('machine.delete', { id })).to.equal(null)
  })

  it('lets the compiler refuse other payloads, other names and results that are not looked at', () => {
    const wrong = async (client: CommandClient): Promise<void> => {
      const as = { companyId: 'c' }
      // @ts-expect-error -- a machine has a name
      await client.submit('machine.put', { id }, as)
      // @ts-expect-error -- a name is a text
      await client.submit('machine.put', { id, name: 1 }, as)
      // @ts-expect-error -- the id of a reason is an int
      await client.submit('downtimeReason.delete', { id: 'jam' }, as)
      // @ts-expect-error -- a scope is one of those that there are
      await client.submit('key.create', { name: 'K', scopes: ['everything'], hash: '' }, as)
      // @ts-expect-error -- there is no such command
      await client.submit('machine.rename', { id, name: 'Lathe' }, as)
      // @ts-expect-error -- it may have been refused
      void (await client.submit('machine.put', { id, name: 'Lathe' }, as)).result
      const outcome = await client.submit('machine.put', { id, name: 'Lathe' }, as)
      // @ts-expect-error -- a machine has no such field
      if (outcome.ok) void outcome.result.colour
    }
    // Never called: compiling it is the test.
    expect(wrong).to.be.a('function')
  })
})
