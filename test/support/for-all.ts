import { AssertionError } from 'chai'
import * as fc from 'fast-check'

/** Names of the environment variables that repeat a failed run. */
const again = { seed: 'TAKT_SEED', path: 'TAKT_PATH' } as const
/** Factor of the number of cases in a long run. */
const factor = Number(process.env['TAKT_RUNS'] ?? 1)

/**
 * `fc.assert` for values too large to read: fails with the seed, the path and the property's message, not with the value.
 * Stops at the first failure. With `shrinks`, it first shrinks the value and prints it. With TAKT_SEED and
 * TAKT_PATH set, it runs only that case. TAKT_RUNS=10 runs ten times as many cases.
 */
export async function forAll<T>(
  property: fc.IAsyncPropertyWithHooks<T> | fc.IPropertyWithHooks<T>,
  { numRuns: leastRuns, shrinks = false }: { readonly numRuns: number; readonly shrinks?: boolean },
): Promise<void> {
  const numRuns = leastRuns * factor
  const [seed, path] = [process.env[again.seed], process.env[again.path]]
  const wanted = seed === undefined ? { numRuns } : { numRuns, seed: Number(seed), ...(path !== undefined && { path }) }
  const run = await fc.check(property, { ...wanted, endOnFailure: !shrinks })
  if (!run.failed) return
  const cause = run.errorInstance
  const reason = cause instanceof Error ? cause.message : String(cause)
  const value = shrinks ? `\n${fc.stringify(run.counterexample)}` : ''
  const environment = `${again.seed}=${run.seed} ${again.path}=${run.counterexamplePath}`
  const failure = new Error(`Failed in run ${run.numRuns}, again with ${environment}:\n${reason}${value}`, { cause })
  throw Object.assign(failure, comparedBy(cause))
}

/** Fields that the runner needs to show the difference of two compared values. */
function comparedBy(cause: unknown): object {
  if (!(cause instanceof AssertionError) || !('expected' in cause)) return {}
  return { actual: cause['actual'], expected: cause['expected'], showDiff: true }
}
