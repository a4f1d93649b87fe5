import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Request } from 'express'
import { ApiError, fieldError, validationError } from '../../schema/errors.ts'
import type { Payload } from '../../schema/commands/commands.ts'
import type { RequestFingerprint } from '../../schema/commands/command-log.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort } from '../ports/ports.ts'
import type { Call, Route } from './route.ts'
import { hasLargeBody } from './read-body.ts'
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
  const repeat = await computeFingerprint(route, checkedKey(key), call, request)
  let isSubmitted = false
  const commands: CommandsPort['commands'] = {
    submit(name, payload, options) {
      isSubmitted = true
      return deps.commands.submit(name, payload, { ...options, repeat })
    },
  }
  try {
    return await work({ ...deps, commands })
  } catch (error) {
    if (isSubmitted || !isStored(error)) throw error
    // The registrar stores this error, unless it has stored another result of the key already.
    const result = await submit({ commands }, call.caller(), 'request.refuse', rejectionPayload(error))
    if (!route.keyed.again) throw error
    return route.keyed.again(result)
  }
}

function checkedKey(key: string): string {
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= maxKeyLength) return key
  const message = `${keyHeader} must be 1 to ${maxKeyLength} characters of ASCII`
  throw validationError([fieldError(keyHeader, 'OutOfRange', message)])
}

interface StoredError extends ApiError {
  readonly status: Payload<'request.refuse'>['status']
}

const storedStatuses: ReadonlySet<number> = new Set<StoredError['status']>([400, 404, 409])

function isStored(error: unknown): error is StoredError {
  return error instanceof ApiError && storedStatuses.has(error.status)
}

const maxFieldErrors = 1000

function rejectionPayload({ status, code, message, errors, more }: StoredError): Payload<'request.refuse'> {
  const others = more + Math.max(0, errors.length - maxFieldErrors)
  return { status, code, message, errors: errors.slice(0, maxFieldErrors), more: others }
}

async function computeFingerprint(
  { method, path, body: spec, keyed }: Route,
  key: string,
  call: Call,
  request: Request,
): Promise<RequestFingerprint> {
  const { params, query, body } = call
  const bytes: unknown = request.body
  const isLarge = hasLargeBody(request) && Buffer.isBuffer(bytes)
  const compared = keyed?.sameIn
    ? keyed.sameIn(body)
    : isLarge
      ? createHash('sha256').update(bytes).digest('hex')
      : body
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `mount` passes a form to routes with a form
  const content = spec?.kind === 'form' ? await readContent(body as Form) : compared
  return { key: hashOf([method, path, key]), body: hashOf({ params, query, content }) }
}

async function readContent({ file, fields }: Form): Promise<unknown> {
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
