import type { Addition } from './machine.ts'
import type { Range } from './commission.ts'
import type { MachineInputs, RunSpan } from './types.ts'

/** A job run with the instant from which it is in production; Infinity if it stays in setup. */
export interface ResolvedRun extends RunSpan {
  readonly productionMs: number
}

/**
 * Returns the runs with the start of their production: when it was reported, or, with auto-production, at the first
 * addition of parts in the range. `autoRun`: run that auto-production moved to production in an earlier hour.
 */
export function resolveRuns(
  { autoProduction }: Pick<MachineInputs, 'autoProduction'>,
  runs: readonly RunSpan[],
  range: Range,
  additions: readonly Addition[],
  autoRun: number,
): readonly ResolvedRun[] {
  return runs.map(run => {
    const autoMs = autoProduction && run.startInSetup ? autoProductionMs(run, range, additions, autoRun) : Infinity
    return { ...run, productionMs: run.startInSetup ? Math.min(reportedProductionMs(run), autoMs) : run.startMs }
  })
}

function reportedProductionMs({ startMs, productionMs }: RunSpan): number {
  return productionMs === null ? Infinity : Math.max(startMs, productionMs)
}

function autoProductionMs(
  run: RunSpan,
  { fromMs, toMs }: Range,
  additions: readonly Addition[],
  autoRun: number,
): number {
  if (run.run === autoRun) return run.startMs
  const start = Math.max(run.startMs, fromMs)
  const end = Math.min(run.endMs, toMs)
  return additions.find(({ atMs, raised }) => raised && atMs >= start && atMs < end)?.atMs ?? Infinity
}

/**
 * Returns the `ref` of the run that is in production at `endMs` only because of auto-production; 0 if there is none.
 */
export function findAutoRun(runs: readonly RunSpan[], resolved: readonly ResolvedRun[], endMs: number): number {
  const last = resolved.at(-1)
  const reported = runs.at(-1)
  if (!last || !reported || !last.startInSetup || last.endMs <= endMs) return 0
  return last.productionMs < endMs && reportedProductionMs(reported) >= endMs ? last.run : 0
}
