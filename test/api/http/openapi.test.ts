import { Ajv2020 } from 'ajv/dist/2020.js'
import { assert } from 'chai'
import { openApiDocument, routes } from '../../../api/create-api.ts'
import { openApiChecker } from '../../support/openapi.ts'

describe('OpenAPI document', () => {
  it('names every route once, with its path parameters', () => {
    const declared = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const documented = Object.entries(openApiDocument.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    )
    assert.sameMembers(documented, declared)
    const put = openApiDocument.paths['/machines/{id}']?.['put']
    assert.deepEqual(put?.['parameters'], [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    ])
  })

  it('has operation ids that differ', () => {
    const ids = Object.values(openApiDocument.paths).flatMap(path => Object.values(path).map(op => op['operationId']))
    assert.lengthOf(new Set(ids), ids.length)
  })

  it('refers only to what it holds', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(openApiDocument, 'openapi')
    const references = JSON.stringify(openApiDocument).matchAll(/"\$ref":"(#[^"]+)"/g)
    for (const [, reference = ''] of references) assert.isDefined(ajv.getSchema(`openapi${reference}`), reference)
  })

  it('is held against answers: a wrong body, status or type is found', () => {
    const check = openApiChecker(openApiDocument)
    const answered = { method: 'GET', path: '/machines', status: 200, contentType: 'application/json', body: [] }
    check(answered)
    assert.throws(() => check({ ...answered, body: [{}] }))
    assert.throws(() => check({ ...answered, status: 418 }))
    assert.throws(() => check({ ...answered, contentType: 'text/html' }))
    assert.throws(() => check({ ...answered, path: '/nothing' }))
  })
})
