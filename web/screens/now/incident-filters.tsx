import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { FilterButton } from '../../reports/filter-button.tsx'
import { GroupFilter, MachineFilter } from '../../reports/machine-filters.tsx'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Toggles } from '../../ui/toggles.tsx'
import { countPart, type IncidentFilter, incidentParts, rulesOf } from './incident-filter.ts'

interface FiltersProps {
  readonly incidents: readonly IncidentItem[]
  /** Whether there may be further incidents: those of a part are not counted then. */
  readonly isCut: boolean
  readonly filter: IncidentFilter
  /** null: they are not loaded yet. */
  readonly machines: readonly MachineListItem[] | null
}

/** Filters of the open incidents; the address contains the selection. */
export function IncidentFilters({ incidents, isCut, filter, machines }: FiltersProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { userId } = viewer
  const [, change] = useQuery()
  const words = t.now
  const countOf = (count: number) => (isCut ? undefined : format.count(count))
  const rules = rulesOf(incidents, t.reports.absent.rule)
  return (
    <div class="report-bar">
      <Toggles
        label={words.filterLabel}
        value={filter.part}
        options={[
          { value: null, title: words.all, count: countOf(incidents.length) },
          ...incidentParts
            .filter(part => part !== 'mine' || userId !== null)
            .map(part => ({
              value: part,
              title: words.parts[part],
              count: countOf(countPart(incidents, part, userId)),
            })),
        ]}
        onValue={state => change({ state })}
      />
      <FilterButton
        title={words.rules}
        options={rules}
        chosen={filter.rules}
        onChange={ids => change({ rule: ids.join(',') })}
      />
      {hasScope(viewer, 'machine.read') && (
        <>
          <GroupFilter machines={machines} chosen={filter.groups} />
          <MachineFilter machines={machines} chosen={filter.machines} />
        </>
      )}
    </div>
  )
}
