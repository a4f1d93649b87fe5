import { expect } from 'chai'
import type { CommandClient } from '../../../processors/registrar/client.ts'
import { directRegistrar } from '../../support/registrar.ts'

const id = '0b6e1d1e-6f2c-4d7e-9d2a-5a8f3f0f4c11'

describe('contract of commands', () => {
  it('The payload and result types follow from the name of the command', async () => {
    const registrar = directRegistrar('0'.repeat(64))
    const machine = await registrar.perform('machine.put', { id, name: 'Lathe' })
    const name: string = machine.name
    expect(name).to.equal('Lathe')
    expect(await registrar.perform('machine.delete', { id })).to.equal(null)
  })

  it('The compiler rejects wrong payloads, unknown names and unchecked results', () => {
    const wrong = async (client: CommandClient): Promise<void> => {
      const as = { companyId: 'c' }
      // @ts-expect-error -- a machine has a name
      await client.submit('machine.put', { id }, as)
      // @ts-expect-error -- a name is a string
      await client.submit('machine.put', { id, name: 1 }, as)
      // @ts-expect-error -- the id of a reason is an integer
      await client.submit('downtimeReason.delete', { id: 'jam' }, as)
      // @ts-expect-error -- an unknown scope
      await client.submit('key.create', { name: 'K', scopes: ['everything'], hash: '' }, as)
      // @ts-expect-error -- an unknown command
      await client.submit('machine.rename', { id, name: 'Lathe' }, as)
      // @ts-expect-error -- the command may have been rejected
      void (await client.submit('machine.put', { id, name: 'Lathe' }, as)).result
      const outcome = await client.submit('machine.put', { id, name: 'Lathe' }, as)
      // @ts-expect-error -- an unknown field of a machine
      if (outcome.ok) void outcome.result.colour
    }
    // Never called: it must only compile.
    expect(wrong).to.be.a('function')
  })
})
