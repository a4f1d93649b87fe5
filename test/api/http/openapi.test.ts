import { Ajv2020 } from 'ajv/dist/2020.js'
import { assert } from 'chai'
import { openApiDocument, routes } from '../../../api/create-api.ts'
import { exampleIds } from '../../../schema/example-ids.ts'
import { openApiChecker } from '../../support/openapi.ts'

describe('OpenAPI document', () => {
  it('The OpenAPI document lists every route once, with its path parameters', () => {
    const declared = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const documented = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    )
    assert.sameMembers(documented, declared)
    const put = openApiDocument().paths['/machines/{id}']?.['put']
    assert.deepEqual(put?.['parameters'], [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: { type: 'string', format: 'uuid' },
        example: exampleIds.machine,
      },
    ])
  })

  it('Operation ids are unique and name an action, not a path', () => {
    const ids = Object.values(openApiDocument().paths).flatMap(path =>
      Object.values(path).map(op => String(op['operationId'])),
    )
    assert.lengthOf(new Set(ids.map(id => id.toLowerCase())), ids.length)
    for (const id of ids) assert.match(id, /^[a-z]+([A-Z][a-z\d]+)*$/)
    assert.includeMembers(ids, ['startJobRun', 'stopJobRun', 'listMachines', 'putMachineGroup', 'createAnnotation'])
  })

  it('The constants of enums have unique names in one Go package', () => {
    const schemas = shaped<Record<string, Record<string, unknown>>>(openApiDocument().components['schemas'])
    const names: string[] = []
    for (const [name, { enum: values = [], 'x-enum-varnames': constants = [] }] of Object.entries(schemas)) {
      names.push(name, `New${name}`)
      if (!Array.isArray(values) || !Array.isArray(constants)) assert.fail(name)
      assert.lengthOf(constants, values.length, name)
      for (const constant of constants) names.push(String(constant))
    }
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    )
    for (const name of names) assert.match(name, /^[A-Z]\w*$/)
  })

  it('Every operation has exactly one tag, which the document defines', () => {
    const names = openApiDocument().tags.map(tag => tag['name'])
    for (const { what, operation } of operations()) {
      const tags = operation['tags']
      assert.isTrue(Array.isArray(tags) && tags.length === 1, what)
      assert.includeMembers(names, Array.isArray(tags) ? tags : [], what)
    }
  })

  it('Every body and every response in the OpenAPI document has a named schema', () => {
    for (const { what, operation } of operations()) {
      const { requestBody, responses } = shaped<Contents>(operation)
      for (const { content } of [...(requestBody ? [requestBody] : []), ...Object.values(responses)])
        for (const [type, { schema }] of Object.entries(content ?? {}))
          assert.match(schema.$ref ?? '', /^#\/components\/schemas\/\w+$/, `${what} ${type}`)
    }
  })

  it('Every object with properties and every enum in the OpenAPI document has a named schema', () => {
    const unnamed = [...schemasWithin(openApiDocument().paths, 'paths'), ...componentParts()]
    assert.deepEqual(
      unnamed.filter(({ schema }) => 'properties' in schema || 'enum' in schema).map(({ at }) => at),
      [],
    )
  })

  it('Every array schema in the OpenAPI document defines its items', () => {
    const lists = componentParts().filter(({ schema }) => schema['type'] === 'array' && !('items' in schema))
    assert.deepEqual(
      lists.map(({ at }) => at),
      [],
    )
  })

  it('Every reference resolves within the OpenAPI document', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(openApiDocument(), 'openapi')
    const references = JSON.stringify(openApiDocument()).matchAll(/"\$ref":"(#[^"]+)"/g)
    for (const [, reference = ''] of references) assert.isDefined(ajv.getSchema(`openapi${reference}`), reference)
  })

  it('The OpenAPI checker of the tests rejects a wrong body, status and content type', () => {
    const check = openApiChecker(openApiDocument())
    const answered = { method: 'GET', path: '/machines', status: 200, contentType: 'application/json', body: [] }
    check(answered)
    assert.throws(() => check({ ...answered, body: [{}] }))
    assert.throws(() => check({ ...answered, status: 418 }))
    assert.throws(() => check({ ...answered, contentType: 'text/html' }))
    assert.throws(() => check({ ...answered, path: '/nothing' }))
  })
})

type Json = Readonly<Record<string, unknown>>

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>
}

interface Contents {
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

function operations() {
  return Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ what: `${method.toUpperCase()} ${path}`, operation })),
  )
}

/** The parts of the components, without the named schemas themselves. */
function componentParts() {
  const { schemas, ...others } = shaped<{ readonly schemas: Readonly<Record<string, Json>> }>(
    openApiDocument().components,
  )
  const parts = Object.entries(schemas).flatMap(([name, schema]) => insideOf(schema, name))
  return [...parts, ...schemasWithin(others, 'components')]
}

/** Every object in a part of the document, except examples and defaults, which are not schemas. */
function schemasWithin(part: unknown, at: string): { readonly at: string; readonly schema: Json }[] {
  if (Array.isArray(part)) return part.flatMap((each, index) => schemasWithin(each, `${at}[${index}]`))
  return isJson(part) ? [{ at, schema: part }, ...insideOf(part, at)] : []
}

function insideOf(schema: Json, at: string): { readonly at: string; readonly schema: Json }[] {
  return Object.entries(schema).flatMap(([key, value]) =>
    ['example', 'examples', 'default'].includes(key)
      ? []
      : key === 'properties' && isJson(value)
        ? insideOf(value, at)
        : schemasWithin(value, `${at}.${key}`),
  )
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A part of the document as its expected type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
function shaped<T>(value: unknown): T {
  const copy: T = JSON.parse(JSON.stringify(value))
  return copy
}
