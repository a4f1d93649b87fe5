import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns the memory of the heap after a garbage collection, MiB. */
export function usedHeapMb(): number {
  setFlagsFromString('--expose_gc')
  const collectGarbage: () => void = runInNewContext('gc')
  collectGarbage()
  return process.memoryUsage().heapUsed / 1_048_576
}
