import { setTimeout as sleep } from 'node:timers/promises'

const attempts = 5
const waitMs = 500

/**
 * Asks again, as a gateway does, where the connection breaks off or the answer is 503. Resolves to the last answer. Rejects where the
 * connection breaks off each time.
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
