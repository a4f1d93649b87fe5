import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ErrorBody } from '../../schema/requests/errors.ts'
import { ApiError } from '../../schema/errors.ts'

/**
 * Sends a request to the service that listens on the socket; returns null if no service listens. Rejects with the
 * `ApiError` of the response.
 */
export async function requestControl(
  socketPath: string,
  name: string,
  payload: unknown,
): Promise<{ readonly result: unknown } | null> {
  try {
    const { status, body } = await post(socketPath, name, payload)
    if (status === 200) return { result: body }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- responses of the service have this form
    const { code, message, errors } = body as ErrorBody
    throw new ApiError(status, code, message, { errors })
  } catch (error) {
    if (isNotListening(error)) return null
    throw error
  }
}

interface ControlResponse {
  readonly status: number
  readonly body: unknown
}

function post(socketPath: string, name: string, payload: unknown): Promise<ControlResponse> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const outgoing = request({ socketPath, path: `/${name}`, method: 'POST', headers, agent: false }, response => {
      json(response).then(body => resolve({ status: response.statusCode ?? 500, body }), reject)
    })
    outgoing.once('error', reject)
    outgoing.end(JSON.stringify(payload ?? null))
  })
}

/** Whether an error means that no service listens: the socket is missing, or a killed service left it behind. */
function isNotListening(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
}
