import type { Addition } from './machine.ts'
import type { Range } from './commission.ts'
import type { MachineInputs, RunSpan } from './types.ts'

/** A run of the hour with the instant from which it is in production; Infinity: it stays in setup. */
export interface ResolvedRun {
  readonly run: number
  readonly startMs: number
  readonly endMs: number
  readonly startInSetup: boolean
  readonly productionMs: number
}

/**
 * Runs that overlap the range, with the start of their production: when they were told to, or, by auto-production, at the first
 * addition above 0 that counts. `autoRun` is the run that auto-production moved in an hour before.
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
    return { ...run, productionMs: run.startInSetup ? Math.min(toldMs(run), autoMs) : run.startMs }
  })
}

function toldMs({ startMs, productionMs }: RunSpan): number {
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

/** The run that continues after `endMs` in production only because of auto-production; 0: none. */
export function autoRunAfter(runs: readonly RunSpan[], resolved: readonly ResolvedRun[], endMs: number): number {
  const last = resolved.at(-1)
  const told = runs.at(-1)
  if (!last || !told || !last.startInSetup || last.endMs <= endMs) return 0
  return last.productionMs < endMs && toldMs(told) >= endMs ? last.run : 0
}
