import type { CycleTimesResponse } from '../../../schema/requests/cycle-times.ts'

type Bin = CycleTimesResponse['bins'][number]

/** A bin as a bar. */
export interface HistogramBar extends Bin {
  /** Its height, as a share of the highest one. */
  readonly share: number
  /** Whether all its cycles are longer than the standard, or as long. */
  readonly isAboveStandard: boolean
}

/** A labelled length on the axis. */
interface Tick {
  readonly ms: number
  /** Place between the bounds of the bins, from 0 to 1. */
  readonly share: number
}

interface Histogram {
  readonly bars: readonly HistogramBar[]
  /** Cycles of the highest bar. */
  readonly greatestCount: number
  readonly ticks: readonly Tick[]
  /** Place of the standard; null: it lies outside of the bins, or there is none. */
  readonly standardShare: number | null
}

/** Limit of the labels that fit below a histogram on a phone. */
const maxTicks = 5

/** The bars of a histogram of cycle times, and its axis. */
export function barsOf({ bins, standardMs }: Pick<CycleTimesResponse, 'bins' | 'standardMs'>): Histogram {
  const greatestCount = bins.reduce((most, { cycleCount }) => Math.max(most, cycleCount), 0)
  const bars = bins.map(bin => ({
    ...bin,
    share: greatestCount === 0 ? 0 : bin.cycleCount / greatestCount,
    isAboveStandard: standardMs !== null && bin.fromMs >= standardMs,
  }))
  const [fromMs, toMs] = [bins.at(0)?.fromMs ?? 0, bins.at(-1)?.toMs ?? 0]
  const shareOf = (ms: number) => (ms - fromMs) / (toMs - fromMs)
  const isShown = standardMs !== null && fromMs <= standardMs && standardMs <= toMs && fromMs < toMs
  const step = Math.ceil(bins.length / (maxTicks - 1))
  const marked = [...bins.map(bin => bin.fromMs), toMs].filter((_, index) => bins.length > 0 && index % step === 0)
  return {
    bars,
    greatestCount,
    ticks: marked.map(ms => ({ ms, share: shareOf(ms) })),
    standardShare: isShown ? shareOf(standardMs) : null,
  }
}
