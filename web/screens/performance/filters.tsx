import { useState } from 'preact/hooks'
import type { Client } from '../../data/client.ts'
import { idIn, nameIn } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { FilterButton, type Option } from '../../reports/filter-button.tsx'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { ReportRange } from '../../time/period.ts'
import { filterNames, filterParameters, type View } from './view.ts'
import { Button } from '../../ui/button.tsx'

/** Shows the filters that narrow the view down, each with a way back out. */
export function Filters({ view, range }: { readonly view: View; readonly range: ReportRange }) {
  const { t } = useLocale()
  const [, change] = useQuery()
  const isFiltered = filterNames.some(name => view.filter[name])
  return (
    <div class="filters">
      {filterNames.map(name => (
        <OneFilter key={name} name={name} chosen={view.filter[name] ?? []} range={range} />
      ))}
      {isFiltered && (
        <Button
          look="quiet"
          text={t.reports.clearAll}
          onClick={() =>
            change({ ...Object.fromEntries(Object.values(filterParameters).map(name => [name, null])), by: null })
          }
        />
      )}
    </div>
  )
}

interface OneFilterProps {
  readonly name: (typeof filterNames)[number]
  readonly chosen: readonly string[]
  readonly range: ReportRange
}

/** A filter. Its options cost a report, and are loaded only if it is open or shows the name of one of them. */
function OneFilter({ name, chosen, range }: OneFilterProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const [, change] = useQuery()
  const [isOpened, setOpened] = useState(false)
  const isNeeded = isOpened || chosen.length === 1
  const inputs = JSON.stringify(range)
  const {
    value: options,
    error,
    reload,
  } = useLoad(async () => (isNeeded ? loadOptions(client, range, name) : null), [client, inputs, isNeeded])
  const absent = t.reports.absent[name === 'machine' ? 'shift' : name]
  return (
    <FilterButton
      title={t.reports.filters[name]}
      options={options?.map(each => (each.id === 'none' ? { id: 'none', name: absent } : each)) ?? null}
      chosen={chosen}
      onChange={ids => change({ [filterParameters[name]]: ids.join(',') })}
      onOpen={() => setOpened(true)}
      error={error}
      onRetry={reload}
    />
  )
}

/** Values of a dimension in the range: they come from the report, which every user of this screen may read. */
async function loadOptions(
  client: Client,
  range: ReportRange,
  name: (typeof filterNames)[number],
): Promise<readonly Option[]> {
  const { items } = await client.call('POST /reports/production', {
    body: { ...range, data: ['allTime'], groupBy: [name], filter: {}, flatten: true },
  })
  return items.map(row => ({ id: idIn(row, name) || 'none', name: nameIn(row, name) }))
}
