import { setTimeout as sleep } from 'node:timers/promises'

const attempts = 5
const waitMs = 500

/**
 * Repeats a request, as a gateway does, if the connection breaks or the response is 503. Resolves to the last response. Rejects if the
 * connection breaks each time.
 */
export async function again<Answer extends { readonly status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await ask()
      if (answer.status !== 503 || attempt === attempts) return answer
    } catch (error) {
      if (attempt === attempts) throw error
    }
    await sleep(waitMs)
  }
}
