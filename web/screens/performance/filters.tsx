import type { Client } from '../../data/client.ts'
import { type Filter, idIn, nameIn } from '../../data/production.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { FilterButton, type Option } from '../../reports/filter-button.tsx'
import { useQuery } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import type { ReportRange } from '../../time/period.ts'
import { filterNames, filterPlaces, type View } from './view.ts'

type Options = Readonly<Record<(typeof filterNames)[number], readonly Option[]>>

interface FiltersProps {
  readonly view: View
  readonly range: ReportRange
}

/** Shows the filters that narrow the view down, each with a way back out. */
export function Filters({ view, range }: FiltersProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const [, change] = useQuery()
  const inputs = JSON.stringify(range)
  const { value: options } = useLoad(() => loadOptions(client, range), [client, inputs])
  const isFiltered = filterNames.some(name => view.filter[name])
  return (
    <div class="filters">
      {filterNames.map(name => (
        <FilterButton
          key={name}
          title={t.reports.filters[name]}
          options={
            options?.[name].map(each => shown(each, t.reports.absent[name === 'machine' ? 'shift' : name])) ?? []
          }
          chosen={view.filter[name] ?? []}
          onChange={ids => change({ [filterPlaces[name]]: ids.join(',') })}
        />
      ))}
      {isFiltered && (
        <button
          type="button"
          class="button quiet"
          onClick={() =>
            change({ ...Object.fromEntries(Object.values(filterPlaces).map(place => [place, null])), by: null })
          }
        >
          {t.reports.clearAll}
        </button>
      )}
    </div>
  )
}

function shown(option: Option, absent: string): Option {
  return option.id === 'none' ? { id: 'none', name: absent } : option
}

/** The values that the range knows, of each dimension: they come from the report, which everybody here may read. */
async function loadOptions(client: Client, range: ReportRange): Promise<Options> {
  const noFilter: Filter = {}
  const found = await Promise.all(
    filterNames.map(async name => {
      const { items } = await client.call('POST /reports/production', {
        body: { ...range, data: ['allTime'], groupBy: [name], filter: noFilter, flatten: true },
      })
      const options = items.map(row => ({ id: idIn(row, name) || 'none', name: nameIn(row, name) }))
      return [name, options] as const
    }),
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for every name
  return Object.fromEntries(found) as unknown as Options
}
