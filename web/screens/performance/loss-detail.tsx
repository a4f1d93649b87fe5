import { type FlatProduction, idIn, nameIn, shownName, textOf } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer, type Viewer } from '../../data/viewer.ts'
import { amount } from '../../reports/amount.ts'
import { type Bar, Bars } from '../../reports/bars.tsx'
import type { AddressQuery } from '../../router/address.ts'
import { Link, useQuery } from '../../router/router.tsx'
import type { Texts } from '../../texts/en.ts'
import { useLocale } from '../../texts/locale.ts'
import { Await } from '../../ui/notice.tsx'
import { lossesOf, type LossName, lossMetrics } from './losses.ts'
import { type Overview, request } from './performance-data.ts'
import { stepInto, type View } from './view.ts'

interface DetailProps {
  readonly data: Overview
  readonly machines: FlatProduction
  readonly view: View
  readonly loss: LossName
}

/** On which machines a loss came about, and for which reasons or jobs. */
export function LossDetail({ data, machines, view, loss }: DetailProps) {
  const locale = useLocale()
  const { t } = locale
  const [, change] = useQuery()
  const words = t.performance.losses
  const where = machines.items.map(row => {
    const ms = lossesOf(row)[loss] ?? 0
    return { key: idIn(row, 'machine'), name: nameIn(row, 'machine'), value: ms, text: amount(ms, 'ms', locale) }
  })
  return (
    <div class="columns">
      <div class="stack">
        <h3>{words.where(words.steps[loss])}</h3>
        {where.every(({ value }) => value <= 0) && <p class="hint">{words.noWhere}</p>}
        <Bars
          label={`${words.steps[loss]} ${words.byMachine}`}
          bars={where}
          shownFirst={5}
          pickTitle={t.performance.drill}
          onPick={id => {
            const step = stepInto(view, 'machine', { id, from: '', to: '' }, 7)
            if (step) change(step)
          }}
        />
      </div>
      <Why data={data} machines={machines} view={view} loss={loss} />
    </div>
  )
}

function Why({ data, machines, view, loss }: DetailProps) {
  const locale = useLocale()
  const { t } = locale
  const viewer = useViewer()
  const words = t.performance.losses
  const { range } = data.trend
  const inputs = JSON.stringify([range, view.filter, loss])
  const loaded = useLoad(() => loadWhy(viewer, range, view, loss, t), [viewer, inputs])
  const isByReason = isOfStops(loss) || loss === 'quality'
  const unit = loss === 'quality' ? 'parts' : 'ms'
  return (
    <div class="stack">
      <h3>{isByReason ? t.downtime.byReason : t.quality.byPart}</h3>
      <Await loaded={loaded}>
        {causes => (
          <Bars
            label={`${words.steps[loss]} ${isByReason ? words.byReason : words.byJob}`}
            bars={causes.map(cause => ({ ...cause, text: amount(cause.value, unit, locale) }))}
            shownFirst={5}
          />
        )}
      </Await>
      {isOfStops(loss) && (
        <Link to="app/downtime" query={stopsQuery(machines, view)} class="button quiet">
          {words.giveReasons}
        </Link>
      )}
      {loss === 'quality' && (
        <Link to="app/quality" query={sameQuery(machines, view)} class="button quiet">
          {words.toQuality}
        </Link>
      )}
    </div>
  )
}

/** More ids make an address too long for the service and for proxies. */
const maxIds = 150

/** Address of this range and these machines on a screen that filters by machines alone. Of very many machines it shows all. */
function sameQuery({ items }: FlatProduction, { choice, filter }: View): AddressQuery {
  const isWhole = Object.keys(filter).length === 0
  const ids = items.map(row => idIn(row, 'machine'))
  return { ...choice, machine: isWhole || ids.length > maxIds ? null : ids.join(',') }
}

/** Address of the same on the screen Downtime, which filters by groups, too. */
function stopsQuery(machines: FlatProduction, view: View): AddressQuery {
  const { machineGroup = [], machine = [], ...others } = view.filter
  const selected = { ...view.choice, group: machineGroup.join(','), machine: machine.join(',') }
  const isExact = Object.keys(others).length === 0 || machines.items.length > maxIds
  return isExact ? selected : sameQuery(machines, view)
}

type Cause = Omit<Bar, 'text'>

function isOfStops(loss: LossName): boolean {
  return loss === 'planned' || loss === 'unplanned'
}

/** Causes of a loss: reasons of stops (ms) and of rejects (parts), jobs of the others (ms). */
async function loadWhy(
  viewer: Viewer,
  range: FlatProduction['range'],
  view: View,
  loss: LossName,
  t: Texts,
): Promise<readonly Cause[]> {
  const { client } = viewer
  if (!isOfStops(loss) && loss !== 'quality') {
    const body = request(range, 'jobOperation', lossMetrics, view.filter)
    const { items } = await client.call('POST /reports/production', { body })
    return items.map(row => ({
      key: idIn(row, 'jobOperation') || 'none',
      name: shownName(row, 'jobOperation', t),
      value: lossesOf(row)[loss] ?? 0,
    }))
  }
  const { operator: _, ...filter } = view.filter
  const body = { ...range, groupBy: ['reason'], filter, flatten: true } as const
  const causeOf = (row: object, size: number): Cause => ({
    key: idIn(row, 'reason'),
    name: shownName(row, 'reason', t),
    color: textOf(row, 'reasonColor') || undefined,
    value: size,
  })
  if (loss === 'quality') {
    const { items } = await client.call('POST /reports/quality', { body })
    return items.map(row => causeOf(row, row.rejectCount))
  }
  const [{ items }, reasons] = await Promise.all([
    client.call('POST /reports/downtime', { body }),
    hasScope(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : null,
  ])
  const planned = new Set(reasons?.filter(reason => reason.planned).map(({ id }) => String(id)))
  return items
    .map(row => causeOf(row, row.downtimeMs))
    .filter(({ key }) => key !== 'setup' && (reasons === null || planned.has(key) === (loss === 'planned')))
}
