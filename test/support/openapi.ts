import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { assert } from 'chai'
import type { OpenApi } from '../../api/http/openapi.ts'

/** A response with its request. */
export interface Answered {
  readonly method: string
  /** The requested path with its query: `/machines/8a1c…?x=1`. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  /** The parsed body if it is JSON, otherwise its text. */
  readonly body: unknown
}

/**
 * Checks responses against an OpenAPI document: route and status are declared, and the body matches its schema. Fails the test
 * otherwise.
 */
export function openApiChecker(document: OpenApi): (answered: Answered) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  formats.default(ajv)
  for (const format of [
    'id',
    'name',
    'instant',
    'instantOrDate',
    'localDate',
    'localTime',
    'timeZone',
    'valuePath',
    'elementPath',
  ])
    ajv.addFormat(format, true)
  ajv.addSchema(document, 'openapi')
  // Compiling a schema takes longer than most requests.
  const compiled = new Map<string, ValidateFunction>()
  const validatorAt = (pointer: string): ValidateFunction => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` })
    compiled.set(pointer, validate)
    return validate
  }
  return ({ method, path, status, contentType, body }) => {
    const [pattern, operations] = pathOf(document, path)
    const what = `${method} ${path} → ${status}`
    const declared = ['paths', pattern, method.toLowerCase(), 'responses', String(status)]
    const { response, pointer } = responseAt(document, operations[method.toLowerCase()], status, declared)
    assert.isDefined(response, `${what} is not in the document`)
    const type = contentType?.split(';')[0] ?? ''
    assert.property(child(response, 'content'), type, `${what} answers ${type}`)
    const validate = validatorAt([...pointer, 'content', type, 'schema'].map(escape).join('/'))
    assert.isTrue(validate(body), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`)
  }
}

type Json = Readonly<Record<string, unknown>>

function pathOf(document: OpenApi, path: string): [string, Json] {
  const parts = path.split('?')[0]?.split('/') ?? []
  const found = Object.entries(document.paths).find(([pattern]) => {
    const wanted = pattern.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, index) => part.startsWith('{') || part === parts[index])
    )
  })
  return found ?? assert.fail(`${path} is not in the document`)
}

/** The response of an operation and its path: `declared`, or that of the shared response to which it refers. */
function responseAt(document: OpenApi, operation: unknown, status: number, declared: readonly string[]) {
  const response = child(child(operation, 'responses'), String(status))
  const reference = child(response, '$ref')
  if (typeof reference !== 'string') return { response, pointer: declared }
  const pointer = reference.slice(2).split('/')
  return { response: pointer.reduce<unknown>((at, part) => child(at, part), document), pointer }
}

function child(at: unknown, name: string): unknown {
  return isJson(at) ? at[name] : undefined
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
