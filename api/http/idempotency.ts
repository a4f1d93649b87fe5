import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Request } from 'express'
import { ApiError, fault, validationError } from '../../schema/errors.ts'
import type { Payload } from '../../schema/commands/commands.ts'
import type { RequestFingerprint } from '../../schema/commands/command-log.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort } from '../ports/ports.ts'
import type { Call, Route } from './route.ts'
import { hasLargeBody } from './read-json.ts'
import type { Form } from './upload.ts'

export const keyHeader = 'Idempotency-Key'
export const maxKeyLength = 255

/**
 * Runs the work of a request once per idempotency key: the registrar stores the result of the first command with a key
 * and returns it for a repeat. Without a key, and on routes without keys, the work just runs.
 */
export async function runIdempotently<Deps extends CommandsPort, T>(
  route: Route,
  request: Request,
  call: Call,
  deps: Deps,
  work: (deps: Deps) => Promise<T>,
): Promise<unknown> {
  const key = route.keyed && request.get(keyHeader)
  if (!route.keyed || key === undefined) return work(deps)
  const repeat = await markOf(route, checkedKey(key), call, request)
  let isAsked = false
  const commands: CommandsPort['commands'] = {
    submit(name, payload, options) {
      isAsked = true
      return deps.commands.submit(name, payload, { ...options, repeat })
    },
  }
  try {
    return await work({ ...deps, commands })
  } catch (error) {
    if (isAsked || !isKept(error)) throw error
    // The registrar stores this error, unless it has stored another result of the key already.
    const result = await submit({ commands }, call.caller(), 'request.refuse', refusalOf(error))
    if (!route.keyed.again) throw error
    return route.keyed.again(result)
  }
}

function checkedKey(key: string): string {
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= maxKeyLength) return key
  const message = `${keyHeader} must be 1 to ${maxKeyLength} characters of ASCII`
  throw validationError([fault(keyHeader, 'OutOfRange', message)])
}

interface KeptError extends ApiError {
  readonly status: Payload<'request.refuse'>['status']
}

const keptStatuses: ReadonlySet<number> = new Set<KeptError['status']>([400, 404, 409])

function isKept(error: unknown): error is KeptError {
  return error instanceof ApiError && keptStatuses.has(error.status)
}

const maxFaults = 1000

function refusalOf({ status, code, message, errors, more }: KeptError): Payload<'request.refuse'> {
  const others = more + Math.max(0, errors.length - maxFaults)
  return { status, code, message, errors: errors.slice(0, maxFaults), more: others }
}

async function markOf(
  { method, path, body: spec, keyed }: Route,
  key: string,
  call: Call,
  request: Request,
): Promise<RequestFingerprint> {
  const { params, query, body } = call
  const said = keyed?.sameIn ? keyed.sameIn(body) : hasLargeBody(request) ? bytesOf(request) : body
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `mount` hands to routes with a form
  const content = spec?.kind === 'form' ? await saidInForm(body as Form) : said
  return { key: hashOf([method, path, key]), body: hashOf({ params, query, content }) }
}

/** Large bodies are compared by their bytes. */
function bytesOf({ body }: Request): string {
  return Buffer.isBuffer(body) ? createHash('sha256').update(body).digest('hex') : ''
}

async function saidInForm({ file, fields }: Form): Promise<unknown> {
  if (!file) return { fields }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file.path)) hash.update(chunk)
  return { fields, file: hash.digest('hex') }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex')
}

/** Sorts the keys of objects, because their order has no meaning. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
