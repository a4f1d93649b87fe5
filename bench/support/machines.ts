import { randomUUID } from 'node:crypto'
import type { ChildService } from '../../test/support/child-service.ts'

/** Creates the given number of machines, 32 concurrently; resolves to their ids. `recordAt`: the input of each; default: only a name. */
export async function addMachines(
  { call }: ChildService,
  count: number,
  recordAt?: (index: number) => object,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const left = [...ids.entries()].reverse()
  const add = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [index, id] = next
      const { status } = await call('PUT', `/machines/${id}`, recordAt?.(index) ?? { name: id })
      if (status >= 300) throw new Error(`PUT /machines answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, add))
  return ids
}
