import { expect } from 'chai'
import { routes } from '../../api/create-api.ts'
import { checkerOf } from '../../schema/check.ts'
import { commands } from '../../schema/commands/commands.ts'
import type { Schema } from '../../schema/types.ts'

describe('schemas of what comes in', () => {
  const checked = (schema: Schema | undefined) => schema && expect(() => checkerOf(schema)(undefined)).not.to.throw()

  it('compile, those of every route that the service checks', () => {
    for (const { params, query, body } of routes) {
      checked(params)
      checked(query)
      if (body?.checked !== 'by handler') checked(body?.schema)
    }
  })

  it('compile, those of every command', () => {
    for (const { payload } of Object.values(commands)) checked(payload)
  })
})
