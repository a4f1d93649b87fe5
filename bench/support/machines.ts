import { randomUUID } from 'node:crypto'
import type { ChildService } from '../../test/support/child-service.ts'

/** Creates the given number of machines, 32 concurrently; resolves to their ids. */
export async function addMachines({ call }: ChildService, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const left = [...ids]
  const add = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status } = await call('PUT', `/machines/${id}`, { name: id })
      if (status >= 300) throw new Error(`PUT /machines answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, add))
  return ids
}
