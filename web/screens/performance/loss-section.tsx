import { useQuery } from '../../router/router.tsx'
import { amount } from '../../reports/amount.ts'
import { type Bar, Bars } from '../../reports/bars.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Loading } from '../../ui/notice.tsx'
import { type FlatProduction, idIn, type MetricSelection, nameIn } from '../../data/production.ts'
import { biggestLoss, type Losses, lossesOf, type LossName, lossNames, type Step, stepsOf } from './losses.ts'
import { LossDetail } from './loss-detail.tsx'
import type { Overview } from './performance-data.ts'
import type { View } from './view.ts'

interface LossSectionProps {
  readonly data: Overview
  /** Losses by machine; null: not loaded yet. */
  readonly machines: FlatProduction | null
  readonly view: View
}

/** From all time down to good parts as a waterfall, with the biggest loss named, and where and why the chosen one came about. */
export function LossSection({ data, machines, view }: LossSectionProps) {
  const { t, format } = useLocale()
  const [, change] = useQuery()
  const words = t.performance.losses
  const { aggregate } = data.trend
  const biggest = biggestLoss(aggregate)
  const chosen = view.loss ?? biggest
  const coverage = aggregate.idealCoverage
  return (
    <section class="card losses" aria-labelledby="losses-title">
      <div class="stack">
        <h2 id="losses-title">{words.title}</h2>
        {biggest === null ? (
          <p class="lead">{words.none}</p>
        ) : (
          <Biggest aggregate={aggregate} machines={machines} loss={biggest} />
        )}
        <p class="hint">{words.intro}</p>
      </div>
      <ol class="waterfall" aria-label={words.title}>
        {stepsOf(aggregate).map(step => (
          <StepRow
            key={step.name}
            step={step}
            allMs={aggregate.allTime ?? 0}
            scheduledMs={aggregate.scheduledTime ?? 0}
            isBiggest={step.name === biggest}
            isChosen={step.name === chosen}
            onChoose={loss => change({ loss: loss === biggest ? null : loss })}
          />
        ))}
      </ol>
      {aggregate.performance === null && (aggregate.scheduledTimeInCycle ?? 0) > 0 ? (
        <p class="hint">{words.unknownSpeed}</p>
      ) : (
        typeof coverage === 'number' &&
        coverage < 0.995 && <p class="hint">{words.covered(format.percent(coverage, 0))}</p>
      )}
      <Pareto losses={lossesOf(aggregate)} />
      {chosen &&
        (machines === null ? (
          <div class="loss-detail-loading">
            <Loading />
          </div>
        ) : (
          <LossDetail data={data} machines={machines} view={view} loss={chosen} />
        ))}
    </section>
  )
}

interface BiggestProps extends Pick<LossSectionProps, 'machines'> {
  readonly aggregate: MetricSelection
  readonly loss: LossName
}

function Biggest({ aggregate, machines, loss }: BiggestProps) {
  const locale = useLocale()
  const { t, format } = locale
  const words = t.performance.losses
  const ms = lossesOf(aggregate)[loss] ?? 0
  const items = machines?.items ?? []
  const [worst] = items
    .map(row => ({ id: idIn(row, 'machine'), name: nameIn(row, 'machine'), ms: lossesOf(row)[loss] ?? 0 }))
    .sort((a, b) => b.ms - a.ms)
  const share = format.percent(ms / (aggregate.scheduledTime ?? 0), 0)
  return (
    <p class="biggest">
      <span class="biggest-tag">{words.biggest}</span>
      <strong>{words.sentence(words.steps[loss], amount(ms, 'ms', locale), share)}</strong>
      {worst && items.length > 1 && <span>{words.most(worst.name, amount(worst.ms, 'ms', locale))}</span>}
    </p>
  )
}

/** The losses from the biggest on, with their share of all losses. */
function Pareto({ losses }: { readonly losses: Losses }) {
  const locale = useLocale()
  const words = locale.t.performance.losses
  const bars = lossNames.map((name): Bar => {
    const ms = losses[name] ?? 0
    return { key: name, name: words.steps[name], value: ms, text: amount(ms, 'ms', locale) }
  })
  if (bars.every(({ value }) => value <= 0)) return null
  return (
    <div class="stack">
      <h3>{words.pareto}</h3>
      <Bars label={words.pareto} bars={bars} isPareto />
    </div>
  )
}

interface StepProps {
  readonly step: Step
  readonly allMs: number
  readonly scheduledMs: number
  readonly isBiggest: boolean
  readonly isChosen: boolean
  readonly onChoose: (loss: LossName) => void
}

function StepRow({ step, allMs, scheduledMs, isBiggest, isChosen, onChoose }: StepProps) {
  const locale = useLocale()
  const { t, format } = locale
  const { name, kind, ms, fromMs } = step
  const words = t.performance.losses
  const loss = lossNames.find(each => each === name)
  const isGain = loss !== undefined && ms !== null && ms < 0
  const percent = (part: number) => `${allMs > 0 ? Math.min(100, (100 * part) / allMs) : 0}%`
  const share = ms === null || scheduledMs === 0 ? t.none : format.percent(Math.abs(ms) / scheduledMs, 0)
  const content = (
    <>
      <span class="step-name">
        {isGain ? words.gain : words.steps[name]} <span class="hint">{words.hints[name]}</span>
      </span>
      <span class="step-track" aria-hidden="true">
        {ms !== null && ms !== 0 && (
          <span class="step-body" style={{ left: percent(fromMs), width: percent(Math.abs(ms)) }} />
        )}
      </span>
      <span class="step-value">
        {ms === null
          ? t.none
          : `${isGain ? '+' : kind === 'loss' && ms > 0 ? '−' : ''}${amount(Math.abs(ms), 'ms', locale)}`}
      </span>
      <span class="step-share">{name === 'all' || name === 'unscheduled' ? '' : share}</span>
    </>
  )
  return (
    <li class="step" data-kind={isGain ? 'gain' : kind} data-name={name} data-biggest={isBiggest}>
      {loss && ms !== null ? (
        <button type="button" class="step-row" aria-pressed={isChosen} onClick={() => onChoose(loss)}>
          {content}
        </button>
      ) : (
        <div class="step-row">{content}</div>
      )}
    </li>
  )
}
