import { Ajv } from 'ajv'
import { expect } from 'chai'
import { routes } from '../../api/create-api.ts'
import { createChecker } from '../../schema/check.ts'
import { commands } from '../../schema/commands/commands.ts'
import { jsonOf, type Schema } from '../../schema/types.ts'

describe('schemas of input', () => {
  const ajv = new Ajv({ allowUnionTypes: true })
  const checked = (schema: Schema | undefined) => {
    if (!schema) return
    expect(ajv.validateSchema(jsonOf(schema)), ajv.errorsText()).to.equal(true)
    expect(() => createChecker(schema)(undefined)).not.to.throw()
  }

  it('The schemas of every checked route are valid and compile', () => {
    for (const { params, query, body } of routes) {
      checked(params)
      checked(query)
      if (body?.checked !== 'by handler') checked(body?.schema)
    }
  })

  it('The schemas of every command are valid and compile', () => {
    for (const { payload } of Object.values(commands)) checked(payload)
  })
})
