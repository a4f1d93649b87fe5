import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ErrorBody } from '../../schema/requests/errors.ts'
import { ApiError } from '../../schema/errors.ts'

/** Has the service that listens at the socket do something; null where none listens. Rejects with the `ApiError` that it tells. */
export async function askControl(
  socketPath: string,
  name: string,
  payload: unknown,
): Promise<{ readonly result: unknown } | null> {
  try {
    const { status, body } = await post(socketPath, name, payload)
    if (status === 200) return { result: body }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service itself answers
    const { code, message, errors } = body as ErrorBody
    throw new ApiError(status, code, message, { errors })
  } catch (error) {
    if (isNobodyThere(error)) return null
    throw error
  }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

function post(socketPath: string, name: string, payload: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const asked = request({ socketPath, path: `/${name}`, method: 'POST', headers, agent: false }, response => {
      json(response).then(body => resolve({ status: response.statusCode ?? 500, body }), reject)
    })
    asked.once('error', reject)
    asked.end(JSON.stringify(payload ?? null))
  })
}

/** No socket, or one that a killed service left. */
function isNobodyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
}
